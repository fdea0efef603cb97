"""Finds processes that tests started and did not end."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

MARK = "BAKEOFF_TEST_SESSION"
"""Each test process sets this variable; what it starts inherits it unless given a clean environment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """A process that is still alive."""

    pid: int
    command: str


def still_running(mark: str, scratch: Path) -> list[Leftover]:
    """Living processes that carry the mark, or that have to do with a path below `scratch`.

    Programs under trial get a clean environment, so the mark alone would miss them: their
    HOME, directory or command line (a sandbox's mounts) gives them away. Empty where there
    is no /proc.
    """
    if not sys.platform.startswith("linux"):
        return []
    own = os.getpid()
    marked = f"{MARK}={mark}\0".encode()
    below = os.fsencode(scratch) + b"/"
    return [
        Leftover(pid=pid, command=_command(pid).replace(b"\0", b" ").decode(errors="replace").strip()[:200])
        for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
        if pid != own and _belongs(pid, marked, below)
    ]


def wait_until_gone(mark: str, scratch: Path, *, patience_s: float = 20.0) -> list[Leftover]:
    """What is still running after a moment of patience; usually nothing."""
    deadline = time.monotonic() + patience_s
    while (found := still_running(mark, scratch)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def end(leftovers: list[Leftover]) -> None:
    """Kill them, each by its id."""
    for leftover in leftovers:
        try:
            os.kill(leftover.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _belongs(pid: int, marked: bytes, below: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            environment = file.read()
        # Fails for a zombie, which is not running any more.
        directory = os.fsencode(os.readlink(f"/proc/{pid}/cwd"))
        command = _command(pid)
    except OSError:
        return False  # it ended meanwhile, or belongs to somebody else
    return marked in environment or any(below in text for text in (environment, directory + b"/", command))


def _command(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b"(ended meanwhile)"
