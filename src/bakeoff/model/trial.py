"""Trials: what is planned, how the agent's part ended, and what is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, ValidationInfo, model_validator

from bakeoff.model.storable import storable
from bakeoff.model.suite import Arm, Task


class Ending(StrEnum):
    """How the agent's part of a trial ended; a fact apart from the outcome."""

    COMPLETED = "completed"
    TIMEOUT = "timeout"
    TURN_LIMIT = "turn_limit"
    CRASHED = "crashed"
    NOT_STARTED = "not_started"


class Outcome(StrEnum):
    """What a trial counts as."""

    PASS = "pass"
    FAIL = "fail"
    TIMEOUT = "timeout"
    KNOWN_ISSUE = "known_issue"
    UNEXPECTED_PASS = "unexpected_pass"
    NOT_JUDGED = "not_judged"
    VOID = "void"


class VoidReason(StrEnum):
    """Why a trial says nothing about the agent; only what it cannot bring about itself."""

    API_ERROR = "api_error"
    RATE_LIMIT = "rate_limit"
    AUTHENTICATION = "authentication"
    HARNESS_MISSING = "harness_missing"
    SETUP_FAILED = "setup_failed"
    VERIFIER_BROKEN = "verifier_broken"
    HOST = "host"
    BUDGET = "budget"
    CANCELLED = "cancelled"
    BUG = "bug"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSpec:
    """One planned trial.

    Attributes:
        suite: the name of the task's suite.
        task: the task.
        arm: the arm.
        repeat: 1 for the first trial of this task and arm.
        order: place in the experiment's order, from 0.
    """

    suite: str
    task: Task
    arm: Arm
    repeat: int
    order: int

    @property
    def key(self) -> str:
        """`suite::task::arm::repeat`, unique within an experiment."""
        return f"{self.suite}::{self.task.name}::{self.arm.id}::{self.repeat}"


STORED = object()
"""Validation context of what a store wrote: it was made storable before, which takes time."""


class Record(BaseModel):
    """A stored value: strict at the border, frozen inside."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _make_storable(cls, data: object, info: ValidationInfo) -> object:
        """Escape lone surrogates and refuse NaN, so that every record can be stored and read back."""
        if not isinstance(data, Mapping) or info.context is STORED:
            return data
        return {name: storable(value) for name, value in data.items()}


class VerdictRecord(Record):
    """The stored verdict of one check."""

    check: str
    type: str
    aspect: str = "correctness"
    required: bool = True
    status: str
    reason: str
    code: str = ""
    evidence: str = ""
    score: float | None = None
    score_error: str | None = None
    numbers: dict[str, float] = {}
    document: object = None
    duration_s: float | None = None
    known_issue: str | None = None


class Digests(Record):
    """SHA-256 of everything that went into a trial."""

    task: str
    prompt: str
    checks: str
    contents: dict[str, str] = {}
    """Path as the task names it to digest: injected files, overlays, objectives."""
    setup: str
    placements: str
    options: str
    arm: str
    environment: str


class UsageRecord(Record):
    """Tokens and money, each with where it comes from."""

    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None
    source: str = "unknown"
    cost_usd: float | None = None
    cost_source: str = "unknown"


class ChangeRecord(Record):
    r"""A changed path as it is shown; bytes that are not UTF-8 are written `\xNN`."""

    path: str
    kind: str
    tracked: bool = False
    ignored: bool = False
    in_diff: bool = True
    """False for ignored paths, and where the content before or after is not archived."""


class Finding(Record):
    """Something noticed that a reader should know: tampering, leftovers, missing protections."""

    kind: str
    detail: str


class TrialRecord(Record):
    """Everything recorded about one trial.

    Times are UTC in ISO 8601; durations are seconds.
    """

    schema_version: int = 1
    id: str
    experiment: str
    suite: str
    task: str
    """`id`, or `id::case`; unique within the suite."""
    arm: str
    repeat: int
    order: int
    outcome: Outcome
    void_reason: VoidReason | None = None
    ending: Ending
    detail: str = ""
    """One sentence: why this outcome."""
    started_at: str
    finished_at: str
    agent_s: float | None = None
    setup_s: float | None = None
    checks_s: float | None = None
    overhead_s: float | None = None
    exit_code: int | None = None
    signal: int | None = None
    score: float | None = None
    weight: float = 1.0
    tags: list[str] = []
    metrics: dict[str, float] = {}
    verdicts: list[VerdictRecord] = []
    usage: UsageRecord = UsageRecord()
    turns: int | None = None
    model_calls: int | None = None
    tool_calls: int | None = None
    denials: int | None = None
    retries: int = 0
    skills: list[str] | None = None
    harness: str
    harness_version: str | None = None
    model_asked: str | None = None
    model_answered: list[str] = []
    session_id: str | None = None
    roster: dict[str, object] | None = None
    base_commit: str | None = None
    baseline_tree: str | None = None
    final_tree: str | None = None
    changes: list[ChangeRecord] = []
    left_out: list[str] = []
    """Paths whose content is not archived, with the reason."""
    findings: list[Finding] = []
    sandbox: str
    protections: dict[str, bool] = {}
    digests: Digests
    environment: dict[str, str] = {}
    """Names of the variables the agent saw and where each came from; never values."""
    bakeoff_version: str
    notes: dict[str, object] = {}
    artifacts: dict[str, str] = {}
    """Kind to path, relative to the store's artifacts folder."""
    timings: dict[str, float] = {}
    """Seconds of Bakeoff's own work by stage, for the overhead benchmark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an experiment is; what a progress bar shows."""

    planned: int
    finished: int = 0
    running: int = 0
    outcomes: Mapping[str, int] = field(default_factory=dict)
    spent_usd: float = 0.0
    unpriced: int = 0
    elapsed_s: float = 0.0
