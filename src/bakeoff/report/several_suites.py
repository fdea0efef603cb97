"""Names of tasks where an experiment holds several suites: the same id may stand in two of them."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.model.experiment import ExperimentRecord
from bakeoff.model.trial import TrialRecord


def told_apart(
    experiment: ExperimentRecord, records: Sequence[TrialRecord]
) -> tuple[ExperimentRecord, list[TrialRecord]]:
    """The same with every task called `suite::task`, where there are several suites."""
    if not has_several(experiment):
        return experiment, list(records)
    tasks = [
        task.model_copy(update={"id": _name(task.suite or experiment.suite, task.id)})
        for task in experiment.tasks
    ]
    planned = [
        trial.model_copy(update={"task": _name(trial.suite or experiment.suite, trial.task)})
        for trial in experiment.planned
    ]
    return (
        experiment.model_copy(update={"tasks": tasks, "planned": planned}),
        [with_suite(record) for record in records],
    )


def with_suite(record: TrialRecord) -> TrialRecord:
    """The record with its task called `suite::task`, to be shown and never to be stored."""
    return record.model_copy(update={"task": _name(record.suite, record.task)})


def has_several(experiment: ExperimentRecord) -> bool:
    """Whether its tasks belong to more than one suite."""
    return len({task.suite or experiment.suite for task in experiment.tasks}) > 1


def _name(suite: str, task: str) -> str:
    return f"{suite}::{task}"
