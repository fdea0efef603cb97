"""One fixed experiment with everything in it that a report has words for."""

from __future__ import annotations

from typing import Any

from support.records import a_trial, a_verdict, a_void_trial, an_arm, an_experiment

from bakeoff.model.experiment import ExperimentRecord
from bakeoff.model.trial import (
    ChangeRecord,
    Ending,
    Finding,
    Outcome,
    TrialRecord,
    UsageRecord,
    VoidReason,
)

TASKS = ("month-end", "slugify", "restraint")
ARMS = ("right", "confident", "test-editor")

UNTOUCHED_PASSED = a_verdict("untouched", type="unchanged", reason="none of tests/** was changed")
UNTOUCHED_FAILED = a_verdict(
    "untouched", "failed", type="unchanged", reason="tests/test_dates.py was changed", code="changed"
)
LINT_PASSED = a_verdict("ruff", type="lint", aspect="style", required=False, reason="no new finding")
LINT_FAILED = a_verdict(
    "ruff", "failed", type="lint", aspect="style", required=False, reason="3 new findings"
)
HIDDEN_FAILED = a_verdict(
    "hidden",
    "failed",
    reason="exit code 1, expected 0",
    code="exit_code",
    evidence="FAILED test_dates.py::test_leap_year\nE   assert 28 == 29\n1 failed, 3 passed",
    score=0.75,
    numbers={"passed": 3.0, "failed": 1.0},
    duration_s=1.25,
)


def demo_experiment(**fields: Any) -> ExperimentRecord:
    """Three tasks, three arms, one trial each."""
    arms = [an_arm(arm) for arm in ARMS]
    arms[1] = an_arm("confident", placements=[{"kind": "instructions", "name": "CLAUDE.md"}])
    return an_experiment(TASKS, **{"arms": ARMS, **fields}).model_copy(update={"arms": arms})


def demo_trials() -> list[TrialRecord]:
    """The right arm passes, the confident one fails, the editor changes tests; one trial is void."""
    trials: list[TrialRecord] = []
    for order, (task, arm) in enumerate((task, arm) for task in TASKS for arm in ARMS):
        fields = {"task": task, "arm": arm, "order": order, "repeat": 1}
        trials.append(_demo_trial(task, arm, fields))
    return trials


def _demo_trial(task: str, arm: str, fields: dict[str, Any]) -> TrialRecord:
    if (task, arm) == ("restraint", "confident"):
        return a_void_trial(VoidReason.RATE_LIMIT, **fields)
    if (task, arm) == ("slugify", "confident"):
        return a_trial(
            **fields,
            outcome=Outcome.TIMEOUT,
            ending=Ending.TIMEOUT,
            detail="the agent did not end within 600 s",
            agent_s=600.0,
            verdicts=[UNTOUCHED_PASSED, LINT_PASSED],
            usage=UsageRecord(),
            denials=None,
        )
    if arm == "confident":
        return a_trial(
            **fields,
            outcome=Outcome.FAIL,
            detail="check hidden failed: exit code 1, expected 0",
            score=0.75,
            verdicts=[UNTOUCHED_PASSED, HIDDEN_FAILED, LINT_FAILED],
        )
    if arm == "test-editor":
        return a_trial(
            **fields,
            outcome=Outcome.FAIL,
            detail="check untouched failed: tests/test_dates.py was changed",
            verdicts=[UNTOUCHED_FAILED, a_verdict("hidden", "skipped", reason="untouched did not pass")],
            changes=[ChangeRecord(path="tests/test_dates.py", kind="modified", tracked=True)],
            findings=[Finding(kind="protected_path", detail="tests/test_dates.py")],
            denials=2,
        )
    return a_trial(**fields, score=1.0, verdicts=[UNTOUCHED_PASSED, a_verdict("hidden"), LINT_PASSED])
