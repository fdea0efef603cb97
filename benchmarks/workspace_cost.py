"""What a workspace costs: sealing, making, reading and removing it, wall clock and processor time.

    python benchmarks/workspace_cost.py [--files 300 20000] [--repeat 1] [--place DIRECTORY]

Prints the median of each step in milliseconds; processor time includes children. The figures
depend much on the file system of the place: the default, in memory, shows the floor.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from measuring.machine import describe, file_system, places

from bakeoff.model.suite import GitStart
from bakeoff.store.archive import Archive
from bakeoff.workspace.capture import capture, take_baseline
from bakeoff.workspace.create import create
from bakeoff.workspace.remove import remove
from bakeoff.workspace.seal import seal
from bakeoff.workspace.sealed import Sealed
from bakeoff.workspace.source_guard import fingerprint

T = TypeVar("T")
CHANGED = (0, 3, 300)


class Stopwatch:
    """Collects wall clock and processor seconds by step."""

    def __init__(self) -> None:
        self.steps: dict[str, list[tuple[float, float]]] = defaultdict(list)

    def time(self, step: str, act: Callable[[], T]) -> T:
        with self._measured(step):
            return act()

    @contextmanager
    def _measured(self, step: str) -> Iterator[None]:
        wall, spent = time.perf_counter(), processor_s()
        yield
        self.steps[step].append((time.perf_counter() - wall, processor_s() - spent))

    def print(self, title: str) -> None:
        print(f"{title:<34}{'wall ms':>10}{'cpu ms':>10}{'runs':>6}")
        for step, taken in self.steps.items():
            wall, spent = (statistics.median(column) * 1000 for column in zip(*taken, strict=True))
            print(f"  {step:<32}{wall:>10.1f}{spent:>10.1f}{len(taken):>6}")
        print()


def processor_s() -> float:
    """User and system seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def write_source(folder: Path, files: int) -> None:
    """A made-up Python project of this many files in nested packages."""
    for number in range(files):
        path = folder / f"pkg{number // 100}" / f"mod{number // 10 % 10}" / f"file{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# file {number}\n" + "value = 1\n" * (number % 200))
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.invalid"]
    for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "base"]):
        subprocess.run(["git", *command], cwd=folder, env=environment, check=True)


def run(place: Path, files: int, repeat: int) -> None:
    """Measure everything for a repository of this size."""
    watch = Stopwatch()
    source = place / "source"
    write_source(source, files)
    start = GitStart(repository=source)
    watch.time("seal, first time", lambda: seal(start, (), cache=place / "cache"))
    archive = Archive(place / "archive.git")
    root = place / "root"
    root.mkdir()
    for _ in range(repeat):
        sealed = watch.time("seal, from the cache", lambda: seal(start, (), cache=place / "cache"))
        watch.time("fingerprint of the source", lambda: fingerprint(source))
        for changed in CHANGED:
            run_trial(watch, sealed, root, archive, min(changed, files))
    watch.print(f"{files} files")


def run_trial(watch: Stopwatch, sealed: Sealed, root: Path, archive: Archive, changed: int) -> None:
    """One workspace from its making to its end, with an agent that changes some files."""
    made = watch.time("create", lambda: create(sealed, root=root))
    watch.time("git status by the agent", lambda: git_status(made.path))
    baseline = watch.time("baseline", lambda: take_baseline(made, sealed, archive))
    edit(made.path, changed)
    taken = watch.time(f"capture, {changed} changed", lambda: capture(made, baseline, sealed, archive))
    assert len(taken.changes) == changed
    if changed:
        text = watch.time(
            f"diff, {changed} changed", lambda: archive.diff(baseline.tree, taken.tree, taken.diff_paths)
        )
        assert text.count(b"diff --git") == changed
    watch.time("remove", lambda: remove(made))


def git_status(path: Path) -> None:
    done = subprocess.run(["git", "status", "--porcelain"], cwd=path, capture_output=True, check=True)
    assert done.stdout == b"", done.stdout


def edit(path: Path, count: int) -> None:
    files = sorted(path.glob("pkg*/*/*.py"))[:count]
    for file in files:
        file.write_text(file.read_text() + f"# edited at {time.time_ns()}\n")


def main() -> None:
    """Measure for each size, each in a directory of its own that is removed afterwards."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, nargs="+", default=[300, 20_000])
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--place", type=Path, default=list(places().values())[-1])
    options = parser.parse_args()
    print(f"{describe()}; in {options.place}: {file_system(options.place)}")
    for files in options.files:
        with tempfile.TemporaryDirectory(dir=options.place, prefix="cost-") as place:
            run(Path(place), files, options.repeat)


if __name__ == "__main__":
    main()
