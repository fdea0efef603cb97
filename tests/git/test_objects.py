"""Objects, trees and indexes written without git are those that git would write."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.repositories import git, make_repository

from bakeoff.errors import HostFailed
from bakeoff.git.call import list_tree, run_git
from bakeoff.git.index import Indexed, write_index
from bakeoff.git.objects import (
    EXECUTABLE,
    FILE,
    LINK,
    LooseObjects,
    commit_data,
    git_config,
    make_git_directory,
    object_id,
)
from bakeoff.git.tree import change_tree, make_tree

FORMATS = ("sha1", "sha256")


@pytest.mark.parametrize("object_format", FORMATS)
@pytest.mark.parametrize("data", [b"", b"text\n", bytes(range(256)) * 300])
def test_ids_are_those_of_git(tmp_path: Path, object_format: str, data: bytes) -> None:
    path = make_repository(tmp_path / "repo", {}, object_format=object_format)
    told = run_git(["hash-object", "--stdin"], git_dir=path / ".git", input=data).decode().strip()
    assert object_id(b"blob", data, object_format) == told


@pytest.mark.parametrize("object_format", FORMATS)
def test_git_reads_what_was_written(tmp_path: Path, object_format: str) -> None:
    directory = tmp_path / "bare"
    make_git_directory(directory, object_format=object_format, bare=True)
    objects = LooseObjects(directory / "objects", object_format)
    blob = objects.put(b"blob", b"hello\n")
    tree = make_tree(
        {b"d/a": (FILE, blob), b"d.txt": (EXECUTABLE, blob), b"l": (LINK, blob)}, objects.put_tree
    )
    data = commit_data(tree.id, person="A <a@example.invalid>", date=0, message="first")
    commit = objects.put(b"commit", data)
    (directory / "refs/heads/main").write_text(commit + "\n")
    assert run_git(["fsck", "--strict", "--full"], git_dir=directory) == b""
    assert [entry.path for entry in list_tree(directory, "main")] == [b"d.txt", b"d/a", b"l"]
    assert run_git(["log", "--format=%s %an %at"], git_dir=directory) == b"first A 0\n"
    assert objects.read(blob) == b"hello\n"
    assert objects.read("0" * 40) is None


def test_objects_are_read_only_and_damage_is_noticed(tmp_path: Path) -> None:
    objects = LooseObjects(tmp_path)
    name = objects.put(b"blob", b"hello")
    file = tmp_path / name[:2] / name[2:]
    assert stat.S_IMODE(file.stat().st_mode) == 0o444
    file.unlink()
    other = objects.put(b"blob", b"other")
    (tmp_path / other[:2] / other[2:]).rename(file)
    with pytest.raises(HostFailed, match="damaged"):
        objects.read(name)
    file.chmod(0o644)
    file.write_bytes(b"junk")
    with pytest.raises(HostFailed, match="cannot be read"):
        objects.read(name)


def test_a_place_that_cannot_be_written_is_the_hosts_fault(tmp_path: Path) -> None:
    (tmp_path / "objects").write_text("a file")
    with pytest.raises(HostFailed, match="cannot be stored"):
        LooseObjects(tmp_path / "objects").put(b"blob", b"x")


def test_many_threads_write_the_same_objects(tmp_path: Path) -> None:
    objects = LooseObjects(tmp_path)
    data = [os.urandom(2000) for _ in range(50)]
    threads = [
        threading.Thread(target=lambda: [objects.put(b"blob", each) for each in data]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(objects.read(object_id(b"blob", each)) == each for each in data)
    assert not [name for _, _, names in os.walk(tmp_path) for name in names if name.startswith("tmp_")]


NAMES = st.sampled_from([b"a", b"b", b"a.txt", b"a-b", b"\xe9", b"sub"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map(b"/".join)
BLOBS = st.sampled_from([object_id(b"blob", b"one"), object_id(b"blob", b"two")])


def consistent(files: dict[bytes, str]) -> dict[bytes, tuple[int, str]]:
    """Without paths that are below another path."""
    return {
        path: (FILE, blob)
        for path, blob in files.items()
        if not any(path != other and path.startswith(other + b"/") for other in files)
    }


@settings(max_examples=60, deadline=None)
@given(before=st.dictionaries(PATHS, BLOBS, max_size=12), after=st.dictionaries(PATHS, BLOBS, max_size=12))
def test_a_changed_tree_equals_a_fresh_one(
    tmp_path_factory: pytest.TempPathFactory, before: dict[bytes, str], after: dict[bytes, str]
) -> None:
    objects = LooseObjects(tmp_path_factory.mktemp("objects"))
    old, new = consistent(before), consistent(after)
    changed = {path: leaf for path, leaf in new.items() if old.get(path) != leaf}
    tree = change_tree(make_tree(old, objects.put_tree), changed, old.keys() - new.keys(), objects.put_tree)
    fresh = make_tree(new, objects.put_tree)
    assert tree.id == fresh.id
    assert tree.folders == fresh.folders


def test_a_tree_is_the_one_that_git_writes(tmp_path: Path) -> None:
    names = {
        f"{folder}{name}": "x" for folder in ("", "a/", "a.b/", "a-b/", "a/a/") for name in ("x", "x.y", "z")
    }
    path = make_repository(tmp_path / "repo", names)
    files = {entry.path: (entry.mode, entry.id) for entry in list_tree(path / ".git", "HEAD")}
    objects = LooseObjects(path / ".git" / "objects")
    assert make_tree(files, objects.put_tree).id == git(path, "rev-parse", "HEAD^{tree}")


def test_fifteen_hundred_folders_deep(tmp_path: Path) -> None:
    objects = LooseObjects(tmp_path)
    deep = b"/".join([b"d"] * 1500) + b"/f"
    tree = make_tree({deep: (FILE, object_id(b"blob", b"x"))}, objects.put_tree)
    assert len(tree.folders) == 1501
    assert change_tree(tree, {}, [deep], objects.put_tree).folders == {b"": {}}


@pytest.mark.parametrize("object_format", FORMATS)
def test_git_trusts_a_written_index(tmp_path: Path, object_format: str) -> None:
    long = "l" * 250
    names = {"a": "1", "b/c/d": "2", "b/c.txt": "3", f"{long}/{long}": "4", "run": "5"}
    path = make_repository(tmp_path / "repo", names, object_format=object_format)
    (path / "link").symlink_to("a")
    (path / "run").chmod(0o755)
    git(path, "add", "-A")
    git(path, "commit", "-qm", "more")
    files = list_tree(path / ".git", "HEAD")
    for entry in files:
        os.utime(os.fsencode(path) + b"/" + entry.path, (10**9, 10**9), follow_symlinks=False)
    tree = make_tree(
        {entry.path: (entry.mode, entry.id) for entry in files},
        LooseObjects(path / ".git" / "objects", object_format).put_tree,
    )
    indexed = [
        Indexed(entry.path, entry.mode, entry.id, os.lstat(os.fsencode(path) + b"/" + entry.path))
        for entry in files
    ]
    write_index(path / ".git" / "index", indexed, tree, object_format=object_format)
    assert run_git(["diff-files", "--raw"], git_dir=path / ".git", work_tree=path) == b""
    assert git(path, "status", "--porcelain") == ""
    assert git(path, "write-tree") == tree.id
    assert git(path, "fsck") == ""
    (path / "a").write_text("2")
    assert git(path, "status", "--porcelain") == " M a"


def test_the_configuration_names_the_object_format_only_where_it_must() -> None:
    assert "objectformat" not in git_config(object_format="sha1", bare=True)
    assert "\trepositoryformatversion = 1\n" in git_config(object_format="sha256", bare=False)
