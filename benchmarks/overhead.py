"""What Bakeoff itself costs in each trial: an agent that does nothing, on 300 and on 20,000 files.

Prints wall-clock and CPU time of one more trial, for each supervisor, and where the wall-clock
time goes. CPU is that of the command and of all children it waited for; what runs in a sandbox
of its own is not all counted there. Nothing is asserted: look at ratios, machines differ.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from bakeoff.model.trial import TrialRecord
from bakeoff.process.start import probe_bubblewrap
from bakeoff.store.database import Store
from bakeoff.store.layout import Layout

FILES_IN_FOLDER = 50


def make_project(root: Path, files: int) -> None:
    """A git repository with so many small files, one task and an agent that does nothing."""
    repository = root / "repository"
    for number in range(files):
        path = repository / f"package_{number // FILES_IN_FOLDER:03}" / f"module_{number:05}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'"""Module {number}."""\n\n\ndef value():\n    return {number}\n' * 3)
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
        subprocess.run(
            ["git", "-c", "user.name=Bench", "-c", "user.email=bench@example.invalid", *arguments],
            cwd=repository,
            check=True,
        )
    task = {
        "id": "nothing",
        "name": "Do nothing",
        "repo": {"path": "repository"},
        "prompt": "Do nothing.",
        "verification": {"command": "true", "protected_paths": ["package_000/"]},
    }
    suite = {
        "name": "overhead",
        "tasks": ["task.yaml"],
        "variants": [{"id": "idle", "runner": "fake", "script": [{"text": "Nothing to do."}]}],
    }
    (root / "task.yaml").write_text(yaml.safe_dump(task))
    (root / "suite.yaml").write_text(yaml.safe_dump(suite))


def run(root: Path, trials: int, sandbox: str) -> tuple[float, float, list[TrialRecord]]:
    """Wall-clock and CPU seconds of one command with so many trials, and their records."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(
        [
            sys.executable,
            "-m",
            "bakeoff",
            "run",
            "suite.yaml",
            "-j",
            "1",
            "-k",
            str(trials),
            "--sandbox",
            sandbox,
        ],
        cwd=root,
        env=os.environ | {"BAKEOFF_HOME": str(root / "store")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    store = Store.open(Layout(home=root / "store"), create=False)
    return wall, cpu, store.trials(store.experiments(limit=1)[0].id)


def report(root: Path, files: int, sandbox: str, trials: int) -> None:
    """Print what one more trial costs: a run of many trials less a run of one."""
    run(root, 1, sandbox)  # builds the template, which later runs find
    one_wall, one_cpu, _ = run(root, 1, sandbox)
    wall, cpu, records = run(root, trials + 1, sandbox)
    stages = {
        stage: statistics.median(record.timings.get(stage, 0.0) for record in records)
        for stage in records[0].timings
    }
    print(
        f"{files:>6} files, {sandbox:<10}  {(wall - one_wall) / trials * 1000:7.1f} ms wall, "
        f"{(cpu - one_cpu) / trials * 1000:7.1f} ms CPU for each trial; "
        f"{one_wall * 1000:.0f} ms wall, {one_cpu * 1000:.0f} ms CPU for a command with one"
    )
    print(
        "        "
        + ", ".join(f"{stage} {seconds * 1000:.1f}" for stage, seconds in stages.items())
        + " (median ms)"
    )


def main() -> None:
    """Measure both sizes with each supervisor that works here."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--files", type=int, nargs="*", default=[300, 20_000])
    arguments = parser.parse_args()
    problem = probe_bubblewrap()
    if problem:
        print(f"without bubblewrap: {problem}")
    for files in arguments.files:
        with tempfile.TemporaryDirectory(prefix="bench-") as name:
            make_project(Path(name), files)
            for sandbox in ["process"] if problem else ["bubblewrap", "process"]:
                report(Path(name), files, sandbox, arguments.trials)


if __name__ == "__main__":
    main()
