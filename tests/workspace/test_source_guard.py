"""A fingerprint changes when, and only when, somebody writes to the source."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from support.repositories import git, make_repository, write_files
from support.workspaces import sealed_from, workspace

from bakeoff.git.call import find_repository, is_dirty
from bakeoff.workspace.source_guard import fingerprint


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "source", {"a": "1", "d/b": "2"})


@pytest.mark.parametrize(
    "act",
    [
        "echo 2 > a",
        "touch -d 2001-01-01 a",
        "chmod +x a",
        "rm d/b",
        "mkdir e",
        "ln -s a l",
        "cp a x && mv x a && touch -d @1 a",
        "git branch other",
        "git tag t",
        "git config a.b c",
        "git commit -q --allow-empty -m x",
        "git stash -q -u || git stash list; echo 1 > .git/refs/stash",
        "git checkout -q --detach",
        "echo x | git hash-object -w --stdin",
        "git update-index --assume-unchanged a",
        "echo x > .git/hooks/pre-commit",
        "echo x >> .git/info/exclude",
    ],
)
def test_every_write_shows(source: Path, act: str) -> None:
    before = fingerprint(source)
    subprocess.run(["/bin/sh", "-c", act], cwd=source, check=True, capture_output=True)
    assert fingerprint(source) != before


def test_reading_sealing_and_working_elsewhere_do_not_show(source: Path, tmp_path: Path, root: Path) -> None:
    before = fingerprint(source)
    repository = find_repository(source)
    assert repository is not None
    assert not is_dirty(repository)
    sealed = sealed_from(source, tmp_path / "cache", hide=("d/**",))
    with workspace(sealed, root) as made:
        write_files(made.path, {"a": "2"})
        git(made.path, "commit", "-qam", "x")
    git(tmp_path, "clone", "-q", str(source), "clone")
    assert fingerprint(source) == before


def test_the_store_inside_the_source_does_not_count(source: Path) -> None:
    before = fingerprint(source)
    write_files(source, {".bakeoff/bakeoff.db": "x"})
    assert fingerprint(source) == before
    write_files(source, {"other/home/db": "x"})
    assert fingerprint(source) != before
    assert fingerprint(source, leave_out=(source / "other",)) == before


def test_a_linked_work_tree_counts_with_its_repository(source: Path, tmp_path: Path) -> None:
    git(source, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    before = fingerprint(tmp_path / "linked")
    git(source, "branch", "other")
    assert fingerprint(tmp_path / "linked") != before


def test_a_bare_repository_and_a_plain_folder(source: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(source), "bare")
    before = fingerprint(tmp_path / "bare")
    git(tmp_path / "bare", "tag", "t")
    assert fingerprint(tmp_path / "bare") != before
    write_files(tmp_path / "folder", {"a": "1"})
    before = fingerprint(tmp_path / "folder")
    assert fingerprint(tmp_path / "folder") == before
    os.utime(tmp_path / "folder" / "a")
    assert fingerprint(tmp_path / "folder") != before
