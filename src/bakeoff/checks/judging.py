"""From the verdicts of a trial's checks to its outcome, score and metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from bakeoff.checks.wording import listed
from bakeoff.model.check import Check, Status, Verdict
from bakeoff.model.suite import OnTimeout, Task
from bakeoff.model.trial import Ending, Outcome

STOPPED = "stopped"
"""The code of a verdict that was skipped because an earlier check did not pass."""
OTHER_HARNESS = "other_harness"
"""The code of a verdict that was skipped because the check is for other harnesses."""


class Judgement(NamedTuple):
    """What a trial counts as, and one sentence why."""

    outcome: Outcome
    detail: str


def judge(verdicts: Sequence[Verdict], checks: Sequence[Check], ending: Ending, task: Task) -> Judgement:
    """The outcome of a trial whose agent was launched; `verdicts` are those of `checks`, in order.

    Only required checks without a `known_issue` gate, unless they do not apply to the
    harness. All of them must pass: failing, an error, and being skipped because an earlier
    check did not pass all count as failing. Raises ValueError for an agent that was never
    launched: such a trial is void.
    """
    if ending is Ending.NOT_STARTED:
        msg = "a trial whose agent was not launched is void, not judged"
        raise ValueError(msg)
    if ending is Ending.TIMEOUT and task.on_timeout is OnTimeout.TIMEOUT:
        return Judgement(Outcome.TIMEOUT, f"the agent did not finish within {task.limits.timeout_s:g} s")
    if ending is Ending.CRASHED and not task.verify_crashed:
        return Judgement(Outcome.FAIL, "the harness crashed after it was launched")
    gating = _gating(verdicts, checks)
    judgement = _known(_by_checks(gating), gating, task)
    if ending is Ending.COMPLETED:
        return judgement
    told = {
        Ending.TIMEOUT: f"the agent did not finish within {task.limits.timeout_s:g} s",
        Ending.CRASHED: "the harness crashed",
        Ending.TURN_LIMIT: "the agent reached a limit of its harness",
    }
    return Judgement(judgement.outcome, f"{judgement.detail}; {told[ending]}")


def score_of(verdicts: Sequence[Verdict], checks: Sequence[Check], outcome: Outcome) -> float | None:
    """The trial's score in [0, 1]; None when it is unknown.

    It is the mean of what the required checks with a score command measured; one that was
    not evaluated because an earlier check did not pass counts 0, an unknown one makes the
    whole unknown. Without a score command it is 1 for a pass, 0 for a failure or timeout.
    """
    scores: list[float] = []
    for check, verdict in zip(checks, verdicts, strict=True):
        if not check.gives_score or not check.required or _elsewhere(verdict):
            continue
        if verdict.status is Status.SKIPPED:
            scores.append(0.0)
        elif verdict.score is None:
            return None
        else:
            scores.append(verdict.score)
    if scores:
        return sum(scores) / len(scores)
    return {
        Outcome.PASS: 1.0,
        Outcome.UNEXPECTED_PASS: 1.0,
        Outcome.FAIL: 0.0,
        Outcome.KNOWN_ISSUE: 0.0,
        Outcome.TIMEOUT: 0.0,
    }.get(outcome)


def metrics_of(verdicts: Sequence[Verdict], checks: Sequence[Check]) -> dict[str, float]:
    """The named numbers of all checks; `check.name` where several checks have the same name."""
    counts = Counter(name for verdict in verdicts for name in verdict.numbers)
    metrics: dict[str, float] = {}
    for check, verdict in zip(checks, verdicts, strict=True):
        for name, number in verdict.numbers.items():
            key = name if counts[name] == 1 else f"{check.id}.{name}"
            while key in metrics:
                key = f"{check.id}.{key}"
            metrics[key] = number
    return metrics


def _gating(verdicts: Sequence[Verdict], checks: Sequence[Check]) -> list[tuple[Check, Verdict]]:
    return [
        (check, verdict)
        for check, verdict in zip(checks, verdicts, strict=True)
        if check.required and check.known_issue is None and not _elsewhere(verdict)
    ]


def _by_checks(gating: list[tuple[Check, Verdict]]) -> Judgement:
    if not gating:
        return Judgement(
            Outcome.NOT_JUDGED, "no check decides: none is required, applies and is not a known issue"
        )
    against = [(check, verdict) for check, verdict in gating if verdict.status is not Status.PASSED]
    if not against:
        told = "the required check" if len(gating) == 1 else f"all {len(gating)} required checks"
        return Judgement(Outcome.PASS, f"{told} passed")
    check, verdict = next(((c, v) for c, v in against if v.status is not Status.SKIPPED), against[0])
    others = [(other, v) for other, v in against if other is not check]
    failed = [other.id for other, v in others if v.status is not Status.SKIPPED]
    skipped = [other.id for other, v in others if v.status is Status.SKIPPED]
    also = f"; also not passed: {listed(failed)}" if failed else ""
    also += f"; also not evaluated: {listed(skipped)}" if skipped else ""
    return Judgement(Outcome.FAIL, f"{check.id}: {verdict.reason}{also}")


def _known(judgement: Judgement, gating: list[tuple[Check, Verdict]], task: Task) -> Judgement:
    """What a known issue of the whole task makes of an outcome; an error is never expected."""
    if task.known_issue is None:
        return judgement
    if judgement.outcome is Outcome.PASS:
        return Judgement(Outcome.UNEXPECTED_PASS, f"passed, though a failure is known: {task.known_issue}")
    broken = any(verdict.status is Status.ERROR for _, verdict in gating)
    if judgement.outcome is Outcome.FAIL and not broken:
        return Judgement(Outcome.KNOWN_ISSUE, f"failed as is known ({task.known_issue}): {judgement.detail}")
    return judgement


def _elsewhere(verdict: Verdict) -> bool:
    """It was skipped because it does not apply to the harness that ran."""
    return verdict.status is Status.SKIPPED and verdict.code != STOPPED
