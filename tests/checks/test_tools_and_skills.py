"""Which calls and skills count, which names are equal, and what verdicts tell."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.checking import MemoryEvidence, ShellContext
from support.transcripts import call, saw, skill

from bakeoff.checks.registry import CHECKS
from bakeoff.checks.skills import is_same_skill
from bakeoff.model.check import Status, Verdict
from bakeoff.model.trajectory import Denial, Roster

Judged = Callable[..., Verdict]


@pytest.fixture
def judged(context: ShellContext) -> Judged:
    """Evaluates a check of a kind on evidence."""

    def judged(kind: str, evidence: MemoryEvidence, **fields: object) -> Verdict:
        return CHECKS[kind].model_validate({"id": "it", **fields}).evaluate(evidence, context)

    return judged


def test_calls_of_subagents_refused_and_failed_calls_are_calls(judged: Judged) -> None:
    evidence = saw(
        call("Bash", thread="helper", input={"command": "ls\n"}),
        call("Bash", denied=True, denial="no", is_error=True),
        call("Bash", is_error=True),
        call("Read"),
    )
    verdict = judged("tool_called", evidence, name="Bash")
    assert (verdict.status, verdict.reason) == (
        Status.PASSED,
        "Bash was called 3 times, 1 of them refused",
    )
    assert verdict.evidence.splitlines() == [
        'Bash {"command": "ls\\n"}  in subagent helper',
        "Bash {}  refused: no",
        "Bash {}  ended with an error",
    ]
    assert judged("tool_not_called", evidence, name="Bash").status is Status.FAILED
    assert judged("tool_count", evidence, name="Bash", exactly=3).status is Status.PASSED


def test_names_are_exact_and_a_misspelt_one_is_told_what_was_called(judged: Judged) -> None:
    evidence = saw(call("Bash"), call("Bash"), call("Read"), roster=Roster(tools=("Bash", "Read", "Edit")))
    verdict = judged("tool_called", evidence, name="bash")
    assert verdict.reason == "bash was never called; called were Bash (2), Read (1)"
    assert judged("tool_not_called", evidence, name="Edit").code == "not_called"
    assert judged("tool_not_called", evidence, name="Edti").reason == (
        "Edti was not called; the agent had no tool of that name"
    )


@pytest.mark.parametrize(
    ("fields", "passing"),
    [
        ({"exactly": 2}, {2}),
        ({"exactly": 0}, {0}),
        ({"min": 2}, {2, 3, 4}),
        ({"max": 1}, {0, 1}),
        ({"min": 1, "max": 3}, {1, 2, 3}),
        ({"min": 0, "max": 1}, {0, 1}),
        ({"min": 2, "max": 2}, {2}),
    ],
)
def test_bounds_of_a_count_are_inclusive(fields: dict[str, int], passing: set[int], judged: Judged) -> None:
    found = {
        number
        for number in range(5)
        if judged("tool_count", saw(*[call() for _ in range(number)]), name="Bash", **fields).status
        is Status.PASSED
    }
    assert found == passing


@pytest.mark.parametrize(
    "fields",
    [
        *({}, {"min": 0}, {"exactly": 1, "min": 1}, {"exactly": 1, "max": 1}, {"min": 2, "max": 1}),
        *({"max": -1}, {"min": 1.5}, {"exactly": True}, {"exactly": "1"}),
    ],
)
def test_bounds_that_mean_nothing_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        CHECKS["tool_count"].model_validate({"id": "it", "name": "Bash", **fields})


@pytest.mark.parametrize("kind", ["tool_called", "tool_not_called", "skill_invoked", "first_skill"])
@pytest.mark.parametrize("name", ["", "  ", " Bash", "Bash\n", "a\x1bb", 7, None])
def test_names_that_cannot_be_meant_are_refused(kind: str, name: object) -> None:
    field = "name" if kind.startswith("tool") else "skill"
    with pytest.raises(ValidationError):
        CHECKS[kind].model_validate({"id": "it", field: name})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("release", "release", True),
        ("tools:release", "release", True),
        ("tools:release", "tools:release", True),
        ("a:b:c", "b:c", True),
        ("a:b:c", "c", False),
        ("mine:release", "yours:release", False),
        ("release", "Release", False),
        (":release", "release", False),
        ("tools:", "", False),
    ],
)
def test_names_of_skills_are_equal_after_one_prefix_is_removed(one: str, other: str, same: bool) -> None:
    assert is_same_skill(one, other) is same
    assert is_same_skill(other, one) is same


@given(st.text(), st.text(), st.text(":ab", max_size=4))
def test_a_skill_is_itself_with_and_without_a_plugin(name: str, plugin: str, rest: str) -> None:
    assert is_same_skill(name, name)
    if plugin.replace(":", "") and name:
        assert is_same_skill(f"{plugin.replace(':', '')}:{name}", name)
    assert is_same_skill(name, rest) == is_same_skill(rest, name)


def test_a_skill_fires_in_a_subagent_too_and_the_earliest_of_all_threads_is_first(judged: Judged) -> None:
    evidence = saw(skill("tools:greet", thread="helper"), skill("deploy"))
    assert judged("first_skill", evidence, skill="greet").status is Status.PASSED
    assert (
        judged("first_skill", evidence, skill="deploy").reason == "expected deploy first, found tools:greet"
    )
    assert judged("skill_invoked", evidence, skill="deploy").status is Status.PASSED
    assert judged("skill_not_invoked", evidence, skill="greet").status is Status.FAILED


def test_a_skill_that_was_refused_or_does_not_exist_did_not_fire(judged: Judged) -> None:
    evidence = saw(
        skill("greet", denied=True, is_error=True, denial="not allowed"),
        skill("greet", is_error=True),
        skill("deploy"),
    )
    verdict = judged("skill_invoked", evidence, skill="greet")
    assert verdict.status is Status.FAILED
    assert verdict.reason == (
        "greet was not used (calls of it in vain: 1 refused, 1 failed); used were deploy"
    )
    assert "refused: not allowed" in verdict.evidence
    assert judged("skill_not_invoked", evidence, skill="greet").status is Status.PASSED
    assert judged("first_skill", evidence, skill="deploy").status is Status.PASSED


def test_a_skill_whose_result_was_not_seen_fired(judged: Judged) -> None:
    evidence = saw(skill("greet", result=None, is_error=None))
    assert judged("skill_invoked", evidence, skill="greet").status is Status.PASSED
    assert judged("skill_not_invoked", evidence, skill="greet").status is Status.FAILED


def test_a_skill_that_the_prompt_named_comes_before_all_others(judged: Judged) -> None:
    evidence = saw(skill("deploy"), injected_skills=("greet",))
    verdict = judged("first_skill", evidence, skill="greet")
    assert verdict.status is Status.PASSED
    assert verdict.evidence.startswith("greet  named by the prompt\nSkill ")


def test_a_skill_that_is_not_there_is_told_to_whoever_forbids_it(judged: Judged) -> None:
    evidence = saw(roster=Roster(skills=("tools:greet",)))
    assert judged("skill_not_invoked", evidence, skill="greet").code == "not_invoked"
    assert judged("skill_not_invoked", evidence, skill="gret").reason == (
        "gret was not used; the agent had no skill of that name"
    )


def test_only_what_the_harness_reports_as_refused_is_a_permission_error(judged: Judged) -> None:
    texts = ("cat: Permission denied", "! [rejected] main -> main", "requires approval from a code owner")
    evidence = saw(*[call(result=text, is_error=True) for text in texts])
    assert judged("no_permission_errors", evidence).status is Status.PASSED


def test_each_refusal_is_told_once_with_its_reason(judged: Judged) -> None:
    evidence = saw(
        call("Bash", id="1", denied=True, denial="rule", is_error=True, thread="helper"),
        call("Edit", id="2", denied=True, is_error=True),
        denials=(Denial(tool="Bash", reason="rule", call_id="1", thread="helper"), Denial(tool="")),
    )
    verdict = judged("no_permission_errors", evidence)
    assert (verdict.status, verdict.reason) == (
        Status.FAILED,
        "3 actions were refused: Bash, an unnamed tool, Edit",
    )
    assert verdict.evidence.splitlines() == ["Bash  in subagent helper: rule", "an unnamed tool", "Edit"]


def test_names_that_an_agent_made_up_cannot_break_a_verdict(judged: Judged) -> None:
    hostile = "x\n\x1b[2J\ud800" + "y" * 500
    verdict = judged("tool_called", saw(call(hostile, input={"\ud800": "\x1b"})), name="Bash")
    assert "\n" not in verdict.reason
    assert "\x1b" not in verdict.reason
    assert len(verdict.reason) < 300
    many = saw(*[call("Bash", input={"n": "z" * 5000}) for _ in range(500)])
    assert len(judged("tool_called", many, name="Bash").evidence) <= 33_000
