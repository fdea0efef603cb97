"""The checks of an experiment and how often each had which status, as every report shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.model.trial import TrialRecord, VerdictRecord
from bakeoff.report.marks import verdict_mark


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckView:
    """One check of one task: how often it had each status, by arm.

    Attributes:
        statuses: arm to status to number of trials.
        marks: arm to mark to number of trials, for verdicts that do not decide; see `report.marks`.
        everywhere: the status it had in every trial; None when they differ.
    """

    task: str
    check: str
    type: str
    aspect: str
    required: bool
    statuses: Mapping[str, Mapping[str, int]]
    marks: Mapping[str, Mapping[str, int]]
    everywhere: str | None


def check_views(trials: Sequence[TrialRecord]) -> list[CheckView]:
    """The checks in the order in which they were first recorded."""
    found: dict[tuple[str, str], list[tuple[str, VerdictRecord]]] = {}
    for trial in trials:
        for verdict in trial.verdicts:
            found.setdefault((trial.task, verdict.check), []).append((trial.arm, verdict))
    return [_check_view(task, seen) for (task, _), seen in found.items()]


def _check_view(task: str, seen: Sequence[tuple[str, VerdictRecord]]) -> CheckView:
    by_arm: dict[str, Counter[str]] = {}
    marks: dict[str, Counter[str]] = {}
    for arm, verdict in seen:
        by_arm.setdefault(arm, Counter())[verdict.status] += 1
        mark = verdict_mark(verdict)
        if mark is not None:
            marks.setdefault(arm, Counter())[mark] += 1
    statuses = {verdict.status for _, verdict in seen}
    first = seen[0][1]
    return CheckView(
        task=task,
        check=first.check,
        type=first.type,
        aspect=first.aspect,
        required=first.required,
        statuses={arm: dict(count) for arm, count in by_arm.items()},
        marks={arm: dict(count) for arm, count in marks.items()},
        everywhere=statuses.pop() if len(statuses) == 1 else None,
    )
