"""A `bakeoff` command that is going on: waited for, signalled, killed, and looked at from outside."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from support.bakeoff_run import Answer, command_of
from support.supervising import marked


class RunningBakeoff:
    """A command in a session of its own, as a terminal would start it; output goes to files."""

    def __init__(self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None) -> None:
        """Start it; `stop` it in the end."""
        self._out, self._err = cwd.parent / f"{cwd.name}.out", cwd.parent / f"{cwd.name}.err"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                list(command),
                cwd=cwd,
                env=os.environ | dict(env or {}),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    @property
    def told(self) -> str:
        """What it has said so far."""
        return self._out.read_text() + self._err.read_text()

    def wait_until(self, holds: Callable[[], object], *, patience_s: float = 120.0) -> None:
        """Wait for something to become true while the command runs."""
        until = time.monotonic() + patience_s
        while not holds():
            assert self.process.poll() is None, f"it ended with {self.process.returncode}\n{self.told}"
            assert time.monotonic() < until, f"it never became true\n{self.told}"
            time.sleep(0.05)

    def signal(self, number: signal.Signals, *, group: bool = False) -> None:
        """Signal the command, or all of its process group as a terminal does for Ctrl-C."""
        if group:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)

    def end(self, *, patience_s: float = 280.0) -> Answer:
        """Wait for its end; the answer."""
        code = self.process.wait(patience_s)
        return Answer(code=code, out=self._out.read_text(), err=self._err.read_text())

    def stop(self) -> None:
        """End it if it still runs; its supervisors end what it had started."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@contextlib.contextmanager
def running_bakeoff(
    *arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None
) -> Iterator[RunningBakeoff]:
    """Start a `bakeoff` command for the length of a block."""
    with running_command(command_of(arguments), cwd=cwd, env=env) as running:
        yield running


@contextlib.contextmanager
def running_command(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None
) -> Iterator[RunningBakeoff]:
    """The same for a command that is spelt out."""
    running = RunningBakeoff(command, cwd=cwd, env=env)
    try:
        yield running
    finally:
        running.stop()


def seconds_until_gone(mark: str, *, patience_s: float = 10.0) -> float:
    """How long it takes until no living process carries the mark; the patience when some stay."""
    started = time.monotonic()
    while marked(mark):
        if time.monotonic() - started > patience_s:
            return patience_s
        time.sleep(0.05)
    return time.monotonic() - started


def left_workspaces(temporary: Path) -> list[str]:
    """What trials left in the private directories for workspaces below a temporary directory."""
    found = [path.name for private in temporary.glob("w*") for path in private.iterdir()]
    return [name for name in found if not name.startswith(".")]


def workspaces_that_stay(temporary: Path, *, patience_s: float = 60.0) -> list[str]:
    """What is left for good: after an interrupt, workspaces may still be removed by another process."""
    until = time.monotonic() + patience_s
    while (left := left_workspaces(temporary)) and time.monotonic() < until:
        time.sleep(0.05)
    return left
