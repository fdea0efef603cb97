"""One trial as every report shows it: what it came to, why, and everything that was noticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from bakeoff.model.experiment import ExperimentRecord
from bakeoff.model.trajectory import Denial, Retry, Trajectory
from bakeoff.model.trial import ChangeRecord, Finding, TrialRecord, UsageRecord, VerdictRecord
from bakeoff.report.marks import verdict_mark
from bakeoff.report.trial_line import TrialLine, trial_line
from bakeoff.store.selector import trial_address


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialView:
    """Everything that a report of one trial says.

    Attributes:
        line: the facts that stand in every list of trials.
        experiment_name: what people call the experiment.
        title: the task's display name.
        prompt: what the agent was asked; None when the plan does not have the task any more.
        verdicts: of checks that judge correctness; `style_verdicts` judge style and lint.
        marks: check to its mark, for verdicts that do not decide; see `report.marks`.
        tools: calls by tool, most frequent first; None without a trajectory.
        denied: each refused action; None without a trajectory.
        retried: each model call that was tried again; None without a trajectory.
        final_text: the agent's last words; None when it had none or they are unknown.
        setup_output: what setup printed, where it is the reason why the trial is void.
        source_commit: full id of the commit that the starting files were taken from; None
            when they came from a plain directory.
        base_commit: the one commit of the workspace, made of those files.
        protections_missing: names of protections that were not in force.
    """

    line: TrialLine
    experiment: str
    experiment_name: str
    suite: str
    title: str
    prompt: str | None
    started_at: str
    finished_at: str
    agent_s: float | None
    setup_s: float | None
    checks_s: float | None
    overhead_s: float | None
    exit_code: int | None
    signal: int | None
    weight: float
    tags: tuple[str, ...]
    metrics: Mapping[str, float]
    verdicts: tuple[VerdictRecord, ...]
    style_verdicts: tuple[VerdictRecord, ...]
    marks: Mapping[str, str]
    usage: UsageRecord
    turns: int | None
    model_calls: int | None
    tool_calls: int | None
    tools: Mapping[str, int] | None
    denied: tuple[Denial, ...] | None
    retries: int
    retried: tuple[Retry, ...] | None
    skills: tuple[str, ...] | None
    final_text: str | None
    setup_output: str | None
    harness: str
    harness_version: str | None
    model_asked: str | None
    models_answered: tuple[str, ...]
    session_id: str | None
    roster: Mapping[str, object] | None
    source_commit: str | None
    base_commit: str | None
    baseline_tree: str | None
    final_tree: str | None
    changes: tuple[ChangeRecord, ...]
    left_out: tuple[str, ...]
    findings: tuple[Finding, ...]
    sandbox: str
    protections_missing: tuple[str, ...]
    digests: Mapping[str, object]
    environment: Mapping[str, str]
    notes: Mapping[str, object]
    artifacts: Mapping[str, str]
    timings: Mapping[str, float]
    bakeoff_version: str


def trial_view(
    experiment: ExperimentRecord,
    trial: TrialRecord,
    trajectory: Trajectory | None = None,
    *,
    setup_output: str | None = None,
) -> TrialView:
    """The view of a trial; with its trajectory it also tells of single calls."""
    task = next(
        (
            task
            for task in experiment.tasks
            if task.id == trial.task and (task.suite or experiment.suite) == trial.suite
        ),
        None,
    )
    return TrialView(
        line=trial_line(trial, trial_address(trial)),
        experiment=experiment.id,
        experiment_name=experiment.name,
        suite=trial.suite,
        title=task.title if task else trial.task,
        prompt=task.prompt if task else None,
        started_at=trial.started_at,
        finished_at=trial.finished_at,
        agent_s=trial.agent_s,
        setup_s=trial.setup_s,
        checks_s=trial.checks_s,
        overhead_s=trial.overhead_s,
        exit_code=trial.exit_code,
        signal=trial.signal,
        weight=trial.weight,
        tags=tuple(trial.tags),
        metrics=trial.metrics,
        verdicts=tuple(item for item in trial.verdicts if item.aspect == "correctness"),
        style_verdicts=tuple(item for item in trial.verdicts if item.aspect != "correctness"),
        marks={item.check: mark for item in trial.verdicts if (mark := verdict_mark(item)) is not None},
        usage=trial.usage,
        turns=trial.turns,
        model_calls=trial.model_calls,
        tool_calls=trial.tool_calls,
        tools=_tools(trajectory),
        denied=trajectory.denials if trajectory else None,
        retries=trial.retries,
        retried=trajectory.retries if trajectory else None,
        skills=None if trial.skills is None else tuple(trial.skills),
        final_text=trajectory.final_text if trajectory else None,
        setup_output=setup_output,
        harness=trial.harness,
        harness_version=trial.harness_version,
        model_asked=trial.model_asked,
        models_answered=tuple(trial.model_answered),
        session_id=trial.session_id,
        roster=trial.roster,
        source_commit=task.base_commit if task else None,
        base_commit=trial.base_commit,
        baseline_tree=trial.baseline_tree,
        final_tree=trial.final_tree,
        changes=tuple(trial.changes),
        left_out=tuple(trial.left_out),
        findings=tuple(trial.findings),
        sandbox=trial.sandbox,
        protections_missing=tuple(sorted(name for name, held in trial.protections.items() if not held)),
        digests=trial.digests.model_dump(),
        environment=trial.environment,
        notes=trial.notes,
        artifacts=trial.artifacts,
        timings=trial.timings,
        bakeoff_version=trial.bakeoff_version,
    )


def _tools(trajectory: Trajectory | None) -> Mapping[str, int] | None:
    if trajectory is None:
        return None
    return dict(Counter(call.name for call in trajectory.tool_calls).most_common())
