"""A small Harness Lab suite to break, and the helpers that write it."""

from __future__ import annotations

from pathlib import Path

from support.repositories import write_files

TASK = """\
id: t
name: Task
repo: {path: ../repo}
prompt: Do it.
verification:
  command: make check
"""
SUITE = """\
name: demo
tasks: [tasks/t.yaml]
"""
FILES = {
    "repo/app.py": "print()\n",
    "repo/keys.env": "TOKEN=abcd-1234-efgh\n",
    "hidden/test_x.py": "",
    "overlay/app.py": "",
    "bundle/system_prompt.md": "",
    "key.txt": "",
    "key.csv": "",
}


def replaced(old: str, new: str) -> str:
    """The task with one part replaced; without a mark, the part begins with what is wrong."""
    assert TASK.count(old) == 1
    return TASK.replace(old, new)


def write(tmp_path: Path, task: str = TASK, suite: str = SUITE, **more: str) -> None:
    write_files(tmp_path, {**FILES, "tasks/t.yaml": task, "suite.yaml": suite, **more})
