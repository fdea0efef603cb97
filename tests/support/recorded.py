"""A store with recorded experiments in it, for tests of the commands that read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.experiments import demo_experiment, demo_trials
from support.homes import a_store

from bakeoff.git.tree import make_tree
from bakeoff.model.trajectory import Message, ToolCall, Trajectory
from bakeoff.model.trial import ChangeRecord, TrialRecord
from bakeoff.store.archive import Archive
from bakeoff.store.artifacts import STREAM, TRAJECTORY, Artifacts
from bakeoff.store.database import Store
from bakeoff.store.layout import Layout
from bakeoff.store.trajectory_file import dump_trajectory

STREAM_BYTES = b'{"type":"result"}\n\xff\x1b]0;title\x07\n'
BEFORE = {b"src/app.py": b"def add(a, b):\n    return a - b\n"}
AFTER = {
    b"src/app.py": b"def add(a, b):\n    return a + b\n",
    b"caf\xe9.txt": b"latin \xe9\n",
    b"ignored.log": b"noise\n",
}
CHANGES = [
    ChangeRecord(path="src/app.py", kind="modified", tracked=True),
    ChangeRecord(path="caf\\xe9.txt", kind="added"),
    ChangeRecord(path="ignored.log", kind="added", ignored=True),
]
TRAJECTORY_KEPT = Trajectory(
    steps=(
        Message(text="I will look."),
        ToolCall(id="1", name="Bash", input={"command": "ls"}, result="app.py"),
    ),
    final_text="All done \x1b[31m!",
)


def recorded_demo(tmp_path: Path) -> Store:
    """The demo experiment; its first trial has trees, a stream and a trajectory."""
    store = a_store(tmp_path)
    store.start(demo_experiment())
    first, *others = demo_trials()
    store.record(first.model_copy(update=_kept(store.layout, first)))
    for trial in others:
        store.record(trial)
    return store


def _kept(layout: Layout, trial: TrialRecord) -> dict[str, Any]:
    archive = Archive(layout.archive)
    artifacts = Artifacts(layout=layout, experiment=trial.experiment, trial=trial.id)
    return {
        "baseline_tree": _tree(archive, BEFORE),
        "final_tree": _tree(archive, AFTER),
        "changes": CHANGES,
        "artifacts": {
            STREAM: artifacts.write(STREAM, STREAM_BYTES, redact=bytes),
            TRAJECTORY: artifacts.write(TRAJECTORY, dump_trajectory(TRAJECTORY_KEPT), redact=bytes),
        },
    }


def _tree(archive: Archive, files: dict[bytes, bytes]) -> str:
    leaves = {path: (0o100644, archive.put_blob(content)) for path, content in files.items()}
    return make_tree(leaves, archive.put_tree).id
