"""Walking and removing never follow links, never change modes for good and notice what moves."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest
from support.repositories import write_files
from support.workspaces import plain_walk

from bakeoff.errors import HostFailed
from bakeoff.workspace import laying
from bakeoff.workspace.descent import Descent, blame, readable
from bakeoff.workspace.manifest import scan
from bakeoff.workspace.walk import Kind, walk


def test_the_order_never_varies_and_nothing_is_missed(tmp_path: Path) -> None:
    write_files(tmp_path, {"b": "", "a/z": "", "a/y/x": "", "a.txt": "", ".git/config": "", "c/.git": ""})
    (tmp_path / "empty").mkdir()
    found = [(each.path, each.kind) for each in walk(tmp_path)]
    assert found == [
        (b".git", Kind.GIT),
        (b"a.txt", Kind.FILE),
        (b"b", Kind.FILE),
        (b"a/z", Kind.FILE),
        (b"a/y/x", Kind.FILE),
        (b"c/.git", Kind.GIT),
        (b"empty", Kind.EMPTY_FOLDER),
    ]


def test_links_are_told_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/etc")
    assert [(each.path, each.kind) for each in walk(tmp_path)] == [(b"out", Kind.LINK)]
    with pytest.raises(OSError, match=r"."):
        list(walk(tmp_path / "out"))
    with pytest.raises(OSError, match=r"."):
        list(walk(tmp_path / "missing"))


def test_a_walk_that_is_given_up_lets_go(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/b/c/d": "", "a/b/c/e": ""})
    before = len(os.listdir("/dev/fd"))
    walking = walk(tmp_path)
    next(walking)
    walking.close()
    assert len(os.listdir("/dev/fd")) == before


def test_a_directory_that_moves_while_it_is_read_is_noticed(tmp_path: Path) -> None:
    write_files(tmp_path, {"top/a/f": "", "top/z": "", "other/x": ""})
    walking = walk(tmp_path / "top")
    assert [next(walking).path, next(walking).path] == [b"z", b"a/f"]
    (tmp_path / "top" / "a").rename(tmp_path / "other" / "a")
    with pytest.raises(HostFailed, match="moved while it was read"):
        next(walking)


def test_modes_are_put_back(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/b/f": "x"})
    for name, mode in (("a/b/f", 0o000), ("a/b", 0o000), ("a", 0o300)):
        (tmp_path / name).chmod(mode)
    assert [each.path for each in walk(tmp_path)] == [b"a/b/f"]
    (tmp_path / "a").chmod(0o700)
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0
    (tmp_path / "a" / "b").chmod(0o700)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_only_regular_files_are_opened(tmp_path: Path, kind: str) -> None:
    make = {"link": lambda path: path.symlink_to("/etc/hostname"), "pipe": os.mkfifo, "folder": os.mkdir}
    make[kind](tmp_path / "it")
    with Descent(tmp_path) as place, pytest.raises(OSError, match=r"."), readable(b"it", place.fd):
        pass


def test_another_file_system_is_not_entered() -> None:
    device = os.stat("/").st_dev
    other = next((path for path in ("/proc", "/dev", "/sys") if os.stat(path).st_dev != device), None)
    if other is None:
        pytest.skip("everything is on one file system here")
    found = {
        each.path: each.kind for each in walk(Path("/"), skip=lambda path: path != os.fsencode(other[1:]))
    }
    assert found == {os.fsencode(other[1:]): Kind.ELSEWHERE}


def test_a_scan_tells_folders_elsewhere_and_unreadable_ones(tmp_path: Path) -> None:
    write_files(tmp_path, {"a": "1"})
    (tmp_path / "e").mkdir()
    found = scan(tmp_path, known={}, tracked=(), file_cap=10, put_blob=bytes.hex)
    assert found.left_out == {b"e/": "empty folder"}
    assert list(found.marks) == [b"a"]


class TestLaying:
    def test_files_links_and_executables(self, tmp_path: Path) -> None:
        laying.write(tmp_path, b"d/e/f", 0o100644, b"1")
        laying.write(tmp_path, b"d/x", 0o100755, b"2")
        laying.write(tmp_path, b"d/l", 0o120000, b"../nowhere")
        assert plain_walk(tmp_path) == {
            b"d/e/f": ("file", 0o644, b"1"),
            b"d/l": ("link", 0o777, b"../nowhere"),
            b"d/x": ("file", 0o755, b"2"),
        }
        assert laying.read_below(tmp_path, b"d") == {
            b"d/e/f": (0o100644, b"1"),
            b"d/l": (0o120000, b"../nowhere"),
            b"d/x": (0o100755, b"2"),
        }
        assert laying.read_below(tmp_path, b"d/x") == {b"d/x": (0o100755, b"2")}
        assert laying.read_below(tmp_path, b"none") is None

    def test_what_was_there_is_gone(self, tmp_path: Path) -> None:
        write_files(tmp_path, {"a/b/c": "1", "f": "1", "other/keep": "1"})
        (tmp_path / "l").symlink_to(tmp_path / "other")
        for path in (b"a", b"f", b"l"):
            laying.write(tmp_path, path, 0o100644, b"new")
        assert set(plain_walk(tmp_path)) == {b"a", b"f", b"l", b"other/keep"}

    def test_nothing_is_written_or_removed_through_a_link(self, tmp_path: Path) -> None:
        write_files(tmp_path / "outside", {"x": "1"})
        (tmp_path / "in").mkdir()
        (tmp_path / "in" / "l").symlink_to(tmp_path / "outside")
        with pytest.raises(NotADirectoryError, match="a link is in the way"):
            laying.write(tmp_path / "in", b"l/x", 0o100644, b"2")
        with pytest.raises(NotADirectoryError, match="a link is in the way"):
            laying.remove(tmp_path / "in", b"l/x")
        assert laying.read_below(tmp_path / "in", b"l/x") is None
        assert (tmp_path / "outside" / "x").read_text() == "1"

    def test_removing_takes_empty_folders_along(self, tmp_path: Path) -> None:
        write_files(tmp_path, {"a/b/c": "1", "a/k": "1"})
        assert laying.remove(tmp_path, b"a/b/c")
        assert os.listdir(tmp_path / "a") == ["k"]
        assert not laying.remove(tmp_path, b"a/b/c")
        assert laying.remove(tmp_path, b"a/k")
        assert os.listdir(tmp_path) == []


def test_what_the_machine_did_is_not_the_trees_fault() -> None:
    assert blame(PermissionError(13, "Permission denied")) == "Permission denied"
    with pytest.raises(HostFailed, match="Too many open files"):
        blame(OSError(24, "Too many open files"))


def test_too_many_open_files_are_the_hosts_fault(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/b": "x"})
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.open("/dev/null", os.O_RDONLY)
    os.close(lowest)
    walking = walk(tmp_path)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + 1, hard))
    try:
        with pytest.raises((HostFailed, OSError), match="Too many open files"):
            list(walking)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
