"""Captures of starting files that are odd themselves: placements, other hashes, conversions, submodules."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.captures import both, expected_tree, stored
from support.hostile import BASE, sh
from support.repositories import git, make_repository, write_files
from support.workspaces import placement, plain_walk, sealed_from, workspace

from bakeoff.model.check import Change, ChangeKind
from bakeoff.store.archive import Archive
from bakeoff.workspace.capture import capture, changes_since_start, take_baseline
from bakeoff.workspace.create import Workspace
from bakeoff.workspace.placements import place
from bakeoff.workspace.sealed import Sealed


def test_placements_are_in_the_baseline_and_their_edits_are_changes(
    tmp_path: Path, root: Path, archive: Archive
) -> None:
    write_files(tmp_path, {"rules.md": "be good\n"})
    placements = (placement("CLAUDE.md", tmp_path / "rules.md"), placement("docs/guide.md", None))
    sealed = sealed_from(make_repository(tmp_path / "source", BASE), tmp_path / "cache", *placements)
    with workspace(sealed, root) as made:
        place(made, sealed, placements)
        baseline = take_baseline(made, sealed, archive)
        assert capture(made, baseline, sealed, archive).changes == ()
        write_files(made.path, {"CLAUDE.md": "be bad\n", "docs/guide.md": "again\n"})
        taken = capture(made, baseline, sealed, archive)
    assert taken.changes == (
        Change(path=b"CLAUDE.md", kind=ChangeKind.MODIFIED),
        Change(path=b"docs/guide.md", kind=ChangeKind.ADDED),
    )
    assert b"-be good\n+be bad\n" in archive.diff(baseline.tree, taken.tree, taken.diff_paths)


def test_a_sha256_source_is_archived_as_sha1(tmp_path: Path, root: Path, archive: Archive) -> None:
    sealed = sealed_from(
        make_repository(tmp_path / "source", BASE, object_format="sha256"), tmp_path / "cache"
    )
    with workspace(sealed, root) as made:
        baseline, before = both(made, sealed, archive)
        assert stored(archive, baseline.tree) == expected_tree(before, set(sealed.files))
        write_files(made.path, {"app.py": "1\n"})
        sh(made.path, "git add -A; git commit -qm c")
        taken = capture(made, baseline, sealed, archive)
        assert stored(archive, taken.tree) == expected_tree(plain_walk(made.path), set(sealed.files))
    assert [change.path for change in taken.changes] == [b"app.py"]
    assert "head_moved" in dict(taken.findings)


def test_converted_files_are_archived_as_they_lie_on_disk(
    tmp_path: Path, root: Path, archive: Archive
) -> None:
    files = {".gitattributes": "* text eol=crlf\n*.c ident\n", "a.txt": "1\n2\n", "d/i.c": "$Id$\n"}
    sealed = sealed_from(make_repository(tmp_path / "source", files), tmp_path / "cache")
    with workspace(sealed, root) as made:
        baseline, before = both(made, sealed, archive)
        assert before[b"a.txt"][2] == b"1\r\n2\r\n"
        assert stored(archive, baseline.tree) == expected_tree(before, set(sealed.files))
        sh(made.path, "git checkout -q .; git add --renormalize .; touch a.txt d/i.c")
        assert capture(made, baseline, sealed, archive).changes == ()


def test_submodules_are_empty_folders_that_may_be_filled(
    tmp_path: Path, root: Path, archive: Archive
) -> None:
    inner = make_repository(tmp_path / "inner", {"x": "1"})
    path = make_repository(tmp_path / "source", {"a": "1"})
    git(path, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "mod")
    git(path, "commit", "-qm", "mod")
    sealed = sealed_from(path, tmp_path / "cache")
    with workspace(sealed, root) as made:
        baseline = take_baseline(made, sealed, archive)
        assert set(stored(archive, baseline.tree)) == {b"a", b".gitmodules"}
        assert capture(made, baseline, sealed, archive).changes == ()
        write_files(made.path, {"mod/x": "2"})
        taken = capture(made, baseline, sealed, archive)
    assert [change.path for change in taken.changes] == [b"mod/x"]
    assert b"mod/x" in stored(archive, taken.tree)


class TestSetup:
    def test_what_setup_changed_is_told_with_what_is_ignored(self, made: Workspace, sealed: Sealed) -> None:
        assert changes_since_start(made, sealed) == ()
        sh(
            made.path,
            "echo > x.log; mkdir build __pycache__; echo > build/o; echo > __pycache__/c; touch app.py",
        )
        assert all(change.ignored for change in changes_since_start(made, sealed))
        sh(made.path, "echo > left; rm docs/guide.md; chmod +x app.py")
        assert [(c.path, c.kind) for c in changes_since_start(made, sealed) if not c.ignored] == [
            (b"app.py", ChangeKind.MODE),
            (b"docs/guide.md", ChangeKind.DELETED),
            (b"left", ChangeKind.ADDED),
        ]

    def test_a_workspace_that_was_not_made_here_is_read(self, made: Workspace, sealed: Sealed) -> None:
        again = Workspace(root=made.root, path=made.path, home=made.home, tmp=made.tmp)
        assert changes_since_start(again, sealed) == ()
        write_files(made.path, {"app.py": "def add(a, b):\n    return a + b\n"})
        assert [change.path for change in changes_since_start(again, sealed)] == [b"app.py"]


NOT_ROOT = """
import os, sys
from pathlib import Path
from bakeoff.store.archive import Archive
from bakeoff.workspace.capture import capture, take_baseline
from bakeoff.workspace.create import create
from bakeoff.workspace.remove import remove
from support.hostile import CASES
from support.workspaces import sealed_folder
os.setgid(65534); os.setuid(65534)
top = Path(sys.argv[1])
sealed = sealed_folder(top / "folder", top / "cache")
(top / "root").mkdir()
archive = Archive(top / "archive.git")
made = create(sealed, root=top / "root")
baseline = take_baseline(made, sealed, archive)
for path in ("pkg", "docs", "app.py"):
    (made.path / path).chmod(0)
taken = capture(made, baseline, sealed, archive)
print(taken.changes, taken.findings, taken.tree == baseline.tree)
print([oct((made.path / path).lstat().st_mode & 0o777) for path in ("pkg", "docs", "app.py")])
remove(made)
print(os.listdir(top / "root"))
"""


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """A directory that another user can reach, wherever `tmp_path` lies."""
    with tempfile.TemporaryDirectory(prefix="bakeoff-test-", dir="/tmp") as name:
        directory = Path(name)
        directory.chmod(0o755)
        yield directory


def test_what_its_owner_may_not_read_is_captured_and_removed(open_directory: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    top = open_directory / "top"
    write_files(top / "folder", BASE)
    subprocess.run(["chown", "-R", "65534:65534", str(top)], check=True)
    done = subprocess.run(
        [sys.executable, "-c", NOT_ROOT, str(top)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["() () True", "['0o0', '0o0', '0o0']", "[]"]
