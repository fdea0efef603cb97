"""The same trial in Bakeoff and in the three tools whose files it runs: an agent that does nothing.

    python benchmarks/peers.py [--tools DIRECTORY] [--python PROGRAM] [--trials 20] [--files 300]

All four start the same stand-in for Claude Code on the same repository and judge with the smallest
check that each has. The tools come from PyPI, each into an environment of its own in DIRECTORY,
which is kept; what cannot be installed is skipped. Their code is run, never read. They do not do
the same work for a trial: Bakeoff makes a sealed repository for each, ends every process and
archives the whole final tree; the figures say what that costs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from measuring.commands import Cost, best_of, measure
from measuring.machine import describe, places
from measuring.projects import commit_all, write_modules, write_suite
from measuring.stand_in import write_stand_in

INSTALL_LIMIT_S = 240
INTERPRETERS = (sys.executable, "python3.13", "python3.12")
"""Tried in order, after `--python`: one of the tools needs a newer Python than Bakeoff does."""


@dataclass(frozen=True)
class Tool:
    """How a tool is installed and asked for so many trials.

    Attributes:
        package: its name and version on PyPI; empty for Bakeoff.
        trials: arguments for one trial more or less, with `{count}`.
        per_count: how many trials one of `{count}` is.
        start: arguments that only start it.
    """

    name: str
    package: str
    program: str
    trials: str
    folder: str
    start: str
    per_count: int = 1


BAKEOFF = Tool(
    "Bakeoff, process", "", "", "run suite.yaml -k {count} -j 1 --sandbox process", ".", "--version"
)
SANDBOXED = Tool(
    "Bakeoff, bubblewrap", "", "", "run suite.yaml -k {count} -j 1 --sandbox bubblewrap", ".", "--version"
)
PEERS = (
    Tool(
        "ablate",
        "ablate-cli==0.5.1",
        "ablate",
        "compare CLAUDE.md /dev/null --trials {count} --concurrency 1 --injection native --yes --max-spend 100000",
        "repository",
        "--version",
        per_count=2,
    ),
    Tool(
        "agent-exam",
        "agent-exam==0.3.0",
        "agent-exam",
        "run idle -k {count} -n 1 --provider claude_code",
        "repository",
        "--help",
    ),
    Tool(
        "Harness Lab",
        "harnesslab==0.3.0",
        "harnesslab",
        "run suite.yaml -v idle -r {count} -p 1 -y",
        ".",
        "version",
    ),
)


def make_project(root: Path, files: int) -> None:
    """One repository with the task in the formats of all the tools."""
    repository = root / "repository"
    write_modules(repository, files)
    (repository / "CLAUDE.md").write_text("# Rules\n\nDo nothing.\n")
    (repository / "pyproject.toml").write_text('[project]\nname = "made-up"\nversion = "0"\n')
    (repository / "skills" / "idle").mkdir(parents=True)
    (repository / "skills" / "idle" / "SKILL.md").write_text(
        "---\nname: idle\ndescription: Does nothing.\n---\nDo nothing.\n"
    )
    _write(
        repository / ".ablate" / "tasks" / "nothing.yaml",
        {
            "id": "nothing",
            "prompt": "Do nothing.",
            "assert": [{"id": "true", "type": "exit_code", "run": "true"}],
        },
    )
    _write(repository / "evals" / "config.yaml", {"default_harness": "claude_code"})
    _write(
        repository / "evals" / "suites" / "idle" / "tasks" / "nothing.yaml",
        {"kind": "execute", "prompt": "Do nothing.", "assertions": [{"no_permission_errors": None}]},
    )
    commit_all(repository)
    write_suite(root, {"id": "idle", "runner": "claude"})


def _write(file: Path, document: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump(document, sort_keys=False))


def install(tool: Tool, folder: Path, interpreters: Sequence[str]) -> tuple[Path | None, str]:
    """The installed program, or None and the reason."""
    program = folder / tool.package / "bin" / tool.program
    if program.exists():
        return program, ""
    said = ""
    for interpreter in interpreters:
        found = shutil.which(interpreter)
        if found is None:
            continue
        home = folder / tool.package
        try:
            # Not -m venv of a link in an environment: the tools see nothing of Bakeoff's packages.
            _quiet([found, "-I", "-m", "venv", "--clear", str(home)])
            _quiet([str(home / "bin" / "python"), "-m", "pip", "install", "-q", tool.package])
        except (OSError, subprocess.SubprocessError) as error:
            output = getattr(error, "stdout", None) or str(error)
            lines = [line for line in str(output).splitlines() if line.startswith("ERROR")]
            said = (lines or [str(error).replace(str(folder), "DIRECTORY")])[0][:200]
            shutil.rmtree(home, ignore_errors=True)
        else:
            return program, ""
    return None, said or "there is no Python to install it with"


def _quiet(command: Sequence[str]) -> None:
    subprocess.run(
        command,
        check=True,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=INSTALL_LIMIT_S,
    )


def compare(tools: Sequence[tuple[Tool, list[str]]], root: Path, trials: int) -> None:
    """Print one more trial of each tool, and its ratio to the first tool."""
    first: Cost | None = None
    for tool, program in tools:
        folder = root / tool.folder
        start, _ = best_of(3, [*program, *tool.start.split()], cwd=folder)
        counts = (1, 1 + max(1, trials // tool.per_count))
        try:
            # The first run makes caches and templates.
            few, few_again, many = (
                measure([*program, *tool.trials.format(count=count).split()], cwd=folder)
                for count in (1, *counts)
            )
        except SystemExit as failed:
            print(f"  {tool.name:<20} cannot run this trial: {str(failed).splitlines()[-1]}")
            continue
        each = (many - few_again) / ((counts[1] - 1) * tool.per_count)
        first = first or each
        print(
            f"  {tool.name:<20} {each} a trial (x {each.cpu_s / first.cpu_s:4.1f} CPU);"
            f" {few} for the first command; start-up {start.cpu_s * 1000:.0f} ms CPU",
            flush=True,
        )


def main() -> None:
    """Install what can be had, and run all one after the other, as often as asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=Path, default=Path(tempfile.gettempdir()) / "bakeoff-bench-tools")
    parser.add_argument("--python", help="a Python 3.12 or newer, where PATH has none")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    print(describe())
    ours = [sys.executable, "-m", "bakeoff"]
    interpreters = (*([arguments.python] if arguments.python else []), *INTERPRETERS)
    tools = [(BAKEOFF, ours)]
    if shutil.which("bwrap"):
        tools.append((SANDBOXED, ours))
    for peer in PEERS:
        program, problem = install(peer, arguments.tools, interpreters)
        if program is None:
            print(f"  {peer.name}: not installed: skipped ({problem})")
        else:
            tools.append((peer, [str(program)]))
    for number in range(arguments.rounds):
        with tempfile.TemporaryDirectory(prefix="bench-", dir=list(places().values())[-1]) as folder:
            root = Path(folder)
            make_project(root, arguments.files)
            # The tools differ in what they put into HOME, and all of it is to be gone afterwards.
            os.environ |= {"HOME": str(root / "home"), "HARNESSLAB_HOME": str(root / "harnesslab")}
            os.environ["TMPDIR"] = str(root.parent)
            os.environ["PATH"] = f"{write_stand_in(root)}{os.pathsep}{os.environ['PATH']}"
            print(f"round {number + 1}, {arguments.files} files, in {root.parent}")
            compare(tools, root, arguments.trials)


if __name__ == "__main__":
    main()
