"""How long commands take that do next to nothing: CPU seconds of the whole process, and where they go."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring.commands import best_of, measure
from measuring.machine import describe
from measuring.projects import commit_all, write_modules, write_suite

RUNS = 5
LIMIT_S = 0.3
BAKEOFF = (sys.executable, "-m", "bakeoff")
COMMANDS = (
    ("--help",),
    ("validate", "suite.yaml"),
    ("run", "suite.yaml", "--dry-run"),
    ("list",),
    ("show", "latest"),
)


def slowest_imports(command: tuple[str, ...], count: int, cwd: Path) -> list[tuple[float, str]]:
    """Milliseconds of each module's own code, without what it imports."""
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "bakeoff", *command],
        capture_output=True,
        text=True,
        check=True,
        cwd=cwd,
    )
    lines = re.findall(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)", run.stderr)
    return sorted(((int(own) / 1000, name) for own, name in lines), reverse=True)[:count]


def main() -> None:
    """Print the figures; fail when the limit for --help is broken even at best."""
    print(describe())
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        root = Path(folder)
        write_modules(root / "repository", 300)
        commit_all(root / "repository")
        write_suite(root, {"id": "idle", "runner": "fake", "script": [{"text": "Nothing to do."}]})
        measure([*BAKEOFF, "run", "suite.yaml", "-k", "1", "--sandbox", "process"], cwd=root)
        print(f"CPU of the whole command, {RUNS} runs each")
        for command in COMMANDS:
            best, median = best_of(RUNS, [*BAKEOFF, *command], cwd=root)
            said = " ".join(("bakeoff", *command))
            print(f"  {said:<34} best {best.cpu_s:.3f} s, median {median.cpu_s:.3f} s")
            if command == ("--help",):
                in_help = best.cpu_s
        print("slowest modules of `bakeoff validate`, their own code, with the cost of measuring:")
        for milliseconds, name in slowest_imports(COMMANDS[1], 6, root):
            print(f"  {milliseconds:6.1f} ms  {name}")
    if in_help >= LIMIT_S:
        raise SystemExit(f"bakeoff --help is over its limit of {LIMIT_S} s")


if __name__ == "__main__":
    main()
