"""Records with sensible defaults, for tests of the store and of the reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bakeoff.identity import digest_text
from bakeoff.model.experiment import (
    ArmRecord,
    ExperimentRecord,
    ExperimentStatus,
    PlannedTrial,
    TaskRecord,
)
from bakeoff.model.trial import (
    Digests,
    Ending,
    Outcome,
    TrialRecord,
    UsageRecord,
    VerdictRecord,
    VoidReason,
)

EXPERIMENT = "exp_0a1b2c3d4e5f6a7b8"
PROTECTIONS = {"store hidden": True, "network": True}


def a_verdict(check: str = "hidden", status: str = "passed", **fields: Any) -> VerdictRecord:
    """A verdict of a command."""
    reason = {"passed": "exit code 0", "failed": "exit code 1, expected 0"}.get(status, status)
    return VerdictRecord(**{"check": check, "type": "command", "status": status, "reason": reason, **fields})


def some_digests(task: str = "fix-bug", arm: str = "right") -> Digests:
    """The digests of a trial of that task and arm."""
    return Digests(
        task=digest_text(f"task {task}"),
        prompt=digest_text(f"prompt {task}"),
        checks=digest_text(f"checks {task}"),
        contents={"verify/test_hidden.py": digest_text(f"hidden {task}")},
        setup=digest_text("setup"),
        placements=digest_text("placements"),
        options=digest_text(f"options {arm}"),
        arm=digest_text(f"arm {arm}"),
        environment=digest_text("environment"),
    )


def a_trial(**fields: Any) -> TrialRecord:
    """A trial that passed, unless `fields` say otherwise."""
    task, arm = fields.get("task", "fix-bug"), fields.get("arm", "right")
    repeat = fields.get("repeat", 1)
    outcome = Outcome(fields.get("outcome", Outcome.PASS))
    passed = outcome is Outcome.PASS
    defaults: dict[str, Any] = {
        "id": f"trial_{task}_{arm}_{repeat}",
        "experiment": EXPERIMENT,
        "suite": "demo",
        "task": task,
        "arm": arm,
        "repeat": repeat,
        "order": 0,
        "outcome": outcome,
        "ending": Ending.COMPLETED,
        "detail": "" if passed else "check hidden failed: exit code 1, expected 0",
        "started_at": "2026-03-01T10:00:00.000+00:00",
        "finished_at": "2026-03-01T10:00:12.500+00:00",
        "agent_s": 12.5,
        "setup_s": 0.5,
        "checks_s": 1.25,
        "overhead_s": 0.08,
        "exit_code": 0,
        "verdicts": [a_verdict(status="passed" if passed else "failed")],
        "usage": UsageRecord(
            input=1_000, cache_read=9_000, cache_write=0, output=500, source="reported",
            cost_usd=0.05, cost_source="reported",
        ),
        "turns": 4,
        "model_calls": 4,
        "tool_calls": 3,
        "denials": 0,
        "skills": [],
        "harness": "claude_code",
        "harness_version": "2.0.1",
        "model_asked": "claude-sonnet-5",
        "model_answered": ["claude-sonnet-5"],
        "sandbox": "bubblewrap",
        "protections": PROTECTIONS,
        "digests": some_digests(task, arm),
        "bakeoff_version": "0.0.1",
    }  # fmt: skip
    return TrialRecord(**{**defaults, **fields})


def a_void_trial(reason: VoidReason = VoidReason.RATE_LIMIT, **fields: Any) -> TrialRecord:
    """A trial that says nothing about the agent."""
    defaults: dict[str, Any] = {
        "outcome": Outcome.VOID,
        "void_reason": reason,
        "ending": Ending.CRASHED,
        "detail": "the API answered 429 until the harness gave up",
        "verdicts": [],
        "usage": UsageRecord(),
    }
    return a_trial(**{**defaults, **fields})


def an_experiment(
    tasks: Sequence[str] = ("fix-bug",),
    arms: Sequence[str] = ("right",),
    repeats: int = 1,
    **fields: Any,
) -> ExperimentRecord:
    """A finished experiment over some tasks and arms."""
    defaults: dict[str, Any] = {
        "id": EXPERIMENT,
        "name": "demo",
        "suite": "demo",
        "suite_path": "/suites/demo.yaml",
        "status": ExperimentStatus.FINISHED,
        "created_at": "2026-03-01T09:59:59.000+00:00",
        "finished_at": "2026-03-01T10:05:00.000+00:00",
        "seed": 0,
        "jobs": 2,
        "repeats": repeats,
        "arms": [an_arm(arm) for arm in arms],
        "tasks": [a_task(task) for task in tasks],
        "planned": [
            PlannedTrial(task=task, arm=arm, repeat=repeat)
            for task in tasks
            for repeat in range(1, repeats + 1)
            for arm in arms
        ],
        "sandbox": "bubblewrap",
        "protections": PROTECTIONS,
        "environment": {"python": "3.11.7", "git": "2.39.5"},
        "bakeoff_version": "0.0.1",
    }
    return ExperimentRecord(**{**defaults, **fields})


def an_arm(arm: str = "right", **fields: Any) -> ArmRecord:
    """An arm on Claude Code."""
    defaults: dict[str, Any] = {
        "id": arm,
        "harness": "claude_code",
        "harness_version": "2.0.1",
        "model": "claude-sonnet-5",
        "options": {"max_turns": 40},
        "digest": digest_text(f"arm {arm}"),
    }
    return ArmRecord(**{**defaults, **fields})


def a_task(task: str = "fix-bug", **fields: Any) -> TaskRecord:
    """A task as recorded."""
    defaults: dict[str, Any] = {
        "id": task,
        "title": task,
        "dialect": "harness_lab",
        "prompt": f"Do {task}.",
        "prompt_digest": digest_text(f"prompt {task}"),
        "digest": digest_text(f"task {task}"),
    }
    return TaskRecord(**{**defaults, **fields})


def over(planned: Sequence[PlannedTrial], **fields: Any) -> ExperimentRecord:
    """An experiment over planned trials, whose tasks may belong to several suites."""
    tasks = {(trial.suite, trial.task): None for trial in planned}
    arms = list(dict.fromkeys(trial.arm for trial in planned))
    named = [a_task(task).model_copy(update={"suite": suite}) for suite, task in tasks]
    experiment = an_experiment([], arms, **fields)
    return experiment.model_copy(update={"tasks": named, "planned": list(planned)})
