"""One task under every arm as every report shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.model.experiment import ArmRecord, TaskRecord
from bakeoff.model.trial import TrialRecord
from bakeoff.report import totals
from bakeoff.report.totals import JUDGED, PASSED, Mean


@dataclass(frozen=True, slots=True, kw_only=True)
class CellView:
    """One task under one arm; the fields mean what they mean for an arm."""

    arm: str
    planned: int
    recorded: int
    outcomes: Mapping[str, int]
    void_reasons: Mapping[str, int]
    endings: Mapping[str, int]
    passed: int
    judged: int
    score: Mean | None
    unscored: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskView:
    """One task under every arm.

    Attributes:
        cells: one for each arm, in the order of the arms.
        degenerate: "every trial passes" or "every trial fails": the task cannot tell the
            arms apart; None when it can, or when fewer than two trials were judged.
    """

    id: str
    title: str
    weight: float
    tags: tuple[str, ...]
    cells: tuple[CellView, ...]
    degenerate: str | None


def task_view(
    task: TaskRecord,
    arms: Sequence[ArmRecord],
    trials: Sequence[TrialRecord],
    planned: Mapping[tuple[str, str], int],
) -> TaskView:
    """A task from its trials; `planned` counts trials by task and arm."""
    return TaskView(
        id=task.id,
        title=task.title,
        weight=task.weight,
        tags=tuple(task.tags),
        cells=tuple(
            _cell_view(
                arm.id, [trial for trial in trials if trial.arm == arm.id], planned.get((task.id, arm.id), 0)
            )
            for arm in arms
        ),
        degenerate=_degenerate(trials),
    )


def _cell_view(arm: str, trials: Sequence[TrialRecord], planned: int) -> CellView:
    return CellView(
        arm=arm,
        planned=planned,
        recorded=len(trials),
        outcomes=totals.count_outcomes(trials),
        void_reasons=totals.count_void_reasons(trials),
        endings=totals.count_endings(trials),
        passed=sum(trial.outcome in PASSED for trial in trials),
        judged=sum(trial.outcome in JUDGED for trial in trials),
        score=totals.mean_score(trials),
        unscored=sum(map(totals.is_unscored, trials)),
    )


def _degenerate(trials: Sequence[TrialRecord]) -> str | None:
    passed = [trial.outcome in PASSED for trial in trials if trial.outcome in JUDGED]
    if len(passed) < 2:
        return None
    if all(passed):
        return "every trial passes"
    return None if any(passed) else "every trial fails"
