"""Prints how long Bakeoff takes to load 1,000 small task files of each format; it gates nothing."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

from bakeoff.dialects.load import load

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

HARNESS_LAB = """\
id: task-{number}
name: Task {number}
repo: {{path: ../repo}}
prompt: Add a function that returns {number}.
verification:
  command: python -m unittest
  protected_paths: [tests, "lib/{number}/*.py"]
  inject:
    - {{source: ../hidden, dest: tests/hidden}}
limits: {{agent_timeout_seconds: 60}}
reference_solution: {{overlay: ../repo}}
tags: [speed]
"""


def make_ablate(folder: Path, count: int) -> Path:
    """A git project with `count` ablate tasks."""
    tasks = folder / ".ablate" / "tasks"
    tasks.mkdir(parents=True)
    for number in range(count):
        (tasks / f"task-{number}.yaml").write_text(ABLATE.format(number=number))
    for arguments in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=Bench", "-c", "user.email=bench@example.invalid", "commit", "-q", "-m", "tasks"],
    ):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return folder


def make_harness_lab(folder: Path, count: int) -> Path:
    """A suite with `count` Harness Lab tasks."""
    for name in ("tasks", "repo", "hidden"):
        (folder / name).mkdir(parents=True)
    for number in range(count):
        (folder / "tasks" / f"{number}.yaml").write_text(HARNESS_LAB.format(number=number))
    lines = ["name: speed", "tasks:", *(f"  - tasks/{number}.yaml" for number in range(count))]
    (folder / "suite.yaml").write_text("\n".join(lines) + "\n")
    return folder / "suite.yaml"


def main() -> None:
    """Load each suite a few times and print the best and the worst."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        makers = {"ablate": make_ablate, "harness_lab": make_harness_lab}
        for name, make in makers.items():
            spec = make(root / name, arguments.tasks)
            walls, cpus = [], []
            for _ in range(arguments.rounds):
                wall, cpu = time.perf_counter(), time.process_time()
                suite = load(str(spec), cwd=root)
                walls.append(time.perf_counter() - wall)
                cpus.append(time.process_time() - cpu)
            print(
                f"{name:12} {len(suite.tasks)} tasks: wall {min(walls):.2f}-{max(walls):.2f} s,"
                f" CPU {min(cpus):.2f}-{max(cpus):.2f} s"
            )


if __name__ == "__main__":
    main()
