"""What is recorded about an experiment as a whole, before its first trial starts."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from bakeoff.model.trial import Record


class ExperimentStatus(StrEnum):
    """Whether an experiment is still going on."""

    RUNNING = "running"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped"
    """Bakeoff ended it: the budget, or first trials that were all void."""


class ArmRecord(Record):
    """An arm as it was used."""

    id: str
    harness: str
    harness_version: str | None = None
    model: str | None = None
    options: dict[str, object] = Field(default_factory=dict)
    placements: list[dict[str, object]] = Field(default_factory=list)
    notes: dict[str, object] = Field(default_factory=dict)
    digest: str


class TaskRecord(Record):
    """A task as it was used."""

    suite: str | None = None
    """The suite that it belongs to; None is that of the experiment."""
    id: str
    """As trials call it: `id`, or `id::case`."""
    title: str
    description: str = ""
    dialect: str
    prompt: str
    prompt_digest: str
    digest: str
    weight: float = 1.0
    tags: list[str] = Field(default_factory=list)
    base_commit: str | None = None


class PlannedTrial(Record):
    """One trial of the plan, in the order in which they are started."""

    suite: str | None = None
    """The suite of its task; None is that of the experiment."""
    task: str
    arm: str
    repeat: int


class ExperimentRecord(Record):
    """Everything recorded about an experiment; times are UTC in ISO 8601."""

    schema_version: int = 1
    id: str
    name: str
    suite: str
    suite_path: str
    status: ExperimentStatus
    status_reason: str = ""
    created_at: str
    finished_at: str | None = None
    seed: int
    jobs: int
    repeats: int
    strategy: str = "fixed"
    arms: list[ArmRecord]
    tasks: list[TaskRecord]
    planned: list[PlannedTrial]
    warnings: list[str] = Field(default_factory=list)
    sandbox: str
    protections: dict[str, bool] = Field(default_factory=dict)
    environment: dict[str, str] = Field(default_factory=dict)
    """Facts of the machine: operating system, Python, git."""
    bakeoff_version: str
    owner_pid: int | None = None
    owner_host: str | None = None
