"""What it means to run a program under supervision: the request, the end, the protocol.

A supervisor is a small process of its own for each run. It starts the program, copies its
output to files, and when the program ends, runs out of time or is told to stop, it ends
every process of the tree before it reports. It ends the tree also when Bakeoff dies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

OUTPUT_UNWRITABLE = "output could not be written"
"""How the error of a LOST run begins when its output files could not be written."""


class EndReason(StrEnum):
    """Why a supervised program is no longer running."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    STOPPED = "stopped"
    """The watcher said that it had seen enough."""
    INTERRUPTED = "interrupted"
    """The user or the system asked Bakeoff to stop."""
    NOT_STARTED = "not_started"
    LOST = "lost"
    """The supervisor itself went away: the host's fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The part of the machine that a program may see.

    Attributes:
        workspace: host path of the trial's directory, read and write.
        home: host path of the private HOME, read and write.
        tmp: host path of the private temporary directory, read and write.
        read_only: host paths that are visible read-only at the same path, if they exist.
        read_write: host paths that are visible read-write at the same path.
        mounts: host path to (inner path, writable): visible elsewhere in the sandbox.
        hidden: host paths that must not be visible, even below a visible one.
    """

    workspace: Path
    home: Path
    tmp: Path
    read_only: tuple[Path, ...] = ()
    read_write: tuple[Path, ...] = ()
    mounts: Mapping[Path, tuple[str, bool]] = field(default_factory=dict)
    hidden: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerPaths:
    """Where a program sees the three directories of its view."""

    workspace: str
    home: str
    tmp: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program to run.

    Attributes:
        argv: program and arguments; found on the PATH of `env`.
        env: the whole environment, nothing is inherited.
        cwd: inner path of the working directory.
        stdin: file that becomes standard input; None is empty input.
        stdout: file that receives standard output; made or truncated.
        stderr: file for standard error; None sends it to `stdout`, in the order written.
        output_cap: bytes kept of each of the two; the rest is read and thrown away.
        timeout_s: wall-clock seconds from the start.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    stdout: Path
    stderr: Path | None = None
    stdin: Path | None = None
    output_cap: int = 64 * 1024 * 1024
    timeout_s: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEnd:
    """How a supervised program ended; by then no process of its tree is alive.

    Attributes:
        reason: why.
        exit_code: of the program itself; None when a signal ended it or it never ran.
        signal: the signal that ended it; None when it exited. Under bubblewrap a code of
            128 + n reads as signal n, if n is one that ends programs: it tells no more.
        duration_s: wall-clock seconds from start to the end of the program.
        cpu_s: user and system seconds of the tree, as far as they could be counted.
        left_behind: command lines of processes still alive when the program ended.
        dropped_bytes: output beyond the cap.
        error: why it could not be started.
    """

    reason: EndReason
    exit_code: int | None = None
    signal: int | None = None
    duration_s: float = 0.0
    cpu_s: float | None = None
    left_behind: tuple[str, ...] = ()
    dropped_bytes: int = 0
    error: str | None = None


class Watch(StrEnum):
    """What a watcher of the output answers after each piece."""

    GO_ON = "go_on"
    FINISHED = "finished"
    """The program has said all it will say: grant it a grace period, then end it."""
    STOP = "stop"
    """Enough was seen: end it now."""


Watcher = Callable[[bytes], Watch]
"""Called with each new piece of standard output, in order, as the file grows."""


class Interrupt(Protocol):
    """Tells running supervisors that everything must end; a threading.Event will do."""

    def is_set(self) -> bool:
        """Whether it was asked for."""


class Supervisor(Protocol):
    """Runs programs so that nothing of them survives; safe to use from several threads."""

    name: str
    """"bubblewrap" or "process"."""

    @property
    def protections(self) -> Mapping[str, bool]:
        """Each documented protection and whether it is in force here.

        Keys: `own_pid_namespace`, `filesystem_hidden`, `fixed_paths`, `dies_with_bakeoff`,
        `ends_detached_children`, `own_ipc_namespace`, `no_new_privileges`.
        """

    def inner_paths(self, view: View) -> InnerPaths:
        """Where a program in this view finds its directories."""

    def run(
        self,
        command: Command,
        view: View,
        *,
        interrupt: Interrupt,
        watcher: Watcher | None = None,
        grace_s: float = 5.0,
    ) -> ProcessEnd:
        """Run a program to its end and end everything that it started.

        Raises HostFailed when the supervisor itself cannot be started.
        """

    def close(self) -> None:
        """End everything that still runs and release the supervisor's own processes."""
