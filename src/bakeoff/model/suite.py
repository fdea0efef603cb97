"""Suites, tasks and arms: what a format's files mean once they are loaded.

Everything here is frozen and complete: paths are absolute, defaults are filled in, and
nothing says which dialect is right about a rule. Where dialects differ, a field says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from bakeoff.errors import Problem, Where
from bakeoff.model.check import Check


class Dialect(StrEnum):
    """The file format that a suite was written in."""

    ABLATE = "ablate"
    AGENT_EXAM = "agent_exam"
    HARNESS_LAB = "harness_lab"
    NATIVE = "native"


class OnTimeout(StrEnum):
    """What a trial counts as whose agent ran out of time."""

    TIMEOUT = "timeout"
    """The outcome is `timeout`; checks are evaluated and recorded all the same."""
    GRADE = "grade"
    """It is judged like any other trial and may pass (Harness Lab)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GitStart:
    """Starting files: one commit of a git repository, without its history.

    Attributes:
        repository: a work tree, linked work tree or bare repository.
        revision: what the file says: any commit-ish.
        commit: the full id it was resolved to when the file was loaded; None when the
            repository could not be asked yet.
        hide: globs of files that are neither on disk nor in the sealed commit.
    """

    repository: Path
    revision: str = "HEAD"
    commit: str | None = None
    hide: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderStart:
    """Starting files: a copy of a plain directory, made one deterministic commit.

    Attributes:
        folder: the directory; None is an empty one.
        leave_out: names that are not copied, at any depth (caches, `.git`).
    """

    folder: Path | None
    leave_out: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Commands that prepare the environment before the agent starts.

    Attributes:
        commands: shell commands, run in order; each must exit 0.
        timeout_s: seconds for each command.
        must_leave_clean: commands may leave only ignored files behind (Harness Lab).
    """

    commands: tuple[str, ...] = ()
    timeout_s: float = 1800.0
    must_leave_clean: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What a suite or task says about environment variables; `unset` is applied last."""

    pass_through: tuple[str, ...] = ()
    set: Mapping[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()


class PlacementKind(StrEnum):
    """What Bakeoff lays before the agent besides the starting files."""

    INSTRUCTIONS = "instructions"
    SKILLS = "skills"
    BUNDLE = "bundle"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Something laid into the workspace that is never the agent's change.

    Attributes:
        kind: what it is.
        name: what people call it ("CLAUDE.md", "no instructions", "skills").
        target: where it goes, relative to the workspace, with `/`.
        source: a file or directory to copy there; None removes what is at `target`.
    """

    kind: PlacementKind
    name: str
    target: str
    source: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of the agent's part of a trial.

    Attributes:
        timeout_s: wall-clock seconds for each round.
        rounds: how often the harness is launched; more than one only to improve something.
    """

    timeout_s: float = 600.0
    rounds: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The reference solution of a task, used by the scripted harness and by `--prove`."""

    overlay: Path | None = None
    partial_overlay: Path | None = None
    improve_overlays: tuple[Path, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """How an improvement task measures one number."""

    command: str
    direction: str = "minimize"
    unit: str = ""
    target: float | None = None
    repeats: int = 1
    timeout_s: float = 120.0
    inject: tuple[tuple[Path, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Improvement:
    """What makes a task an improvement task."""

    objective: Objective
    rounds: int = 3
    keep_best: bool = True
    min_improvement: float = 0.0
    evaluator_budget: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """A file of the repository that holds a secret token."""

    path: str
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Safety:
    """Traps that make a task a safety measurement."""

    canaries: tuple[Canary, ...] = ()
    lure_urls: tuple[str, ...] = ()


RUNNER = "runner"
"""The unsupported field of an arm whose harness cannot be run yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsupported:
    """A field that is loaded and validated, but that `run` cannot honour yet."""

    field: str
    where: Where


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A prompt, starting files, checks and limits.

    Attributes:
        id: unique within its suite; never used as a path.
        title: display name; the id where the format has none.
        description: for people only, never shown to an agent.
        version: an integer that an author raises when the task changes its meaning.
        config_path: where an instruction file is placed, relative to the workspace.
        environment: variables of this task; a dialect's `setup.env` is `environment.set`.
        weight: of this task in every mean, >= 0.
        on_timeout: whether a trial that ran out of time may still pass.
        verify_crashed: whether a trial whose harness crashed may still pass (Harness Lab).
        known_issue: why the whole task is expected to fail; None when it is not.
        suite: name of the suite that it belongs to, where one file or project holds several;
            None is the suite that it was loaded with. Ids are unique within it.
        case: which case of the task file it is (agent-exam triggers); None where there is one only.
        held_back_by: tags each of which keeps it out of a selection that does not ask for that tag.
        concurrency_group: name of the limiter that it shares with other tasks; None without one.
        harness_options: options laid over those of an arm, by harness; each is for that harness alone.
        unsupported: fields that `run` refuses, with their places.
        where: the place of the task in its file.
    """

    id: str
    title: str
    prompt: str
    start: GitStart | FolderStart
    checks: tuple[Check, ...]
    where: Where
    dialect: Dialect
    description: str = ""
    version: int = 1
    setup: Setup = Setup()
    environment: Environment = Environment()
    limits: Limits = Limits()
    config_path: str = "CLAUDE.md"
    reference: Reference = Reference()
    improvement: Improvement | None = None
    safety: Safety | None = None
    weight: float = 1.0
    tags: tuple[str, ...] = ()
    on_timeout: OnTimeout = OnTimeout.TIMEOUT
    verify_crashed: bool = False
    known_issue: str | None = None
    suite: str | None = None
    case: str | None = None
    held_back_by: tuple[str, ...] = ()
    concurrency_group: str | None = None
    harness_options: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    unsupported: tuple[Unsupported, ...] = ()

    @property
    def name(self) -> str:
        """`id`, or `id::case`: unique within its suite, and what records call it."""
        return self.id if self.case is None else f"{self.id}::{self.case}"

    @property
    def key(self) -> str:
        """`suite::name` where it names its suite: unique within an experiment."""
        return self.name if self.suite is None else f"{self.suite}::{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """What is compared: a harness with a model, options and placements.

    Attributes:
        id: unique within the experiment.
        harness: the adapter's name ("claude_code", "fake").
        model: the model asked for; None leaves it to the harness.
        options: as written; the adapter's Options class validates them.
        placements: laid into every workspace of this arm.
        notes: recorded and shown, without effect (Harness Lab's recorded-only keys).
        model_aliases: short names that `--model` may use in place of a model.
        unsupported: fields that `run` refuses, with their places.
        where: the place in its file; None for built-in arms.
    """

    id: str
    harness: str
    model: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    placements: tuple[Placement, ...] = ()
    notes: Mapping[str, object] = field(default_factory=dict)
    model_aliases: Mapping[str, str] = field(default_factory=dict)
    unsupported: tuple[Unsupported, ...] = ()
    where: Where | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A named set of tasks with its arms.

    Attributes:
        name: as shown; a directory of ablate tasks is named after its project.
        path: the file or directory it was loaded from.
        other_paths: further ones, where several suites are run together.
        arms: what runs when the command line selects no arm.
        known_arms: every arm that may be selected by id, built-in ones included.
        repeats: how many trials for each task and arm; None when the file does not say.
        jobs: how many trials at once; None when the file does not say.
        plugins: Python modules that `run` imports first.
        warnings: problems that do not stop anything, in order.
        unsupported: fields that `run` refuses, with their places.
        min_tasks_for_interval: below this many tasks no interval is computed.
        experiment_name: what an experiment file calls it.
        concurrency_groups: how many trials of each group may run at once, >= 1, by name.
        declared_tags: tags that may be asked for although none of these tasks has them.
    """

    name: str
    path: Path
    dialect: Dialect
    tasks: tuple[Task, ...]
    arms: tuple[Arm, ...] = ()
    known_arms: tuple[Arm, ...] = ()
    description: str = ""
    repeats: int | None = None
    jobs: int | None = None
    plugins: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()
    unsupported: tuple[Unsupported, ...] = ()
    min_tasks_for_interval: int | None = None
    experiment_name: str | None = None
    keep_workspaces: bool = False
    concurrency_groups: Mapping[str, int] = field(default_factory=dict)
    declared_tags: tuple[str, ...] = ()
    other_paths: tuple[Path, ...] = ()
