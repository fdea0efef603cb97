"""A small agent-exam project to break, and the helpers that write it."""

from __future__ import annotations

from pathlib import Path

from support.repositories import write_files

CONFIG = """\
concurrency_groups: {github: 2}
tags:
  slow: {exclude_by_default: true}
  smoke:
"""
TASK = """\
prompt: Write hello.txt.
assertions:
  - file_exists: hello.txt
"""
TRIGGER = """\
kind: trigger
skill: greet
positive:
  - say hello
negative:
  - make coffee
"""
HELLO = "evals/suites/greet/tasks/hello.yaml"
CONFIGURATION = "evals/config.yaml"
FILES = {
    "pyproject.toml": '[project]\nname = "project"\n',
    CONFIGURATION: CONFIG,
    HELLO: TASK,
    "evals/fixtures/small/a.txt": "a\n",
}


def replaced(old: str, new: str, text: str = TASK) -> str:
    """A file with one part replaced."""
    assert text.count(old) == 1
    return text.replace(old, new)


def write(root: Path, files: dict[str, str] | None = None) -> Path:
    """A project with one suite and one task, and more files, or others in their place."""
    write_files(root, {**FILES, **(files or {})})
    return root
