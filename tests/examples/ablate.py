"""The published example of an ablate task, and one that uses every assertion type and field."""

from __future__ import annotations

from pathlib import Path

from examples.example import Example
from support.repositories import git, make_repository, write_files

COMMIT_NAME = "3f9a1c2"
"""The base commit that the published example names; here a tag."""

PUBLISHED_SETUP = 'uv venv -q && uv pip install -q -e ".[dev]"'


def local_setup(bin_folder: Path) -> str:
    """A setup that needs no package index: pytest and ruff of an environment that has them."""
    lines = ["mkdir -p .venv/bin"]
    for name in ("python", "ruff"):
        # A link to the python of an environment would forget the environment.
        lines.append(f"printf '#!/bin/sh\\nexec {bin_folder}/{name} \"$@\"\\n' > .venv/bin/{name}")
        lines.append(f"chmod +x .venv/bin/{name}")
    return " && ".join(lines)


_CLI = '''\
"""A command line with three commands."""

import argparse
import json


def _report(arguments):
    rows = {"tasks": 3, "trials": 15}
    if arguments.format == "json":
        print(json.dumps(rows))
    else:
        for name, value in rows.items():
            print(f"{name:<10}{value:>8}")
    return 0


def _cost(arguments):
    rows = {"setup": 120, "style": 80}
    for name, tokens in rows.items():
        print(f"{name:<10}{tokens:>8}")
    return 0


def _add_format(parser):
    parser.add_argument("--format", choices=["text", "json"], default="text")


def build_parser():
    parser = argparse.ArgumentParser(prog="ablate")
    commands = parser.add_subparsers(dest="command", required=True)
    report = commands.add_parser("report")
    _add_format(report)
    report.set_defaults(run=_report)
    cost = commands.add_parser("cost")
    cost.set_defaults(run=_cost)
    return parser


def main(argv=None):
    arguments = build_parser().parse_args(argv)
    return arguments.run(arguments)
'''

_CLI_SOLVED = _CLI.replace(
    """    for name, tokens in rows.items():
        print(f"{name:<10}{tokens:>8}")
    return 0
""",
    """    if arguments.format == "json":
        print(json.dumps(rows))
    else:
        for name, tokens in rows.items():
            print(f"{name:<10}{tokens:>8}")
    return 0
""",
).replace(
    """    cost.set_defaults(run=_cost)
""",
    """    _add_format(cost)
    cost.set_defaults(run=_cost)
""",
)

_TEST_CLI = """\
from ablate.cli import main


def test_report_prints_a_table(capsys):
    assert main(["report"]) == 0
    assert "trials" in capsys.readouterr().out


def test_cost_prints_a_table(capsys):
    assert main(["cost"]) == 0
    assert "style" in capsys.readouterr().out
"""

_TEST_ADDED = """\
import json

from ablate.cli import main


def test_cost_as_json(capsys):
    assert main(["cost", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"setup": 120, "style": 80}
"""

PROJECT = {
    "pyproject.toml": """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "ablate-example"
version = "0.1"
requires-python = ">=3.9"

[project.optional-dependencies]
dev = ["pytest", "ruff"]

[tool.hatch.build.targets.wheel]
packages = ["ablate"]

[tool.pytest.ini_options]
pythonpath = ["."]
""",
    ".gitignore": ".venv/\n__pycache__/\n",
    "README.md": "A command line to try things on.\n",
    "CLAUDE.md": "Every command takes --format and has a test in tests/.\n",
    "ablate/__init__.py": "",
    "ablate/__main__.py": "from ablate.cli import main\n\nraise SystemExit(main())\n",
    "ablate/cli.py": _CLI,
    "tests/test_cli.py": _TEST_CLI,
    # The answer, as it would be mined from a pull request.
    "tests/test_cost_json.py": _TEST_ADDED,
}

PUBLISHED = """\
id: convention-cost-json
description: Give `ablate cost` a --format json option.

base_commit: 3f9a1c2
setup: uv venv -q && uv pip install -q -e ".[dev]"
timeout_s: 600

prompt: |
  `ablate cost` can only print a table for people. It needs an option
  `--format text|json`, done in the way of the commands that have one.

hide:
  - tests/test_cost_json.py    # what the agent is to come up with itself

assert:
  - id: tests-pass
    type: exit_code
    run: .venv/bin/python -m pytest tests/test_cli.py -q
    expect: 0

  - id: test-added
    type: files_touched
    must_include: ["tests/**"]

  - id: no-vendored-deps
    type: files_touched
    must_not_include: ["vendor/**", "**/node_modules/**"]

  - id: no-bare-except
    type: absent
    pattern: 'except\\s*:'
    in: diff

  - id: lint
    type: lint
    run: .venv/bin/ruff check .
    expect: 0

weight: 1.0
tags: [convention, smoke]
"""
"""The published example; descriptions and prompts are in our own words."""

_SOLUTION = {"ablate/cli.py": _CLI_SOLVED, "tests/test_cost_format.py": _TEST_ADDED}


def build_ablate_example(root: Path, *, setup: str = PUBLISHED_SETUP) -> Example:
    """The published example below `root`, with a small project that it fits.

    `setup` takes the place of the published one where no package index can be reached; it
    must leave `.venv/bin/python` with pytest and `.venv/bin/ruff`.
    """
    project = make_repository(root / "project", PROJECT)
    git(project, "tag", COMMIT_NAME)
    task = PUBLISHED.replace(f"setup: {PUBLISHED_SETUP}\n", f"setup: {_quoted(setup)}\n")
    write_files(project, {".ablate/tasks/convention-cost-json.yaml": task})
    return Example(
        spec=project,
        task="convention-cost-json",
        solution=_SOLUTION,
        breaking={
            "tests-pass": _SOLUTION
            | {"tests/test_cli.py": _TEST_CLI + "\n\ndef test_more():\n    assert 0\n"},
            "test-added": {"ablate/cli.py": _CLI_SOLVED},
            "no-vendored-deps": _SOLUTION | {"web/node_modules/left/pad.js": "// pad\n"},
            "no-bare-except": _SOLUTION | {"notes.txt": "try and then except : it is a bad idea\n"},
            "lint": _SOLUTION | {"ablate/extra.py": "import os\n"},
        },
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'" if text != PUBLISHED_SETUP else text


EVERY_FIELD = """\
id: every-field
description: Uses each field and each assertion type.
base_commit: main
setup: mkdir -p build && echo ready > build/state
timeout_s: 300
prompt: |
  Add a function `double(number)` to tool.py that returns twice its argument.
config_path: docs/AGENTS.md
hide: ["answers/**", secret.txt]
assert:
  - {id: works, type: exit_code, run: "python3 -c 'import tool; assert tool.double(4) == 8'", timeout_s: 60}
  - {id: refuses, type: exit_code, run: python3 -c 'import nothing_like_this', expect: 1}
  - {id: scope, type: files_touched, must_include: ["tool.py"], must_not_include: ["docs/**", "*.lock"]}
  - {id: named, type: present, pattern: 'def double\\(', paths: ["*.py"], in: files}
  - {id: added, type: present, pattern: '^\\+def double'}
  - {id: no-print, type: absent, pattern: 'print\\(', paths: ["**/*.py"], in: diff, required: false}
  - {id: short-lines, type: lint, run: "awk 'length > 60 { exit 1 }' tool.py", expect: 0, timeout_s: 30}
  - id: counted
    type: script
    run: |
      python3 - <<'END'
      import json, os, pathlib
      lines = pathlib.Path(os.environ["ABLATE_DIFF_FILE"]).read_text().splitlines()
      tool = pathlib.Path(os.environ["ABLATE_TRIAL_DIR"], "tool.py")
      print(json.dumps({"diff": {"lines": len(lines)}, "bytes": tool.stat().st_size}))
      raise SystemExit(len(lines) > 50)
      END
    expect: 0
    capture_json: true
    timeout_s: 30
weight: 2.5
tags: [every, field]
"""

_TOOL = '"""Arithmetic."""\n\n\ndef triple(number):\n    return 3 * number\n'
_DOUBLE = _TOOL + "\n\ndef double(number):\n    return 2 * number\n"


def build_ablate_every_field(root: Path) -> Example:
    """A task that uses every field and every assertion type, and needs nothing but Python."""
    files = {
        "tool.py": _TOOL,
        "docs/guide.md": "# Guide\n",
        "answers/double.py": "answer\n",
        "secret.txt": "answer\n",
        ".gitignore": "build/\n",
    }
    project = make_repository(root / "project", files)
    write_files(project, {".ablate/tasks/every-field.yml": EVERY_FIELD})
    solution = {"tool.py": _DOUBLE}
    return Example(
        spec=project,
        task="every-field",
        solution=solution,
        breaking={
            "works": {"tool.py": _DOUBLE.replace("2 * number", "4 * number")},
            "refuses": solution | {"nothing_like_this.py": ""},
            "scope": solution | {"docs/guide.md": "# Another guide\n"},
            "named": {"tool.py": _DOUBLE.replace("double(number)", "double (number)")},
            "added": {
                "tool.py": _TOOL + "\n\nif True:\n    def double(number):\n        return 2 * number\n"
            },
            "no-print": {"tool.py": _DOUBLE + "\n\nif __name__ == '__main__':\n    print(double(2))\n"},
            "short-lines": {"tool.py": _DOUBLE + f"\n\n# {'-' * 70}\n"},
            "counted": {"tool.py": _DOUBLE + "\n\n" + "# a line\n" * 60},
        },
    )
