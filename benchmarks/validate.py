"""How long `bakeoff validate` takes for 1,000 task files of each format, and with problems in five of them.

Prints the whole command, of which most is reading the files, and the reading alone. What is
wrong comes out together, by file in the order of the suite and then by line: that is asserted.
"""

from __future__ import annotations

import argparse
import gc
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from measuring.commands import best_of
from measuring.machine import describe
from measuring.projects import commit_all

from bakeoff.dialects.load import load

BAKEOFF = (sys.executable, "-m", "bakeoff", "validate")
BROKEN = 5
PROBLEM = re.compile(r"(?P<file>[^:]+\.yaml):(?P<line>\d+):\d+: (?!warning)")

ABLATE = """\
id: task-{number}
description: Task number {number}.
prompt: |
  Add a function that returns {number}.
assert:
  - {{id: tests, type: exit_code, run: "python -m pytest -q tests/test_{number}.py"}}
  - {{id: scope, type: files_touched, must_include: ["src/**"], must_not_include: ["vendor/{number}/**"]}}
  - {{id: style, type: absent, pattern: 'print\\({number}', in: diff}}
tags: [speed]
"""
ABLATE_PROBLEMS = ("timeout_s: -1\n", "sett: true\n")

HARNESS_LAB = """\
id: task-{number}
name: Task {number}
repo: {{path: ../repo}}
prompt: Add a function that returns {number}.
verification:
  command: python -m unittest
  protected_paths: [tests, "tests/*.py"]
  inject:
    - {{source: ../hidden, dest: tests/hidden}}
limits: {{agent_timeout_seconds: 60}}
reference_solution: {{overlay: ../repo}}
tags: [speed]
"""
HARNESS_LAB_PROBLEMS = ("version: many\n", "sett: true\n")

Make = Callable[[Path, int], tuple[Path, list[Path]]]


def make_ablate(folder: Path, count: int) -> tuple[Path, list[Path]]:
    """A git project with `count` ablate tasks; what to validate, and the task files in order."""
    tasks = folder / ".ablate" / "tasks"
    tasks.mkdir(parents=True)
    files = [tasks / f"task-{number:04}.yaml" for number in range(count)]
    for number, file in enumerate(files):
        file.write_text(ABLATE.format(number=f"{number:04}"))
    commit_all(folder)
    return folder, files


def make_harness_lab(folder: Path, count: int) -> tuple[Path, list[Path]]:
    """A suite with `count` Harness Lab tasks; what to validate, and the task files in order."""
    for name in ("tasks", "repo/tests", "hidden"):
        (folder / name).mkdir(parents=True)
    (folder / "repo" / "tests" / "test_start.py").write_text("def test_start():\n    pass\n")
    files = [folder / "tasks" / f"{number}.yaml" for number in range(count)]
    for number, file in enumerate(files):
        file.write_text(HARNESS_LAB.format(number=number))
    lines = ["name: speed", "tasks:", *(f"  - tasks/{file.name}" for file in files)]
    (folder / "suite.yaml").write_text("\n".join(lines) + "\n")
    return folder / "suite.yaml", files


FORMATS: dict[str, tuple[Make, tuple[str, str]]] = {
    "ablate": (make_ablate, ABLATE_PROBLEMS),
    "harness_lab": (make_harness_lab, HARNESS_LAB_PROBLEMS),
}


def reading(spec: Path, rounds: int) -> tuple[float, float]:
    """Best and median CPU seconds of loading, with garbage collected as rarely as commands do."""
    gc.set_threshold(50_000)
    times = []
    for _ in range(rounds):
        started = time.process_time()
        load(str(spec), cwd=spec.parent)
        times.append(time.process_time() - started)
    return min(times), statistics.median(times)


def check_order(spec: Path, files: list[Path], problems: tuple[str, str]) -> None:
    """Break five files twice each; all ten problems must be told, in order."""
    broken = files[:: max(1, len(files) // BROKEN)][:BROKEN]
    for file in broken:
        file.write_text(file.read_text() + "".join(problems))
    done = subprocess.run([*BAKEOFF, str(spec)], cwd=spec.parent, capture_output=True, text=True, check=False)
    told = [PROBLEM.match(line) for line in done.stderr.splitlines()]
    last = broken[0].read_text().count("\n")
    wanted = [(file.name, line) for file in broken for line in (last - 1, last)]
    found = [(Path(each["file"]).name, int(each["line"])) for each in told if each]
    if done.returncode != 2 or found != wanted:
        raise SystemExit(f"problems are missing or out of order: {done.returncode}, {done.stderr[-2000:]}")


def main() -> None:
    """Measure each format, then break five of its files and measure again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print(describe())
    for name, (make, problems) in FORMATS.items():
        with tempfile.TemporaryDirectory(prefix="bench-") as temporary:
            spec, files = make(Path(temporary) / name, arguments.tasks)
            low, middle = reading(spec, arguments.rounds)
            print(f"{name}, {len(files)} files")
            print(f"  reading alone              best {low:.2f} s CPU, median {middle:.2f} s CPU")
            best, median = best_of(arguments.rounds, [*BAKEOFF, str(spec)], cwd=spec.parent)
            print(f"  bakeoff validate           best {best}; median {median}")
            check_order(spec, files, problems)
            best, median = best_of(arguments.rounds, [*BAKEOFF, str(spec)], cwd=spec.parent, code=2)
            print(f"  with 10 problems, in order best {best}; median {median}")


if __name__ == "__main__":
    main()
