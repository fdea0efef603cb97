"""Running whole commands and measuring what they cost, children included."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """Seconds of one command.

    `cpu_s` is that of the command and of all children that were waited for: a process whose
    parent did not wait for it, such as some inside of a sandbox, is not in it.
    """

    wall_s: float
    cpu_s: float

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.wall_s - other.wall_s, self.cpu_s - other.cpu_s)

    def __truediv__(self, number: float) -> Cost:
        return Cost(self.wall_s / number, self.cpu_s / number)

    def __str__(self) -> str:
        return f"{self.wall_s * 1000:8.1f} ms wall, {self.cpu_s * 1000:8.1f} ms CPU"


def measure(
    command: Sequence[str], *, cwd: Path, environment: Mapping[str, str] | None = None, code: int = 0
) -> Cost:
    """The cost of one command; it must end with `code`, or the benchmark ends with what it said."""
    before, started = _used(), time.perf_counter()
    done = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | (environment or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,  # its exit code is looked at below
    )
    wall = time.perf_counter() - started
    if done.returncode != code:
        said = done.stdout.decode(errors="replace")[-2000:]
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{said}")
    return Cost(wall, _used() - before)


def best_of(runs: int, command: Sequence[str], *, cwd: Path, code: int = 0) -> tuple[Cost, Cost]:
    """The lowest and the median cost of several runs, each figure for itself."""
    costs = [measure(command, cwd=cwd, code=code) for _ in range(runs)]
    walls, cpus = sorted(each.wall_s for each in costs), sorted(each.cpu_s for each in costs)
    return Cost(walls[0], cpus[0]), Cost(walls[runs // 2], cpus[runs // 2])


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime
