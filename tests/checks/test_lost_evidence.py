"""What was lost never passes a check, and never fails one that asks for more."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.checking import MemoryEvidence, ShellContext
from support.transcripts import CUTS, HOLES, call, losing, saw, skill

from bakeoff.checks.registry import CHECKS
from bakeoff.errors import CheckBroken
from bakeoff.model.check import Check, Status
from bakeoff.model.trajectory import Denial, Finish, Trajectory
from bakeoff.run.grade import grade

ABSENT = saw(call("Read"), skill("other"))
"""A transcript without anything that the checks below ask for."""

UNDECIDED: dict[str, dict[str, object]] = {
    "tool_called": {"name": "Bash"},
    "tool_not_called": {"name": "Bash"},
    "tool_count": {"name": "Bash", "max": 2},
    "skill_invoked": {"skill": "greet"},
    "skill_not_invoked": {"skill": "greet"},
    "no_permission_errors": {},
}
"""Checks that `ABSENT` decides only because nothing is missing from it."""

FOUND: tuple[tuple[str, dict[str, object], MemoryEvidence, Status], ...] = (
    ("tool_called", {"name": "Bash"}, saw(call()), Status.PASSED),
    ("tool_not_called", {"name": "Bash"}, saw(call()), Status.FAILED),
    ("tool_count", {"name": "Bash", "min": 2}, saw(call(), call()), Status.PASSED),
    ("tool_count", {"name": "Bash", "max": 1}, saw(call(), call()), Status.FAILED),
    ("tool_count", {"name": "Bash", "exactly": 1}, saw(call(), call()), Status.FAILED),
    ("skill_invoked", {"skill": "greet"}, saw(skill("greet")), Status.PASSED),
    ("skill_not_invoked", {"skill": "greet"}, saw(skill("greet")), Status.FAILED),
    ("no_permission_errors", {}, saw(call(denied=True, is_error=True)), Status.FAILED),
    ("no_permission_errors", {}, saw(denials=(Denial(tool="Bash"),)), Status.FAILED),
)
"""What a transcript shows stands, whatever else is missing from it."""


def check(kind: str, **fields: object) -> Check:
    return CHECKS[kind].model_validate({"id": "it", **fields})


@pytest.mark.parametrize("kind", UNDECIDED)
@pytest.mark.parametrize("what", [*HOLES, *CUTS])
def test_what_is_not_in_an_incomplete_transcript_is_not_known(
    kind: str, what: str, context: ShellContext
) -> None:
    it = check(kind, **UNDECIDED[kind])
    assert it.evaluate(ABSENT, context).status in {Status.PASSED, Status.FAILED}
    with pytest.raises(CheckBroken, match="is not known: "):
        it.evaluate(losing(ABSENT, what), context)


@pytest.mark.parametrize(("kind", "fields", "evidence", "status"), FOUND)
@pytest.mark.parametrize("what", [*HOLES, *CUTS])
def test_what_is_in_it_counts(
    kind: str,
    fields: dict[str, object],
    evidence: MemoryEvidence,
    status: Status,
    what: str,
    context: ShellContext,
) -> None:
    for seen in (evidence, losing(evidence, what)):
        assert check(kind, **fields).evaluate(seen, context).status is status


@pytest.mark.parametrize("fields", [{"exactly": 1}, {"min": 1, "max": 2}, {"min": 2}, {"exactly": 2}])
def test_a_count_that_more_calls_could_change_is_not_known(
    fields: dict[str, int], context: ShellContext
) -> None:
    with pytest.raises(CheckBroken, match="how often Bash was called is not known"):
        check("tool_count", name="Bash", **fields).evaluate(losing(saw(call()), HOLES[0]), context)


@pytest.mark.parametrize("what", HOLES)
@pytest.mark.parametrize("first", ["greet", "other"])
def test_before_the_first_skill_there_may_have_been_another(
    first: str, what: str, context: ShellContext
) -> None:
    with pytest.raises(CheckBroken, match="which skill was used first is not known"):
        check("first_skill", skill="greet").evaluate(losing(saw(skill(first)), what), context)


@pytest.mark.parametrize("what", CUTS)
def test_the_first_skill_stays_the_first_whatever_came_after_it(what: str, context: ShellContext) -> None:
    it = check("first_skill", skill="greet")
    assert it.evaluate(losing(saw(skill("greet")), what), context).status is Status.PASSED
    assert it.evaluate(losing(saw(skill("other")), what), context).status is Status.FAILED
    with pytest.raises(CheckBroken, match="which skill was used first is not known"):
        it.evaluate(losing(saw(), what), context)


@pytest.mark.parametrize("kind", [*UNDECIDED, "first_skill"])
@pytest.mark.parametrize("finish", [None, Finish.COMPLETED])
def test_a_transcript_that_tells_nothing_decides_nothing(
    kind: str, finish: Finish | None, context: ShellContext
) -> None:
    """As after an output format that holds the answer only, or a file that was never written."""
    silent = MemoryEvidence(trajectory=Trajectory(finish=finish, final_text="done"))
    fields = UNDECIDED.get(kind, {"skill": "greet"})
    (verdict,) = grade([check(kind, **fields)], silent, context)
    assert verdict.status is Status.ERROR
    assert "nothing that the agent said or did" in verdict.reason


def test_a_harness_that_tells_of_tools_only_leaves_the_rest_open(context: ShellContext) -> None:
    some = replace(ABSENT, trajectory=replace(ABSENT.trajectory, untold=("skills", "denials")))
    assert check("tool_not_called", name="Bash").evaluate(some, context).status is Status.PASSED
    with pytest.raises(CheckBroken, match="fake does not tell of skills"):
        check("skill_not_invoked", skill="x").evaluate(some, context)
    with pytest.raises(CheckBroken, match="fake does not tell of denials"):
        check("no_permission_errors").evaluate(some, context)


def test_events_that_are_no_calls_hide_none(context: ShellContext) -> None:
    new = replace(ABSENT, trajectory=replace(ABSENT.trajectory, unknown_events={"system/new": 7}))
    assert check("tool_not_called", name="Bash").evaluate(new, context).status is Status.PASSED


def test_the_reason_names_everything_that_is_missing(context: ShellContext) -> None:
    evidence = losing(losing(ABSENT, HOLES[0]), CUTS[0])
    (verdict,) = grade([check("tool_not_called", name="Bash")], evidence, context)
    assert verdict.reason == (
        "whether Bash was called is not known: lines of its output that could not be read: 1; "
        "the time limit cut it"
    )
