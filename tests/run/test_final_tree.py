"""A path leads, by manifest and archive alone, where it would have led on disk."""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.errors import CheckBroken
from bakeoff.git.objects import object_id
from bakeoff.model.check import PlaceKind
from bakeoff.run.final_tree import MOST_LINKS, FinalTree
from bakeoff.workspace.manifest import Mark, scan


def tree_of(root: Path, *, file_cap: int = 1000) -> FinalTree:
    """The tree below `root` as a trial would have kept it."""
    blobs: dict[str, bytes] = {}

    def put(data: bytes) -> str:
        name = object_id(b"blob", data)
        blobs[name] = data
        return name

    found = scan(root, known={}, tracked=frozenset(), file_cap=file_cap, put_blob=put)
    return FinalTree(
        marks=found.marks,
        left_out=found.left_out,
        unread=frozenset(found.unread),
        root=os.fsencode(root),
        read_blob=blobs.__getitem__,
    )


NAMES = st.sampled_from(["a", "b", "c"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
TARGETS = st.one_of(
    PATHS,
    st.lists(st.sampled_from(["a", "b", "..", "."]), min_size=1, max_size=4).map("/".join),
    PATHS.map(lambda path: f"{path}/"),
    PATHS.map(lambda path: f"ROOT/{path}"),
    st.sampled_from(["ROOT", "ROOT/", "/", "ROOT/../workspace/a", "../workspace/b", "/etc", "a//b"]),
)
THINGS = st.one_of(st.just(("file", "")), st.just(("folder", "")), st.tuples(st.just("link"), TARGETS))


def make(root: Path, path: str, kind: str, target: str) -> None:
    place = root / path
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        # Through a link the thing may lie elsewhere; outside of the tree nothing is made.
        if not place.parent.resolve().is_relative_to(root):
            return
        if kind == "file":
            place.write_bytes(path.encode())
        elif kind == "folder":
            place.mkdir()
        else:
            place.symlink_to(target.replace("ROOT", str(root)))
    except (OSError, RuntimeError):
        return


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(PATHS, THINGS), max_size=8), st.lists(PATHS, min_size=1, max_size=6))
def test_it_leads_where_the_file_system_leads(
    things: list[tuple[str, tuple[str, str]]], asked: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "workspace"
        root.mkdir()
        for path, (kind, target) in things:
            make(root, path, kind, target)
        tree = tree_of(root)
        for path in [*asked, *(path for path, _ in things)]:
            place = tree.look_up(path.encode())
            try:
                status = os.stat(root / path)
            except OSError:
                assert place.kind in {PlaceKind.NOTHING, PlaceKind.OUTSIDE}, path
                continue
            real = (root / path).resolve()
            if not real.is_relative_to(root):
                assert place.kind is PlaceKind.OUTSIDE, path
                continue
            expected = PlaceKind.FILE if stat.S_ISREG(status.st_mode) else PlaceKind.FOLDER
            assert (place.kind, root / os.fsdecode(place.path)) == (expected, real), path
            if expected is PlaceKind.FILE:
                assert tree.read(place.path) == real.read_bytes()


def test_as_many_links_are_followed_as_the_system_follows(tmp_path: Path) -> None:
    (tmp_path / "0").write_text("x")
    for number in range(MOST_LINKS + 1):
        (tmp_path / str(number + 1)).symlink_to(str(number))
    (tmp_path / "circle").symlink_to("circle")
    tree = tree_of(tmp_path)
    assert tree.look_up(str(MOST_LINKS).encode()).kind is PlaceKind.FILE
    assert tree.look_up(str(MOST_LINKS + 1).encode()).kind is PlaceKind.NOTHING
    assert tree.look_up(b"circle").kind is PlaceKind.NOTHING


def test_what_is_not_archived_is_there_but_cannot_be_read(tmp_path: Path) -> None:
    package = tmp_path / "web" / "node_modules" / "left-pad"
    package.mkdir(parents=True)
    (package / "index.js").write_text("module.exports = 1")
    (package / "main.js").symlink_to("index.js")
    (tmp_path / "big.bin").write_bytes(b"x" * 2000)
    os.mkfifo(tmp_path / "pipe")
    tree = tree_of(tmp_path)
    for path in (b"web/node_modules/left-pad/index.js", b"big.bin"):
        assert tree.look_up(path).kind is PlaceKind.FILE
    with pytest.raises(CheckBroken, match=r"index\.js is not archived: dependency folder"):
        tree.read(b"web/node_modules/left-pad/index.js")
    with pytest.raises(CheckBroken, match="2000 bytes, more than 1000"):
        tree.read(b"big.bin")
    # Where the link leads is its content, which nobody kept: to say that nothing is there would be a guess.
    with pytest.raises(CheckBroken, match=r"main\.js is not archived"):
        tree.look_up(b"web/node_modules/left-pad/main.js")
    assert tree.look_up(b"web/node_modules/left-pad").kind is PlaceKind.FOLDER
    assert tree.look_up(b"pipe").kind is PlaceKind.SPECIAL
    assert tree.look_up(b"pipe/x").kind is PlaceKind.NOTHING


def test_behind_a_folder_that_was_not_entered_anything_may_lie(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "file").write_text("x")
    (tmp_path / "link").symlink_to("closed/file")
    tree = tree_of(tmp_path)
    closed = Mark(0o010000, 0, 0, 0, 0, None, archived=False)
    tree = replace(
        tree,
        marks={**tree.marks, b"closed": closed},
        left_out={b"closed": "unreadable: permission denied"},
        unread=frozenset({b"closed"}),
    )
    for path in (b"closed", b"closed/file", b"link"):
        with pytest.raises(CheckBroken, match="what is at closed is not known: unreadable"):
            tree.look_up(path)
    assert tree.look_up(b"open/other").kind is PlaceKind.NOTHING


def test_what_lies_in_a_git_directory_is_no_evidence(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main")
    (tmp_path / "head").symlink_to(".git/HEAD")
    tree = tree_of(tmp_path)
    with pytest.raises(CheckBroken, match="no part of the evidence"):
        tree.look_up(b"head")


def test_names_that_git_refuses_are_files_like_others(tmp_path: Path) -> None:
    (tmp_path / ".GIT").mkdir()
    (tmp_path / ".GIT" / "config").write_text("content")
    (tmp_path / os.fsdecode(b"b\xff")).write_text("bytes")
    tree = tree_of(tmp_path)
    assert tree.look_up(b".GIT/config").kind is PlaceKind.FILE
    assert tree.read(b".GIT/config") == b"content"
    assert tree.read(tree.look_up(b"b\xff").path) == b"bytes"
