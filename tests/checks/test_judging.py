"""From verdicts to outcome, score and metrics."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.checks.command import Command
from bakeoff.checks.diff import Unchanged
from bakeoff.checks.judging import STOPPED, judge, metrics_of, score_of
from bakeoff.checks.score import Score
from bakeoff.errors import Where
from bakeoff.model.check import Check, Status, Verdict
from bakeoff.model.suite import Dialect, FolderStart, Limits, OnTimeout, Task
from bakeoff.model.trial import Ending, Outcome

TASK = Task(
    id="t",
    title="t",
    prompt="p",
    start=FolderStart(folder=None),
    checks=(),
    where=Where(Path("t.yaml")),
    dialect=Dialect.NATIVE,
    limits=Limits(timeout_s=60),
)
HARNESS_LAB = replace(TASK, on_timeout=OnTimeout.GRADE, verify_crashed=True)
PASSED = Verdict(status=Status.PASSED, reason="exit code 0, as expected")
FAILED = Verdict(status=Status.FAILED, reason="expected exit code 0, found 1")
ERROR = Verdict(status=Status.ERROR, reason="took longer than 5 s")
STOPPED_VERDICT = Verdict(status=Status.SKIPPED, reason="not evaluated: a did not pass", code=STOPPED)
ELSEWHERE = Verdict(status=Status.SKIPPED, reason="only for codex_cli", code="other_harness")


def check(name: str = "a", **fields: object) -> Check:
    return Command.model_validate({"id": name, "run": "true", **fields})


def scored(name: str = "s", **fields: object) -> Check:
    return check(name, score=Score(command="true"), **fields)


def outcome(
    *judged: tuple[Check, Verdict], ending: Ending = Ending.COMPLETED, task: Task = TASK
) -> tuple[Outcome, str]:
    checks, verdicts = [each for each, _ in judged], [verdict for _, verdict in judged]
    return judge(verdicts, checks, ending, task)


def test_all_required_checks_must_pass() -> None:
    assert outcome((check("a"), PASSED), (check("b"), PASSED)) == (
        Outcome.PASS,
        "all 2 required checks passed",
    )
    assert outcome((check("a"), PASSED)) == (Outcome.PASS, "the required check passed")
    assert outcome((check("a"), PASSED), (check("b"), FAILED)) == (
        Outcome.FAIL,
        "b: expected exit code 0, found 1",
    )


def test_every_check_that_did_not_pass_is_named() -> None:
    found, detail = outcome((check("a"), FAILED), (check("b"), ERROR), (check("c"), PASSED))
    assert found is Outcome.FAIL
    assert detail == "a: expected exit code 0, found 1; also not passed: b"


def test_a_skipped_check_is_told_as_not_evaluated() -> None:
    _, detail = outcome((check("a"), FAILED), (check("b"), STOPPED_VERDICT), (check("c"), ERROR))
    assert detail == "a: expected exit code 0, found 1; also not passed: c; also not evaluated: b"
    _, detail = outcome((check("a"), FAILED), (check("b"), STOPPED_VERDICT))
    assert detail == "a: expected exit code 0, found 1; also not evaluated: b"


def test_an_error_of_a_required_check_is_a_failure() -> None:
    assert outcome((check("a"), PASSED), (check("b"), ERROR)) == (Outcome.FAIL, "b: took longer than 5 s")


def test_checks_that_are_not_required_do_not_gate() -> None:
    lint = check("lint", required=False)
    assert outcome((check("a"), PASSED), (lint, FAILED))[0] is Outcome.PASS
    assert outcome((check("a"), PASSED), (lint, ERROR))[0] is Outcome.PASS
    assert outcome((lint, PASSED))[0] is Outcome.NOT_JUDGED
    assert outcome((lint, FAILED))[0] is Outcome.NOT_JUDGED


def test_without_checks_nothing_is_judged() -> None:
    assert outcome()[0] is Outcome.NOT_JUDGED


def test_a_check_for_another_harness_does_not_gate() -> None:
    assert outcome((check("a"), PASSED), (check("b"), ELSEWHERE))[0] is Outcome.PASS
    assert outcome((check("b"), ELSEWHERE))[0] is Outcome.NOT_JUDGED


def test_what_was_skipped_after_a_stop_did_not_pass() -> None:
    stopper = Unchanged(id="protected", paths=("tests",), stop=True)
    assert outcome((stopper, FAILED), (check("b"), STOPPED_VERDICT))[0] is Outcome.FAIL
    optional = Unchanged(id="protected", paths=("tests",), stop=True, required=False)
    assert outcome((optional, FAILED), (check("b"), STOPPED_VERDICT)) == (
        Outcome.FAIL,
        "b: not evaluated: a did not pass",
    )


def test_the_check_that_failed_is_named_before_those_that_were_skipped() -> None:
    _, detail = outcome((check("b"), STOPPED_VERDICT), (check("a"), FAILED))
    assert detail.startswith("a: ")


def test_a_known_issue_of_a_check_does_not_gate() -> None:
    known = check("known", known_issue="not fixed yet")
    assert outcome((check("a"), PASSED), (known, FAILED))[0] is Outcome.PASS
    assert outcome((check("a"), FAILED), (known, PASSED))[0] is Outcome.FAIL
    assert outcome((known, PASSED))[0] is Outcome.NOT_JUDGED


def test_a_known_issue_of_the_task_turns_pass_and_fail() -> None:
    known = replace(TASK, known_issue="waits for a fix")
    assert outcome((check(), FAILED), task=known)[0] is Outcome.KNOWN_ISSUE
    assert outcome((check(), PASSED), task=known)[0] is Outcome.UNEXPECTED_PASS
    assert outcome((check(), ERROR), task=known)[0] is Outcome.FAIL
    assert (
        outcome((check(), FAILED), (check("l", required=False), ERROR), task=known)[0] is Outcome.KNOWN_ISSUE
    )
    assert outcome(task=known)[0] is Outcome.NOT_JUDGED
    assert outcome((check(), PASSED), task=known, ending=Ending.TIMEOUT)[0] is Outcome.TIMEOUT
    assert outcome((check(), PASSED), task=known, ending=Ending.CRASHED)[0] is Outcome.FAIL


def test_a_timeout_is_never_a_pass_unless_the_format_grades_it() -> None:
    found, detail = outcome((check(), PASSED), ending=Ending.TIMEOUT)
    assert (found, detail) == (Outcome.TIMEOUT, "the agent did not finish within 60 s")
    assert outcome((check(), FAILED), ending=Ending.TIMEOUT)[0] is Outcome.TIMEOUT
    found, detail = outcome((check(), PASSED), ending=Ending.TIMEOUT, task=HARNESS_LAB)
    assert (found, detail) == (
        Outcome.PASS,
        "the required check passed; the agent did not finish within 60 s",
    )
    assert outcome((check(), FAILED), ending=Ending.TIMEOUT, task=HARNESS_LAB)[0] is Outcome.FAIL


def test_a_crash_is_a_failure_unless_the_format_verifies_it() -> None:
    assert outcome((check(), PASSED), ending=Ending.CRASHED)[0] is Outcome.FAIL
    found, detail = outcome((check(), PASSED), ending=Ending.CRASHED, task=HARNESS_LAB)
    assert (found, detail) == (Outcome.PASS, "the required check passed; the harness crashed")


def test_a_turn_limit_is_graded_like_any_other_trial() -> None:
    assert outcome((check(), PASSED), ending=Ending.TURN_LIMIT)[0] is Outcome.PASS
    found, detail = outcome((check(), FAILED), ending=Ending.TURN_LIMIT)
    assert found is Outcome.FAIL
    assert detail.endswith("; the agent reached a limit of its harness")


def test_an_agent_that_was_never_launched_is_not_judged() -> None:
    with pytest.raises(ValueError, match="void"):
        outcome((check(), PASSED), ending=Ending.NOT_STARTED)


def test_verdicts_and_checks_belong_together() -> None:
    with pytest.raises(ValueError, match="zip"):
        judge([PASSED], [], Ending.COMPLETED, TASK)


VERDICTS = st.sampled_from([PASSED, FAILED, ERROR, STOPPED_VERDICT, ELSEWHERE])


@given(st.lists(st.tuples(VERDICTS, st.booleans()), max_size=5), st.sampled_from(list(Ending)[:-1]))
def test_a_pass_means_that_every_required_check_that_applies_passed(
    drawn: list[tuple[Verdict, bool]], ending: Ending
) -> None:
    judged = [
        (check(f"c{number}", required=required), verdict) for number, (verdict, required) in enumerate(drawn)
    ]
    gating = [verdict for verdict, required in drawn if required and verdict is not ELSEWHERE]
    passes = bool(gating) and all(verdict is PASSED for verdict in gating)
    graded = outcome(*judged, ending=ending, task=HARNESS_LAB)[0]
    assert (graded is Outcome.PASS) == passes
    strict = outcome(*judged, ending=ending)[0]
    assert (strict is Outcome.PASS) == (passes and ending in {Ending.COMPLETED, Ending.TURN_LIMIT})


@pytest.mark.parametrize(
    ("found", "score"),
    [
        (Outcome.PASS, 1.0),
        (Outcome.FAIL, 0.0),
        (Outcome.TIMEOUT, 0.0),
        (Outcome.KNOWN_ISSUE, 0.0),
        (Outcome.UNEXPECTED_PASS, 1.0),
        (Outcome.NOT_JUDGED, None),
        (Outcome.VOID, None),
    ],
)
def test_without_a_score_command_the_score_is_that_of_the_outcome(
    found: Outcome, score: float | None
) -> None:
    verdict = replace(PASSED, score=1.0)
    assert score_of([verdict, PASSED], [check("a"), check("b")], found) == score


def test_a_measured_score_counts_whatever_the_outcome() -> None:
    protected = Unchanged(id="p", paths=("tests",), stop=True)
    verdict = replace(FAILED, score=0.8)
    assert score_of([PASSED, verdict], [protected, scored()], Outcome.FAIL) == 0.8
    assert score_of([verdict, PASSED], [scored(), check()], Outcome.TIMEOUT) == 0.8


def test_an_agent_that_broke_a_rule_before_the_measurement_scores_nothing() -> None:
    protected = Unchanged(id="p", paths=("tests",), stop=True)
    assert score_of([FAILED, STOPPED_VERDICT], [protected, scored()], Outcome.FAIL) == 0.0


def test_an_unknown_score_stays_unknown() -> None:
    unknown = replace(PASSED, score=None, score_error="the score command exited with 7, not 0")
    assert score_of([unknown], [scored()], Outcome.PASS) is None
    known = replace(PASSED, score=1.0)
    assert score_of([known, unknown], [scored("a"), scored("b")], Outcome.PASS) is None


def test_several_scores_are_averaged_and_optional_or_foreign_ones_left_out() -> None:
    one, half, none = (replace(PASSED, score=value) for value in (1.0, 0.5, 0.0))
    assert score_of([one, half], [scored("a"), scored("b")], Outcome.PASS) == 0.75
    checks = [scored("a"), scored("b", required=False), scored("c", providers=("codex_cli",))]
    assert score_of([half, none, ELSEWHERE], checks, Outcome.PASS) == 0.5


def test_metrics_of_all_checks_come_together() -> None:
    first, second = replace(PASSED, numbers={"n": 1.0, "x": 2.0}), replace(FAILED, numbers={"n": 3.0})
    assert metrics_of([first, second], [check("a"), check("b")]) == {"a.n": 1.0, "b.n": 3.0, "x": 2.0}
    assert metrics_of([first], [check("a")]) == {"n": 1.0, "x": 2.0}
    assert metrics_of([], []) == {}


NAMES = st.dictionaries(st.sampled_from(["n", "a.n", "b.n", "x"]), st.floats(0, 9), max_size=4)


@given(st.lists(NAMES, max_size=3))
def test_no_number_is_lost(drawn: list[dict[str, float]]) -> None:
    names = ["a", "b", "c"][: len(drawn)]
    metrics = metrics_of(
        [replace(PASSED, numbers=numbers) for numbers in drawn], [check(name) for name in names]
    )
    given_numbers = sorted(itertools.chain.from_iterable(numbers.values() for numbers in drawn))
    assert sorted(metrics.values()) == given_numbers
