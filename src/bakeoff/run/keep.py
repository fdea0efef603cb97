"""Keeping what a trial left besides its tree: streams, session files, trajectory, texts."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from bakeoff.identity import display_path
from bakeoff.patterns import Glob, compile_glob, matches_any
from bakeoff.run.agent import Round
from bakeoff.run.draft import Draft
from bakeoff.run.workbench import Workbench
from bakeoff.store.artifacts import STDERR, STREAM, TRAJECTORY, Artifacts
from bakeoff.store.trajectory_file import dump_trajectory
from bakeoff.workspace.create import Workspace

SESSION_BYTES = 64 * 1024 * 1024
"""Bytes of session files kept of one trial; what lies beyond is named in the record."""

SESSION_FILES = 200
"""Session files kept of one trial."""


def keep_round(played: Round, bench: Workbench, draft: Draft, workspace: Workspace) -> None:
    """Store stream, standard error, trajectory and session files, redacted."""
    artifacts = _artifacts(bench, draft)
    for name, path in ((STREAM, played.stream), (STDERR, played.stderr)):
        if path.exists() and path.stat().st_size:
            draft.artifacts[name] = artifacts.copy(name, path, redact=bench.redactor.redact_stream)
    trajectory = dump_trajectory(played.trajectory, bench.redactor.redact_text)
    draft.artifacts[TRAJECTORY] = artifacts.write(TRAJECTORY, trajectory, redact=bench.redactor.redact)
    _keep_sessions(played, bench, draft, artifacts, workspace.home)


def keep_text(name: str, text: str, bench: Workbench, draft: Draft) -> None:
    """Store a text of Bakeoff's own, redacted; nothing when it is empty."""
    if text:
        content = text.encode("utf-8", "backslashreplace")
        draft.artifacts[name] = _artifacts(bench, draft).write(name, content, redact=bench.redactor.redact)


def _artifacts(bench: Workbench, draft: Draft) -> Artifacts:
    return Artifacts(layout=bench.layout, experiment=bench.experiment, trial=draft.id)


def _keep_sessions(played: Round, bench: Workbench, draft: Draft, artifacts: Artifacts, home: Path) -> None:
    globs = tuple(compile_glob(pattern) for pattern in played.launch.session_files)
    if not globs:
        return
    left = SESSION_BYTES
    for number, (relative, path) in enumerate(_matching(os.fsencode(home), globs), start=1):
        size = os.lstat(path).st_size
        if number > SESSION_FILES or size > left:
            draft.find("session_file_left_out", f"{display_path(relative)}: {size} bytes")
            continue
        left -= size
        name = f"session-{number}"
        draft.artifacts[name] = artifacts.copy(
            name, Path(os.fsdecode(path)), redact=bench.redactor.redact_stream
        )


def _matching(home: bytes, globs: tuple[Glob, ...]) -> Iterator[tuple[bytes, bytes]]:
    """Regular files below HOME that match, sorted; links are never followed."""
    found: list[tuple[bytes, bytes]] = []
    for directory, _, names in os.walk(home, followlinks=False):
        for name in names:
            path = os.path.join(directory, name)
            relative = os.path.relpath(path, home)
            if matches_any(globs, relative) and stat.S_ISREG(os.lstat(path).st_mode):
                found.append((relative, path))
    return iter(sorted(found))
