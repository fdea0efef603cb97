"""Harness Lab suites with several tasks and scripted agents, each run once by the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from support.bakeoff_run import Project
from support.repositories import write_files

START = {"app.py": "def add(a, b):\n    return a - b\n"}
RIGHT = "def add(a, b):\n    return a + b\n"
WORKS = "python3 -c 'import app; assert app.add(2, 3) == 5'"

Fields = Mapping[str, Any]


def make_suite(
    root: Path,
    *,
    tasks: Mapping[str, Fields],
    arms: Mapping[str, Sequence[Fields] | Fields],
    files: Mapping[str, str | bytes] | None = None,
    **suite: Any,
) -> Project:
    """Write `suite.yaml`, one file for each task, and the starting files `start/`.

    `tasks` are the fields of each task beside the common ones; `arms` are the scripts of
    fake agents, or the whole variant.
    """
    write_files(root / "start", START if files is None else files)
    for name, fields in tasks.items():
        document = {
            "id": name,
            "name": name,
            "repo": {"path": "start"},
            "prompt": "Do what is asked.",
            "verification": {"command": "true"},
            **fields,
        }
        _write(root / f"{name}.yaml", document)
    variants = [
        {"id": name, "runner": "fake", **(dict(arm) if isinstance(arm, Mapping) else {"script": list(arm)})}
        for name, arm in arms.items()
    ]
    _write(
        root / "suite.yaml",
        {"name": "suite", "tasks": [f"{name}.yaml" for name in tasks], "variants": variants, **suite},
    )
    return Project(root)


def _write(path: Path, document: object) -> None:
    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=10_000)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
