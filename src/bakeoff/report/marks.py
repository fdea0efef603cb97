"""The marks of verdicts and trials that are not what they look like: expected failures and skipped checks."""

from __future__ import annotations

from bakeoff.checks.judging import OTHER_HARNESS
from bakeoff.model.check import Status
from bakeoff.model.trial import Outcome, VerdictRecord

KNOWN_FAIL = "KNOWN-FAIL"
UNEXPECTED_PASS = "UNEXPECTED-PASS"
SKIPPED = "SKIPPED"

STYLES = {KNOWN_FAIL: "yellow", UNEXPECTED_PASS: "cyan", SKIPPED: "dim"}


def verdict_mark(verdict: VerdictRecord) -> str | None:
    """The mark of a verdict that does not decide although its check is required; None without one.

    A check that was skipped because an earlier one did not pass has none, since it counts
    as not passed; neither has an error under a known issue, which nobody expects.
    """
    if verdict.status == Status.SKIPPED and verdict.code == OTHER_HARNESS:
        return SKIPPED
    if verdict.known_issue is None:
        return None
    return {Status.FAILED.value: KNOWN_FAIL, Status.PASSED.value: UNEXPECTED_PASS}.get(verdict.status)


def outcome_mark(outcome: str) -> str | None:
    """The mark of a trial of a task with a known issue; None for any other outcome."""
    marks = {Outcome.KNOWN_ISSUE.value: KNOWN_FAIL, Outcome.UNEXPECTED_PASS.value: UNEXPECTED_PASS}
    return marks.get(outcome)
