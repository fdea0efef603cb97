"""Keeping what a trial left besides its tree: streams, session files, trajectory, texts."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from bakeoff.identity import display_path
from bakeoff.run.agent import Round
from bakeoff.run.draft import Draft
from bakeoff.run.workbench import Workbench
from bakeoff.store.artifacts import STDERR, STREAM, TRAJECTORY, Artifacts
from bakeoff.store.trajectory_file import dump_trajectory
from bakeoff.workspace.descent import blame


def keep_round(played: Round, bench: Workbench, draft: Draft) -> None:
    """Store stream, standard error, trajectory and session files, redacted."""
    artifacts = _artifacts(bench, draft)
    for name, path in ((STREAM, played.stream), (STDERR, played.stderr)):
        _keep_file(name, path, bench, draft, artifacts)
    trajectory = dump_trajectory(played.trajectory, bench.redactor.redact_text)
    draft.artifacts[TRAJECTORY] = artifacts.write(TRAJECTORY, trajectory, redact=bench.redactor.redact)
    _keep_sessions(played, bench, draft, artifacts)


def _keep_file(name: str, path: Path, bench: Workbench, draft: Draft, artifacts: Artifacts) -> None:
    """Store a file unless it is empty; an agent without a sandbox may have put something else there."""
    try:
        status = os.lstat(path)
        if status.st_size or not stat.S_ISREG(status.st_mode):
            draft.artifacts[name] = artifacts.copy(name, path, redact=bench.redactor.redact_stream)
    except OSError as error:
        draft.find("not_kept", f"{name}: {blame(error)}")


def keep_text(name: str, text: str, bench: Workbench, draft: Draft) -> None:
    """Store a text of Bakeoff's own, redacted; nothing when it is empty."""
    if text:
        content = text.encode("utf-8", "backslashreplace")
        draft.artifacts[name] = _artifacts(bench, draft).write(name, content, redact=bench.redactor.redact)


def _artifacts(bench: Workbench, draft: Draft) -> Artifacts:
    return Artifacts(layout=bench.layout, experiment=bench.experiment, trial=draft.id)


def _keep_sessions(played: Round, bench: Workbench, draft: Draft, artifacts: Artifacts) -> None:
    for number, file in enumerate(played.sessions, start=1):
        if file.copy is not None:
            _keep_file(f"session-{number}", file.copy, bench, draft, artifacts)
        else:
            draft.find("session_file_left_out", f"{display_path(file.relative)}: {file.size} bytes")
