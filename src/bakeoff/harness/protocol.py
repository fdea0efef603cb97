"""What Bakeoff asks of a harness: five members, all pure.

An adapter says what to start and reads what comes back. It never starts a process, looks
at a clock or writes a file: the run layer owns those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel

from bakeoff.model.suite import PlacementKind, Reference
from bakeoff.model.trajectory import Trajectory


class Purpose(StrEnum):
    """What a launch is for."""

    AGENT = "agent"
    JUDGE = "judge"
    OPTIMISER = "optimiser"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRequest:
    """Everything an adapter may use to decide how to start.

    Attributes:
        prompt: verbatim; nothing in it is expanded.
        workspace: inner path of the workspace.
        home: inner path of the private HOME.
        tmp: inner path of the private temporary directory.
        options: an instance of the adapter's own Options.
        executable: host path of the program, as `probe` found it.
        round: 1 for the first launch of a trial.
        resume: session id to continue; None starts afresh.
        repeat: which trial of this task and arm it is, from 1.
        task_id: for scripted harnesses; real ones must not show it to the agent.
        reference: of the task; only scripted harnesses use it.
        timeout_s: the time limit that the core enforces.
    """

    prompt: str
    workspace: str
    home: str
    tmp: str
    options: BaseModel
    model: str | None = None
    executable: Path | None = None
    purpose: Purpose = Purpose.AGENT
    round: int = 1
    repeat: int = 1
    resume: str | None = None
    task_id: str = ""
    reference: Reference = Reference()
    timeout_s: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How to start the harness.

    Attributes:
        argv: program and arguments.
        env: variables of the adapter's own, laid over the trial's environment.
        stdin: given as standard input; None is empty.
        home_files: files to make below the private HOME first, relative path to bytes.
        executable_files: those of `home_files` that can be executed.
        visible: host paths that the program needs to read besides the usual ones.
        session_files: globs below the private HOME of files to keep as artifacts; their
            lines are given to the parser's `feed_session` after the stream has ended.
        pass_env: names of the user's own variables that the options hand on.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes | None = None
    home_files: Mapping[str, bytes] = field(default_factory=dict)
    executable_files: frozenset[str] = frozenset()
    visible: tuple[Path, ...] = ()
    session_files: tuple[str, ...] = ()
    pass_env: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """Whether a harness can be used on this machine.

    Attributes:
        available: it is installed and answers.
        version: as it reports it.
        executable: host path of the program.
        problem: why it cannot be used, with a hint how to install it.
    """

    available: bool
    version: str | None = None
    executable: Path | None = None
    problem: str = ""


class StreamParser(Protocol):
    """Reads a harness's output line by line; never raises, whatever comes."""

    def feed(self, line: bytes) -> None:
        """Take one line, without its newline; lines of any size and content are survived."""

    def feed_session(self, line: bytes) -> None:
        """Take one line of a kept session file, after the last line of the stream.

        It fills in what the stream did not tell; what the stream told stands.
        """

    @property
    def finished(self) -> bool:
        """The harness has said its last word; it may still be running."""

    @property
    def stop_now(self) -> bool:
        """Nothing that follows can matter."""

    def trajectory(self) -> Trajectory:
        """All that was learned so far; the same lines always give the same trajectory."""


Ask = Callable[[tuple[str, ...]], str | None]
"""Runs a program with a clean environment for a few seconds; its output, None if it failed."""


class Harness(Protocol):
    """One adapter; stateless, small, and registered in `registry.py`."""

    name: str
    Options: type[BaseModel]
    credentials: tuple[str, ...]
    """Names of the environment variables that hold this harness's keys and endpoints."""
    login_file: str | None
    """Below HOME, the one file that holds a user's login; None when there is none to lend."""
    placements: Mapping[PlacementKind, str]
    """Where each kind goes in the workspace, for those it can take."""

    def probe(self, ask: Ask, path: str, options: BaseModel) -> Probe:
        """Find the program on `path` (or where `options` say) and ask its version."""

    def launch(self, request: LaunchRequest) -> Launch:
        """How to start it."""

    def parser(self, options: BaseModel) -> StreamParser:
        """A fresh parser for one launch with these options."""
