"""Running real programs under a supervisor in tests, and finding what they leave alive."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bakeoff.process.start import open_supervisor
from bakeoff.process.supervise import Command, ProcessEnd, Supervisor, View, Watch, Watcher

PATH = "/usr/local/bin:/usr/bin:/bin"
PYTHON = os.path.realpath(sys.executable)
"""An interpreter that a sandbox can show: not the link of a virtual environment."""


class Rig:
    """A supervisor, a view, and a mark by which all that runs in them is found again."""

    def __init__(self, supervisor: Supervisor, directory: Path) -> None:
        self.supervisor = supervisor
        self.directory = directory
        self.mark = f"mark-{uuid.uuid4().hex}"
        self.view = make_view(directory)
        self.interrupt = threading.Event()
        self.interrupted_at = math.inf
        self._outputs = 0

    @property
    def is_sandbox(self) -> bool:
        return self.supervisor.name == "bubblewrap"

    @property
    def workspace(self) -> str:
        """The workspace as the program sees it."""
        return self.supervisor.inner_paths(self.view).workspace

    def command(
        self,
        *argv: str,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        stdin: bytes | None = None,
        separate: bool = False,
        timeout_s: float = 60.0,
        output_cap: int = 64 * 1024 * 1024,
    ) -> Command:
        """A command with files of its own; `separate` gives standard error its own too."""
        self._outputs += 1
        place = self.directory / f"run-{self._outputs}-{threading.get_ident()}"
        place.mkdir()
        if stdin is not None:
            (place / "stdin").write_bytes(stdin)
        return Command(
            argv=argv,
            env={"PATH": PATH, "MARK": self.mark, **(env or {})},
            cwd=cwd or self.workspace,
            stdin=None if stdin is None else place / "stdin",
            stdout=place / "stdout",
            stderr=place / "stderr" if separate else None,
            output_cap=output_cap,
            timeout_s=timeout_s,
        )

    def run(
        self,
        command: Command,
        *,
        watcher: Watcher | None = None,
        grace_s: float = 5.0,
        view: View | None = None,
    ) -> ProcessEnd:
        """Run a command; nothing may be alive when it is over."""
        end = self.supervisor.run(
            command, view or self.view, interrupt=self.interrupt, watcher=watcher, grace_s=grace_s
        )
        left = marked(self.mark)
        assert not left, f"alive when the run was over: {left}"
        return end

    def shell(self, script: str, *, timeout_s: float = 60.0) -> tuple[ProcessEnd, bytes]:
        """Run a shell script; its end, and its standard output and error together."""
        command = self.command("/bin/sh", "-c", script, timeout_s=timeout_s)
        return self.run(command), command.stdout.read_bytes()

    def python(self, program: str, *arguments: str, timeout_s: float = 60.0) -> tuple[ProcessEnd, bytes]:
        """Run a Python program, which has the mark among its arguments as well."""
        command = self.command(PYTHON, "-I", "-S", "-c", program, self.mark, *arguments, timeout_s=timeout_s)
        return self.run(command), command.stdout.read_bytes()

    def interrupting(self, word: bytes) -> Watcher:
        """A watcher that asks for the end as soon as a word was written; `interrupted_at` is when."""
        seen = bytearray()

        def watch(piece: bytes) -> Watch:
            seen.extend(piece)
            if word in seen and not self.interrupt.is_set():
                self.interrupted_at = time.monotonic()
                self.interrupt.set()
            return Watch.GO_ON

        return watch


def open_kind(kind: str) -> Supervisor:
    """A supervisor by the name that a test's parameter gives."""
    return open_supervisor("bubblewrap" if kind == "bubblewrap" else "process")


def make_view(directory: Path) -> View:
    """A view of three new directories, and of Python."""
    places = [directory / name for name in ("workspace", "home", "tmp")]
    for place in places:
        place.mkdir(exist_ok=True)
    workspace, home, tmp = places
    return View(workspace=workspace, home=home, tmp=tmp, read_only=(Path(sys.base_prefix),))


@contextmanager
def rig_for(kind: str, directory: Path) -> Iterator[Rig]:
    """A rig whose supervisor is closed, and whose processes are dead, in the end."""
    supervisor = open_kind(kind)
    rig = Rig(supervisor, directory)
    try:
        yield rig
    finally:
        supervisor.close()
        left = marked(rig.mark)
        for pid in left:
            kill(pid)
        assert not left, f"alive after all: {left}"


def marked(mark: str) -> dict[int, str]:
    """Living processes that carry a mark in their environment or their arguments."""
    found: dict[int, str] = {}
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                texts = file.read()
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                line = file.read()
        except OSError:
            continue
        if pid != os.getpid() and mark.encode() in texts + line:
            found[pid] = line.replace(b"\0", b" ").decode(errors="replace")[:120]
    return found


def wait_for_marked(mark: str, *, at_least: int = 1, patience_s: float = 60.0) -> dict[int, str]:
    """Wait until so many processes carry the mark."""
    until = time.monotonic() + patience_s
    while len(found := marked(mark)) < at_least and time.monotonic() < until:
        time.sleep(0.02)
    return found


def wait_until_none(mark: str, *, patience_s: float) -> dict[int, str]:
    """Wait until no process carries the mark; the stubborn ones."""
    until = time.monotonic() + patience_s
    while (found := marked(mark)) and time.monotonic() < until:
        time.sleep(0.02)
    return found


def kill(pid: int) -> None:
    """End one process at once."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def is_running(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def children(pid: int) -> list[int]:
    """The direct children of a process."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]
