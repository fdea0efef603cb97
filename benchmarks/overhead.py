"""What Bakeoff itself costs in each trial: an agent that does nothing, on 300 and on 20,000 files.

Prints wall-clock and CPU time of one more trial, for each supervisor, on disk and in memory, and
where the wall-clock time goes. CPU is that of the command and of all children it waited for; what
runs in a sandbox of its own is not all counted there. Nothing is asserted: look at ratios,
machines differ.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from measuring.commands import Cost, measure
from measuring.machine import describe, file_system, load, places
from measuring.projects import commit_all, write_modules, write_suite

from bakeoff.model.trial import TrialRecord
from bakeoff.process.start import probe_bubblewrap
from bakeoff.store.database import Store
from bakeoff.store.layout import Layout

MANY = 5_000
"""Files from which on a trial takes so long that few of them must do."""

IDLE: dict[str, object] = {"id": "idle", "runner": "fake", "script": [{"text": "Nothing to do."}]}


def make_project(root: Path, files: int) -> None:
    """A git repository with so many small files, one task and an agent that does nothing."""
    write_modules(root / "repository", files)
    commit_all(root / "repository")
    write_suite(root, IDLE)


def run(root: Path, trials: int, sandbox: str) -> tuple[Cost, list[TrialRecord]]:
    """The cost of one command with so many trials, and their records."""
    options = ["-j", "1", "-k", str(trials), "--sandbox", sandbox]
    cost = measure(
        [sys.executable, "-m", "bakeoff", "run", "suite.yaml", *options],
        cwd=root,
        # Workspaces lie in the directory for temporary files, not in the store.
        environment={"BAKEOFF_HOME": str(root / "store"), "TMPDIR": str(root.parent)},
    )
    store = Store.open(Layout(home=root / "store"), create=False)
    return cost, store.trials(store.experiments(limit=1)[0].id)


def report(root: Path, sandbox: str, trials: int) -> None:
    """Print what one more trial costs: a run of many trials less a run of one."""
    one, _ = run(root, 1, sandbox)
    many, records = run(root, trials + 1, sandbox)
    print(f"  {sandbox:<10} {(many - one) / trials} for each trial; {one} for a command with one")
    stages = ", ".join(
        f"{stage} {statistics.median(record.timings.get(stage, 0.0) for record in records) * 1000:.1f}"
        for stage in records[0].timings
    )
    print(f"             where it goes, median ms of {len(records)}: {stages}")


def _places_for(files: int) -> list[str]:
    """On disk, many files would take many minutes where the file system is slow."""
    names = list(places())
    return names if files < MANY else names[-1:]


def main() -> None:
    """Measure both sizes with each supervisor that works here."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=15)
    parser.add_argument("--trials-of-many", type=int, default=2, help=f"from {MANY} files on")
    parser.add_argument("--files", type=int, nargs="*", default=[300, 20_000])
    parser.add_argument(
        "--places", nargs="*", choices=list(places()), help="else all, and many files in memory"
    )
    arguments = parser.parse_args()
    print(describe())
    problem = probe_bubblewrap()
    if problem:
        print(f"without bubblewrap: {problem}")
    for files in arguments.files:
        for name in arguments.places or _places_for(files):
            place = places()[name]
            trials = arguments.trials if files < MANY else arguments.trials_of_many
            print(f"{files} files, {name} ({file_system(place)}); {load()}", flush=True)
            with tempfile.TemporaryDirectory(prefix="bench-", dir=place) as root:
                make_project(Path(root), files)
                first, _ = run(Path(root), 1, "process")
                print(f"  first run  {first}: a command with one trial that also builds the template")
                for sandbox in ["process"] if problem else ["bubblewrap", "process"]:
                    report(Path(root), sandbox, trials)


if __name__ == "__main__":
    main()
