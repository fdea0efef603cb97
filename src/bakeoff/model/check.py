"""Checks and their verdicts, and what a check may see and do.

A check is one class: its fields are the native YAML keys, its docstring is its reference
page, `evaluate` is its behaviour. It sees the trial through `Evidence` and acts through
`Context`; both are supplied by the run layer, so a check never starts a process itself.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar, Protocol, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bakeoff.model.trajectory import Trajectory


class Status(StrEnum):
    """How a check judged a trial."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The judgement of one check on one trial.

    Attributes:
        status: passed, failed, error or skipped.
        reason: one sentence for people; says what was expected and what was found.
        code: a stable word for the kind of reason ("exit_code", "timeout", "missing").
        evidence: output or matches that show it, at most 32 KiB.
        score: in [0, 1]; None when the check gives none or it is unknown.
        score_error: why a score that was asked for is unknown.
        numbers: named metrics, all finite.
        document: the JSON document that a script printed, when it was asked for.
        duration_s: seconds; None when nothing was run.
    """

    status: Status
    reason: str
    code: str = ""
    evidence: str = ""
    score: float | None = None
    score_error: str | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)
    document: object = None
    duration_s: float | None = None


class ChangeKind(StrEnum):
    """How a path differs between the baseline and the final tree; a rename is two changes."""

    ADDED = "added"
    DELETED = "deleted"
    MODIFIED = "modified"
    MODE = "mode"
    TYPE = "type"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Change:
    """One path that the agent changed, as told by the manifest of all paths.

    Attributes:
        path: raw bytes, relative to the workspace, with `/`.
        kind: what happened to it.
        tracked: the path is part of the starting commit.
        ignored: the ignore rules of the starting commit (never the agent's) match it.
    """

    path: bytes
    kind: ChangeKind
    tracked: bool = False
    ignored: bool = False


class PlaceKind(StrEnum):
    """What lies at a path of the final tree."""

    FILE = "file"
    """A regular file."""
    FOLDER = "folder"
    SPECIAL = "special"
    """A pipe, socket or device."""
    NOTHING = "nothing"
    OUTSIDE = "outside"
    """A link leads out of the workspace, where nobody looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a path leads once the links on its way are followed, and what is there.

    Attributes:
        kind: what is there.
        path: where that is; for `nothing` and `outside` the last path that was looked at.
        links: how many links were followed.
    """

    kind: PlaceKind
    path: bytes
    links: int = 0


class Evidence(Protocol):
    """What happened in a trial, taken from outside after every process was gone."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every changed path that counts, sorted; caches are left out unless tracked."""

    @property
    def trajectory(self) -> Trajectory:
        """What the agent did, as its harness told it."""

    @property
    def harness(self) -> str:
        """The name of the harness that ran."""

    @property
    def losses(self) -> tuple[str, ...]:
        """What became of the end of the harness's output where `trajectory` lacks it, as sentences."""

    def look_up(self, path: bytes) -> Place:
        """What lies at a path of the final tree, by the manifest of all paths.

        Links are followed inside the workspace, at most 40. Raises CheckBroken when that cannot be known: on
        the way is a link whose target is not archived, a folder that could not be entered,
        or a `.git`.
        """

    def read(self, path: bytes) -> bytes:
        """The content of the regular file that `look_up` found at `path`, links followed already.

        Raises CheckBroken when it is not archived.
        """

    def diff(self, paths: tuple[str, ...] = ()) -> str:
        """The unified diff from baseline to final tree, without ignored files.

        Made with fixed options and without renames; `paths` are globs that limit it.
        Bytes that are not UTF-8 are replaced.
        """

    def texts(self, paths: tuple[str, ...] = ()) -> Iterator[tuple[bytes, str]]:
        """Path and text of each regular text file of the final tree that matches the globs.

        Links are not followed; `.git` and dependency folders are left out; a file with a
        NUL byte in its first 8,000 bytes is not text.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """A file or directory that appears in the workspace only while a check needs it.

    Attributes:
        source: absolute path on the machine, outside the workspace.
        dest: relative to the workspace; whatever lies there is replaced.
    """

    source: Path
    dest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """How a command of a check ended.

    Attributes:
        exit_code: None when it did not exit by itself.
        timed_out: its time limit ended it.
        output: stdout and then stderr: the first and the last 16 KiB of both together.
        stdout: stdout alone, at most 4 MiB, for checks that parse it.
        stdout_truncated: stdout was longer than what is kept.
        duration_s: wall-clock seconds.
        error: why it could not be started at all.
        collected: content of the file that `run_command` was asked to collect.
    """

    exit_code: int | None
    timed_out: bool = False
    output: str = ""
    stdout: bytes = b""
    stdout_truncated: bool = False
    duration_s: float = 0.0
    error: str | None = None
    collected: bytes | None = None


class Context(Protocol):
    """What a check may do; supplied by the run layer."""

    def run_command(
        self,
        command: str,
        *,
        timeout_s: float,
        inject: tuple[Injection, ...] = (),
        environment: Mapping[str, str] | None = None,
        expose_diff: tuple[str, ...] = (),
        collect: tuple[str, ...] = (),
    ) -> CommandResult:
        """Run a shell command in the workspace under a supervisor, without credentials.

        `inject` is laid down first and taken away afterwards, what it replaced put back.
        `environment` is added to the check environment. Each name in `expose_diff` becomes
        a variable that holds the path of a file with the trial's diff. Each name in
        `collect` becomes a variable that holds one and the same path, of a file that does
        not exist yet and that nobody could foresee, whose content is returned in
        `collected`. Values may use `{workspace}` and `{base_commit}`.
        """

    def injected(self, inject: tuple[Injection, ...]) -> AbstractContextManager[None]:
        """Keep files laid down for several commands in a row, then take them away again.

        Raises CheckBroken when a source is missing or a destination cannot be used.
        """


def _reason(text: str) -> str:
    if not text.strip():
        msg = "a known issue says why the failure is expected, and this one says nothing"
        raise ValueError(msg)
    return text


class Check(BaseModel):
    """The fields that every check has.

    `id` names it in reports. A check that is not `required` is reported but does not gate.
    `stop` skips all later checks when this one does not pass. `known_issue` says why a
    failure is expected: the check is evaluated and shown, but does not gate; it is marked
    [KNOWN-FAIL], and [UNEXPECTED-PASS] once it passes. `providers` limits it to some
    harnesses; under others it is marked [SKIPPED] and does not gate. A trial in which no
    check gates is not judged, and never passes.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    type_name: ClassVar[str]
    """The key of this check in native YAML."""

    id: str
    required: bool = True
    stop: bool = False
    known_issue: Annotated[str, AfterValidator(_reason)] | None = None
    providers: tuple[str, ...] = Field(default=())

    @property
    def aspect(self) -> str:
        """What it judges: `correctness` or `style`; reports show them apart."""
        return "correctness"

    @property
    def gives_score(self) -> bool:
        """Whether its verdict measures a partial score, beyond passed or failed."""
        return False

    @abstractmethod
    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """Judge the trial; CheckBroken becomes the verdict `error`."""

    def sources(self) -> tuple[Path, ...]:
        """Files and directories that this check refers to; hashed and snapshotted."""
        return ()

    def relocated(self, moved: Mapping[Path, Path]) -> Self:
        """The same check reading its sources from other paths."""
        return self
