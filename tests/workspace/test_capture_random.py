"""Any sequence of changes is captured exactly: the tree, the changes and the diff."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.repositories import write_files
from support.workspaces import plain_walk, sealed_folder, workspace

from bakeoff.git.diff import changed_paths
from bakeoff.git.objects import object_id
from bakeoff.model.check import ChangeKind
from bakeoff.store.archive import Archive
from bakeoff.workspace.capture import capture, take_baseline
from bakeoff.workspace.sealed import Sealed

FILES: dict[str, str | bytes] = {"a": "1", "b": "2", "d/a": "3", "d/e/a": "4", "d/e/b": "5"}
NAMES = st.sampled_from([b"a", b"b", b"d", b"e", b"\xe9", b"n\n"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(b"/".join)
ACTS = st.one_of(
    st.tuples(st.just("write"), PATHS, st.binary(max_size=3)),
    st.tuples(st.just("make"), PATHS, st.just(b"")),
    st.tuples(st.just("remove"), PATHS, st.just(b"")),
    st.tuples(st.just("move"), PATHS, PATHS),
    st.tuples(st.just("link"), PATHS, PATHS),
    st.tuples(st.just("copy"), PATHS, PATHS),
    st.tuples(st.just("mode"), PATHS, st.sampled_from([b"755", b"644", b"000"])),
    st.tuples(st.just("pipe"), PATHS, st.just(b"")),
)


def do(root: bytes, act: str, path: bytes, value: bytes) -> None:
    """One act of an agent; what cannot be done is passed over."""
    place = os.path.join(root, path)
    with contextlib.suppress(OSError, shutil.Error):
        if act == "write":
            with contextlib.suppress(BlockingIOError):
                opened = os.open(
                    place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK | os.O_NOFOLLOW, 0o644
                )
                os.write(opened, value)
                os.close(opened)
        elif act == "make":
            os.makedirs(place)
        elif act == "remove":
            shutil.rmtree(place) if os.path.isdir(place) and not os.path.islink(place) else os.unlink(place)
        elif act == "move":
            os.rename(place, os.path.join(root, value))
        elif act == "link":
            os.symlink(value, place)
        elif act == "copy":
            os.link(place, os.path.join(root, value), follow_symlinks=False)
        elif act == "mode" and not os.path.islink(place):
            os.chmod(place, int(value, 8) | (0o700 if os.path.isdir(place) else 0))
        elif act == "pipe":
            os.mkfifo(place)


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Sealed:
    base = tmp_path_factory.mktemp("sealed")
    return sealed_folder(write_files(base / "folder", FILES), base / "cache")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    return Archive(tmp_path_factory.mktemp("archive") / "archive.git")


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(setup=st.lists(ACTS, max_size=4), acts=st.lists(ACTS, max_size=10))
def test_any_sequence_of_acts(
    sealed: Sealed,
    archive: Archive,
    root: Path,
    setup: list[tuple[str, bytes, bytes]],
    acts: list[tuple[str, bytes, bytes]],
) -> None:
    with workspace(sealed, root) as made:
        top = os.fsencode(made.path)
        for act in setup:
            do(top, *act)
        baseline = take_baseline(made, sealed, archive)
        before = plain_walk(made.path)
        for act in acts:
            do(top, *act)
        taken = capture(made, baseline, sealed, archive)
        after = plain_walk(made.path)
    assert {path: (mode, blob) for path, mode, blob in archive.walk_tree(taken.tree)} == {
        path: (
            0o120000 if kind == "link" else 0o100755 if mode & 0o100 else 0o100644,
            object_id(b"blob", data),
        )
        for path, (kind, mode, data) in after.items()
        if kind != "special"
    }
    told = {change.path: change.kind for change in taken.changes}
    for path in before.keys() | after.keys():
        old, new = before.get(path), after.get(path)
        if old is None or new is None:
            assert told.pop(path) is (ChangeKind.ADDED if old is None else ChangeKind.DELETED)
        elif old[0] != new[0]:
            assert told.pop(path) is ChangeKind.TYPE
        elif old[2] != new[2]:
            assert told.pop(path) is ChangeKind.MODIFIED
        elif old[0] == "file" and (old[1] ^ new[1]) & 0o100:
            assert told.pop(path) is ChangeKind.MODE
        elif old[0] == "special":
            told.pop(path, None)
    assert told == {}
    differing = {change.path for change in changed_paths(archive.path, baseline.tree, taken.tree)}
    assert differing <= set(taken.diff_paths)
