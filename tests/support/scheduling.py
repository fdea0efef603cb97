"""Schedules of made-up trials that run no agent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from support.records import a_trial

from bakeoff.errors import Where
from bakeoff.model.suite import Arm, Dialect, FolderStart, Task
from bakeoff.model.trial import Outcome, Progress, TrialRecord, TrialSpec, VoidReason
from bakeoff.run.groups import Groups
from bakeoff.run.schedule import Limiter, RunTrial, Schedule, Wait
from bakeoff.strategy.fixed import Fixed

NO_GROUPS = Groups(Path("/nonexistent"), {})


def make_specs(tasks: int, repeats: int = 1) -> tuple[TrialSpec, ...]:
    """Trials of one arm: every task once, then every task again."""
    arm = Arm(id="arm", harness="fake")
    cells = [(task, repeat) for repeat in range(1, repeats + 1) for task in range(tasks)]
    return tuple(
        TrialSpec(
            suite="made-up",
            task=Task(
                id=f"task-{task}",
                title="",
                prompt="",
                start=FolderStart(folder=None),
                checks=(),
                where=Where(Path("suite.yaml")),
                dialect=Dialect.HARNESS_LAB,
            ),
            arm=arm,
            repeat=repeat,
            order=order,
        )
        for order, (task, repeat) in enumerate(cells)
    )


def in_group(spec: TrialSpec, group: str) -> TrialSpec:
    """The same trial of a task that belongs to a group."""
    return replace(spec, task=replace(spec.task, concurrency_group=group))


def record_for(
    spec: TrialSpec,
    outcome: Outcome = Outcome.PASS,
    void_reason: VoidReason | None = None,
    cost: float | None = None,
) -> TrialRecord:
    """What a trial might have left."""
    record = a_trial(
        suite=spec.suite,
        task=spec.task.id,
        arm=spec.arm.id,
        repeat=spec.repeat,
        order=spec.order,
        outcome=outcome,
        void_reason=void_reason,
    )
    return record.model_copy(update={"usage": record.usage.model_copy(update={"cost_usd": cost})})


def schedule(
    specs: Sequence[TrialSpec],
    run_trial: RunTrial,
    *,
    jobs: int = 2,
    interrupt: Any = None,
    report: Callable[[TrialRecord, Progress], None] = lambda _record, _progress: None,
    limiter: Limiter = NO_GROUPS,
    wait: Wait = lambda _groups: None,
) -> Schedule:
    """A schedule of exactly these trials."""
    return Schedule(
        strategy=Fixed(specs=tuple(specs)),
        run_trial=run_trial,
        report=report,
        interrupt=interrupt or threading.Event(),
        jobs=jobs,
        planned=len(specs),
        limiter=limiter,
        wait=wait,
    )
