"""The facts of one trial as they become known, and the record that is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bakeoff import __version__
from bakeoff.identity import digest, display_path, plain
from bakeoff.model.check import Change, Check, Verdict
from bakeoff.model.trajectory import Trajectory
from bakeoff.model.trial import (
    ChangeRecord,
    Digests,
    Ending,
    Finding,
    Outcome,
    TrialRecord,
    TrialSpec,
    UsageRecord,
    VerdictRecord,
    VoidReason,
)
from bakeoff.plan.digests import digest_placements
from bakeoff.run.stopwatch import Stopwatch
from bakeoff.run.workbench import Workbench
from bakeoff.workspace.environment import ChildEnvironment

CHANGES_KEPT = 5_000
"""Changed paths listed in a record; checks see all of them, and the archive holds both trees."""

_SECONDS_OF_OTHERS = frozenset({"setup", "agent", "checks"})
"""Stages in which programs of the task or the agent run; the rest is Bakeoff's own time."""


@dataclass(slots=True, kw_only=True)
class Draft:
    """What is known so far; every stage of a trial fills in its part."""

    id: str
    started_at: datetime
    watch: Stopwatch = field(default_factory=Stopwatch)
    ending: Ending = Ending.NOT_STARTED
    outcome: Outcome = Outcome.VOID
    void: VoidReason | None = None
    detail: str = ""
    exit_code: int | None = None
    signal: int | None = None
    agent_s: float | None = None
    trajectory: Trajectory | None = None
    checks: Sequence[Check] = ()
    verdicts: Sequence[Verdict] = ()
    score: float | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    base_commit: str | None = None
    baseline_tree: str | None = None
    final_tree: str | None = None
    changes: Sequence[Change] = ()
    diff_paths: frozenset[bytes] = frozenset()
    left_out: Sequence[str] = ()
    findings: list[Finding] = field(default_factory=list)
    environment: ChildEnvironment | None = None
    artifacts: dict[str, str] = field(default_factory=dict)

    def find(self, kind: str, detail: str) -> None:
        """Note something that a reader of the record should know."""
        self.findings.append(Finding(kind=kind, detail=detail))

    def make_void(self, reason: VoidReason, detail: str) -> None:
        """This trial says nothing about the agent."""
        self.outcome, self.void, self.detail = Outcome.VOID, reason, detail


def record_of(draft: Draft, spec: TrialSpec, bench: Workbench) -> TrialRecord:
    """The record of a trial, from what is known when it has ended."""
    task = bench.tasks[spec.task.key]
    probe = bench.probes[spec.arm.id]
    trajectory = draft.trajectory
    roster = trajectory.roster if trajectory else None
    seconds = draft.watch.seconds
    record = TrialRecord(
        id=draft.id,
        experiment=bench.experiment,
        suite=spec.suite,
        task=task.name,
        arm=spec.arm.id,
        repeat=spec.repeat,
        order=spec.order,
        outcome=draft.outcome,
        void_reason=draft.void,
        ending=draft.ending,
        detail=draft.detail,
        started_at=draft.started_at.isoformat(timespec="milliseconds"),
        finished_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        agent_s=draft.agent_s,
        setup_s=seconds.get("setup"),
        checks_s=seconds.get("checks"),
        overhead_s=sum(value for stage, value in seconds.items() if stage not in _SECONDS_OF_OTHERS),
        exit_code=draft.exit_code,
        signal=draft.signal,
        score=draft.score,
        weight=task.weight,
        tags=list(task.tags),
        metrics=draft.metrics,
        verdicts=[_verdict(*pair) for pair in zip(draft.checks, draft.verdicts, strict=True)],
        usage=_usage(trajectory),
        turns=trajectory.turns if trajectory else None,
        model_calls=trajectory.model_calls if trajectory else None,
        tool_calls=len(trajectory.tool_calls) if trajectory and "tools" not in trajectory.untold else None,
        denials=len(trajectory.denials) if trajectory and "denials" not in trajectory.untold else None,
        retries=len(trajectory.retries) if trajectory else 0,
        skills=list(trajectory.skills) if trajectory and "skills" not in trajectory.untold else None,
        harness=spec.arm.harness,
        harness_version=(roster.version if roster else None) or probe.version,
        model_asked=spec.arm.model,
        model_answered=list(trajectory.model_answered) if trajectory else [],
        session_id=trajectory.session_id if trajectory else None,
        roster=plain(roster) if roster else None,
        base_commit=draft.base_commit,
        baseline_tree=draft.baseline_tree,
        final_tree=draft.final_tree,
        changes=[
            ChangeRecord(
                path=display_path(change.path),
                kind=change.kind,
                tracked=change.tracked,
                ignored=change.ignored,
                in_diff=change.path in draft.diff_paths,
            )
            for change in draft.changes[:CHANGES_KEPT]
        ],
        left_out=list(draft.left_out),
        findings=draft.findings,
        sandbox=bench.supervisor.name,
        protections=dict(bench.supervisor.protections),
        digests=_digests(draft, spec, bench),
        environment=dict(draft.environment.sources) if draft.environment else {},
        bakeoff_version=__version__,
        notes=dict(spec.arm.notes),
        artifacts=draft.artifacts,
        timings=dict(seconds),
    )
    # Whatever an agent or a check printed may hold a credential.
    return TrialRecord.model_validate(bench.redactor.redact_value(record.model_dump(mode="json")))


def _verdict(check: Check, verdict: Verdict) -> VerdictRecord:
    return VerdictRecord(
        check=check.id,
        type=check.type_name,
        aspect=check.aspect,
        required=check.required,
        status=verdict.status,
        reason=verdict.reason,
        code=verdict.code,
        evidence=verdict.evidence,
        score=verdict.score,
        score_error=verdict.score_error,
        numbers=dict(verdict.numbers),
        document=verdict.document,
        duration_s=verdict.duration_s,
        known_issue=check.known_issue,
    )


def _usage(trajectory: Trajectory | None) -> UsageRecord:
    if trajectory is None:
        return UsageRecord()
    usage = trajectory.usage
    return UsageRecord(
        input=usage.input,
        cache_read=usage.cache_read,
        cache_write=usage.cache_write,
        output=usage.output,
        reasoning=usage.reasoning,
        source=trajectory.usage_source,
        cost_usd=trajectory.cost_usd,
        cost_source=trajectory.cost_source,
    )


def _digests(draft: Draft, spec: TrialSpec, bench: Workbench) -> Digests:
    facts = bench.facts[spec.task.key]
    placements = digest_placements(spec.arm.placements)
    ready = bench.arms[spec.arm.id]
    of_arm = digest(ready.options)
    return Digests(
        task=facts.task,
        prompt=facts.prompt,
        checks=facts.checks,
        contents=dict(facts.contents),
        setup=digest(bench.tasks[spec.task.key].setup),
        placements=placements,
        options=digest(ready.options_for(spec.task)),
        arm=digest([spec.arm.harness, spec.arm.model, of_arm, placements]),
        environment=draft.environment.digest() if draft.environment else digest(None),
    )
