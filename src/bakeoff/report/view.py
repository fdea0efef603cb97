"""An experiment as every report shows it: all numbers and words are decided here, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.model.experiment import ExperimentRecord, ExperimentStatus
from bakeoff.model.trial import TrialRecord
from bakeoff.report import totals
from bakeoff.report.arm_view import ArmView, arm_view
from bakeoff.report.cautions import cautions
from bakeoff.report.check_view import CheckView, check_views
from bakeoff.report.finding_view import FindingView, finding_views
from bakeoff.report.several_suites import told_apart
from bakeoff.report.task_view import TaskView, task_view
from bakeoff.report.totals import Spending
from bakeoff.report.trial_line import TrialLine, trial_line
from bakeoff.store.selector import trial_address

ABANDONED = "abandoned"
"""Status of an experiment that says it is running although its process is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentView:
    """Everything that a report of an experiment says.

    Attributes:
        status: as recorded, or "abandoned".
        whole: all trials are shown; False for a part that an address named.
        cautions: warnings about the comparison itself; they stand above every number.
        suite_warnings: what loading the suite warned about.
        protections_missing: names of protections that were not in force in some trial.
        findings: what was noticed in trials, by kind: how many of them.
        noticed: the same in words, each once, with the trials in which it was noticed.
        checks: those that judge correctness; `style_checks` judge style and lint.
    """

    id: str
    name: str
    suite: str
    suite_path: str
    status: str
    status_reason: str
    created_at: str
    finished_at: str | None
    seed: int
    jobs: int
    repeats: int
    strategy: str
    sandbox: str
    bakeoff_version: str
    whole: bool
    planned: int
    recorded: int
    outcomes: Mapping[str, int]
    spending: Spending
    cautions: tuple[str, ...]
    suite_warnings: tuple[str, ...]
    protections_missing: tuple[str, ...]
    findings: Mapping[str, int]
    noticed: tuple[FindingView, ...]
    arms: tuple[ArmView, ...]
    tasks: tuple[TaskView, ...]
    checks: tuple[CheckView, ...]
    style_checks: tuple[CheckView, ...]
    trials: tuple[TrialLine, ...]


def experiment_view(
    experiment: ExperimentRecord,
    records: Sequence[TrialRecord],
    *,
    whole: bool = True,
    abandoned: bool = False,
) -> ExperimentView:
    """The view of an experiment from its trials, in whatever order they come.

    `whole` is False when `records` are a part of it only: then arms and tasks without a
    trial in that part are left out. `abandoned` says that its process is gone.
    """
    addresses = {record.id: trial_address(record) for record in records}
    experiment, trials = told_apart(experiment, records)
    trials.sort(key=_reading_order(experiment))
    arm_ids = {trial.arm for trial in trials}
    task_ids = {trial.task for trial in trials}
    arms = [arm for arm in experiment.arms if whole or arm.id in arm_ids]
    tasks = [task for task in experiment.tasks if whole or task.id in task_ids]
    plan = experiment.planned if whole else trials
    planned = Counter((trial.task, trial.arm) for trial in plan)
    by_arm = _grouped(trials, lambda trial: trial.arm)
    by_task = _grouped(trials, lambda trial: trial.task)
    checks = check_views(trials)
    running = abandoned and experiment.status is ExperimentStatus.RUNNING
    return ExperimentView(
        id=experiment.id,
        name=experiment.name,
        suite=experiment.suite,
        suite_path=experiment.suite_path,
        status=ABANDONED if running else str(experiment.status),
        status_reason=experiment.status_reason,
        created_at=experiment.created_at,
        finished_at=experiment.finished_at,
        seed=experiment.seed,
        jobs=experiment.jobs,
        repeats=experiment.repeats,
        strategy=experiment.strategy,
        sandbox=experiment.sandbox,
        bakeoff_version=experiment.bakeoff_version,
        whole=whole,
        planned=planned.total(),
        recorded=len(trials),
        outcomes=totals.count_outcomes(trials),
        spending=totals.spending_of(trials),
        cautions=cautions(trials, [arm.id for arm in arms], planned),
        suite_warnings=tuple(experiment.warnings),
        protections_missing=_protections_missing(experiment, trials),
        findings=dict(Counter(item.kind for trial in trials for item in trial.findings).most_common()),
        noticed=finding_views(trials),
        arms=tuple(arm_view(arm, by_arm.get(arm.id, ()), planned) for arm in arms),
        tasks=tuple(task_view(task, arms, by_task.get(task.id, ()), planned) for task in tasks),
        checks=tuple(check for check in checks if check.aspect == "correctness"),
        style_checks=tuple(check for check in checks if check.aspect != "correctness"),
        trials=tuple(trial_line(trial, addresses[trial.id]) for trial in trials),
    )


def _reading_order(experiment: ExperimentRecord) -> Callable[[TrialRecord], tuple[int, int, int, str]]:
    """By task, arm and repeat: the plan mixes them, which nobody wants to read."""
    tasks = {task.id: number for number, task in enumerate(experiment.tasks)}
    arms = {arm.id: number for number, arm in enumerate(experiment.arms)}
    return lambda trial: (
        tasks.get(trial.task, len(tasks)),
        arms.get(trial.arm, len(arms)),
        trial.repeat,
        trial.id,
    )


def _grouped(
    trials: Sequence[TrialRecord], key: Callable[[TrialRecord], str]
) -> dict[str, list[TrialRecord]]:
    groups: dict[str, list[TrialRecord]] = {}
    for trial in trials:
        groups.setdefault(key(trial), []).append(trial)
    return groups


def _protections_missing(experiment: ExperimentRecord, trials: Sequence[TrialRecord]) -> tuple[str, ...]:
    recorded = [experiment.protections, *(trial.protections for trial in trials)]
    return tuple(sorted({name for names in recorded for name, held in names.items() if not held}))
