"""The archive keeps every byte, whoever writes at the same time, and reads it back."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.repositories import git, make_repository, write_files

from bakeoff.errors import HostFailed
from bakeoff.git.call import run_git
from bakeoff.git.objects import EXECUTABLE, FILE, LINK
from bakeoff.git.tree import make_tree
from bakeoff.store.archive import Archive


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "store" / "archive.git")


def tree_of(archive: Archive, files: dict[bytes, bytes]) -> str:
    leaves = {path: (FILE, archive.put_blob(data)) for path, data in files.items()}
    return make_tree(leaves, archive.put_tree).id


def test_it_is_private_and_opens_again(archive: Archive) -> None:
    assert archive.path.stat().st_mode & 0o777 == 0o700
    name = archive.put_blob(b"x")
    assert Archive(archive.path).read_blob(name) == b"x"
    assert run_git(["fsck", "--full", "--strict", "--no-dangling"], git_dir=archive.path) == b""
    assert os.listdir(archive.path.parent) == ["archive.git"]


def test_it_cannot_be_made_where_a_file_is(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(HostFailed, match="cannot be made"):
        Archive(tmp_path / "file" / "archive.git")
    with pytest.raises(HostFailed, match="cannot be made"):
        Archive(tmp_path / "file")


@settings(max_examples=25, deadline=None)
@given(data=st.binary(max_size=5000))
def test_bytes_come_back_loose_and_packed(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    archive = Archive(tmp_path_factory.mktemp("a") / "archive.git")
    name = archive.put_blob(data)
    assert archive.read_blob(name) == data
    archive.keep("t", {"final": archive.put_tree({b"f": (FILE, name)})})
    archive.pack()
    assert not (archive.path / "objects" / name[:2] / name[2:]).exists()
    assert archive.read_blob(name) == data
    assert list(archive.read_blobs([name, name])) == [data, data]


def test_no_attribute_and_no_configuration_changes_a_byte(archive: Archive, tmp_path: Path) -> None:
    files = {
        b".gitattributes": b"* text eol=crlf ident working-tree-encoding=UTF-16\n",
        b"a": b"1\r\n2\n$Id$\n",
    }
    tree = tree_of(archive, files)
    (tmp_path / "out").mkdir()
    run_git(
        ["read-tree", "--reset", "-u", tree],
        git_dir=archive.path,
        work_tree=tmp_path / "out",
        env={"GIT_INDEX_FILE": str(tmp_path / "index")},
    )
    assert {os.fsencode(path.name): path.read_bytes() for path in (tmp_path / "out").iterdir()} == files


def test_walking_a_tree_gives_raw_paths_in_order(archive: Archive) -> None:
    blob = archive.put_blob(b"x")
    leaves = {b"d/\xe9\n": (FILE, blob), b"d.txt": (EXECUTABLE, blob), b"z": (LINK, blob)}
    tree = make_tree(leaves, archive.put_tree).id
    assert list(archive.walk_tree(tree)) == [(path, *leaves[path]) for path in sorted(leaves)]
    assert list(archive.walk_tree(archive.put_tree({}))) == []


def test_diffs_are_limited_to_exact_paths(archive: Archive) -> None:
    before = tree_of(archive, {b"a": b"1\n", b"b": b"1\n"})
    after = tree_of(archive, {b"a": b"2\n", b"b": b"2\n"})
    assert archive.diff(before, after).count(b"diff --git") == 2
    assert archive.diff(before, after, [b"b"]).count(b"diff --git") == 1
    assert archive.diff(before, after, []) == archive.diff(before, before) == b""


@pytest.mark.parametrize(
    "ask",
    [
        lambda archive: archive.read_blob("0" * 40),
        lambda archive: list(archive.read_blobs(["0" * 40])),
        lambda archive: list(archive.walk_tree("0" * 40)),
        lambda archive: archive.diff("0" * 40, archive.put_tree({})),
    ],
)
def test_what_is_missing_is_the_hosts_fault(archive: Archive, ask: Callable[[Archive], object]) -> None:
    with pytest.raises(HostFailed):
        ask(archive)
    assert not archive.has("0" * 40)


def test_damage_is_noticed(archive: Archive) -> None:
    name = archive.put_blob(b"text")
    path = archive.path / "objects" / name[:2] / name[2:]
    path.chmod(0o644)
    path.write_bytes(b"")
    assert not archive.has(name)
    with pytest.raises(HostFailed, match="cannot be read"):
        archive.read_blob(name)


class TestKeep:
    def test_a_trial_holds_its_trees_and_single_blobs(self, archive: Archive) -> None:
        before, after = tree_of(archive, {b"a": b"1"}), tree_of(archive, {b"a": b"2"})
        aside = archive.put_blob(b"aside")
        commit = archive.keep("trial_1", {"baseline": before, "final": after}, aside=[aside])
        assert archive.trials() == {"trial_1"}
        assert archive.keep("trial_1", {"baseline": before, "final": after}, aside=[aside]) == commit
        loose = archive.put_blob(b"nobody's")
        archive.pack()
        run_git(["prune", "--expire=now"], git_dir=archive.path)
        assert archive.has(aside)
        assert archive.has(before)
        assert archive.has(after)
        assert not archive.has(loose)
        archive.drop("trial_1")
        assert archive.trials() == frozenset()

    @pytest.mark.parametrize("name", ["", "../x", "a/b", "a..b", ".a", "a.lock", "a.", "a b", "-"])
    def test_names_are_safe(self, archive: Archive, name: str) -> None:
        with pytest.raises(ValueError, match="not a name"):
            archive.keep(name, {})
        assert archive.trials() == frozenset()


class TestAdopt:
    def test_objects_of_a_pack_are_kept(self, archive: Archive, tmp_path: Path) -> None:
        path = make_repository(tmp_path / "source", {"a": "hello\n"})
        git(path, "repack", "-adq")
        tree = git(path, "rev-parse", "HEAD^{tree}")
        for _ in range(2):
            for pack in (path / ".git/objects/pack").glob("*.pack"):
                archive.adopt_pack(pack)
        assert [entry[0] for entry in archive.walk_tree(tree)] == [b"a"]
        assert archive.read_blob(git(path, "rev-parse", "HEAD:a")) == b"hello\n"

    def test_a_missing_pack_is_the_hosts_fault(self, archive: Archive, tmp_path: Path) -> None:
        with pytest.raises(HostFailed, match="cannot be written"):
            archive.adopt_pack(tmp_path / "pack-1.pack")
        assert os.listdir(archive.path / "objects" / "pack") == []


WRITER = """
import sys
from pathlib import Path
from bakeoff.git.objects import FILE
from bakeoff.store.archive import Archive
number = int(sys.argv[2])
archive = Archive(Path(sys.argv[1]))
for trial in range(25):
    blobs = {b"%d" % n: (FILE, archive.put_blob(b"content %d" % (n * (trial + 1)))) for n in range(20)}
    own = archive.put_blob(b"%d %d" % (number, trial))
    archive.keep(f"t{number}_{trial}", {"final": archive.put_tree(blobs | {b"own": (FILE, own)})})
    if trial % 10 == number:
        archive.pack()
"""


def test_eight_processes_write_and_pack_at_once(tmp_path: Path) -> None:
    path = tmp_path / "archive.git"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(number)], stderr=subprocess.PIPE)
        for number in range(8)
    ]
    assert [writer.communicate()[1] for writer in writers] == [b""] * 8
    archive = Archive(path)
    assert len(archive.trials()) == 200
    assert run_git(["fsck", "--full", "--strict", "--no-dangling"], git_dir=path) == b""
    for trial in archive.trials():
        tree = git(path, "rev-parse", f"refs/trials/{trial}:final")
        entries = {name: blob for name, _, blob in archive.walk_tree(tree)}
        own = archive.read_blob(entries[b"own"])
        assert own.decode().split() == trial[1:].split("_")
    assert not [name for _, _, names in os.walk(path) for name in names if name.startswith("tmp_")]
    assert sorted(name for name in os.listdir(path) if name.startswith("reference-")) == []


def test_loose_objects_are_counted_about(archive: Archive) -> None:
    assert archive.loose_count() == 0
    for number in range(600):
        archive.put_blob(b"%d" % number)
    assert 100 < archive.loose_count() < 3000


def test_a_repository_around_the_store_plays_no_part(tmp_path: Path) -> None:
    outer = make_repository(tmp_path / "outer", {"a": "1"})
    write_files(outer, {".git/info/attributes": "* -diff\n"})
    inner = Archive(outer / ".bakeoff" / "archive.git")
    before, after = tree_of(inner, {b"a": b"1\n"}), tree_of(inner, {b"a": b"2\n"})
    assert b"+2\n" in inner.diff(before, after)
