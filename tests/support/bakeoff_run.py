"""Runs the whole command line as a child process on made-up Harness Lab projects."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bakeoff.model.trial import TrialRecord
from bakeoff.store.archive import Archive
from bakeoff.store.database import Store
from bakeoff.store.layout import Layout


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def story(self) -> str:
        """Everything, for the message of an assertion."""
        return f"exit code {self.code}\n--- stdout\n{self.out[-8000:]}\n--- stderr\n{self.err[-8000:]}"


def command_of(arguments: Sequence[str | Path]) -> list[str]:
    """The argument vector that starts Bakeoff with this interpreter."""
    return [sys.executable, "-m", "bakeoff", *map(str, arguments)]


def bakeoff(*arguments: str | Path, cwd: Path, timeout_s: float = 280, **env: str) -> Answer:
    """Run one command to its end."""
    done = subprocess.run(
        command_of(arguments),
        cwd=cwd,
        env=os.environ | env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout_s,
        check=False,
    )
    return Answer(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())


@dataclass(frozen=True, slots=True)
class Project:
    """A directory with a suite `suite.yaml` and a starting folder `start/`.

    Attributes:
        root: the directory; the store is `.bakeoff` in it.
    """

    root: Path

    @property
    def layout(self) -> Layout:
        """Where its store is."""
        return Layout(home=self.root / ".bakeoff")

    @property
    def archive(self) -> Archive:
        """The archive of final trees."""
        return Archive(self.layout.archive)

    def run(self, *arguments: str, timeout_s: float = 280, **env: str) -> Answer:
        """`bakeoff run suite.yaml` with more arguments."""
        return bakeoff("run", "suite.yaml", *arguments, cwd=self.root, timeout_s=timeout_s, **env)

    def records(self) -> list[TrialRecord]:
        """The trials of the newest experiment, in the order of its plan."""
        store = Store.open(self.layout, create=False)
        return store.trials(store.experiments(limit=1)[0].id)

    def record(self) -> TrialRecord:
        """The one trial of the newest experiment."""
        (record,) = self.records()
        return record

    def final_files(self, record: TrialRecord) -> dict[bytes, bytes]:
        """Path to content of everything in a trial's final tree."""
        assert record.final_tree is not None
        archive = self.archive
        return {path: archive.read_blob(blob) for path, _mode, blob in archive.walk_tree(record.final_tree)}


def make_project(
    root: Path,
    *,
    files: Mapping[str, str | bytes] | None = None,
    script: Sequence[Mapping[str, Any]] = (),
    variants: Sequence[Mapping[str, Any]] | None = None,
    verification: Mapping[str, Any] | None = None,
    outside: Mapping[str, str | bytes] | None = None,
    **task: Any,
) -> Project:
    """Write a suite with one task and, unless told otherwise, one scripted agent.

    `files` are the starting files, `outside` lie beside the suite (hidden tests, overlays),
    `script` is what the agent does, `task` are further fields of the task.
    """
    start = root / "start"
    for name, content in (files or {"app.py": "def add(a, b):\n    return a - b\n"}).items():
        _write(start / name, content)
    for name, content in (outside or {}).items():
        _write(root / name, content)
    document = {
        "id": "task",
        "name": "A made-up task",
        "repo": {"path": "start"},
        "prompt": "Do what is asked.",
        "verification": {"command": "true", **(verification or {})},
        **task,
    }
    suite = {
        "name": "made-up",
        "tasks": ["task.yaml"],
        "variants": list(variants or [{"id": "agent", "runner": "fake", "script": list(script)}]),
    }
    _write(root / "task.yaml", yaml.safe_dump(document, sort_keys=False, allow_unicode=True))
    _write(root / "suite.yaml", yaml.safe_dump(suite, sort_keys=False, allow_unicode=True))
    return Project(root)


def _write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
