"""Workspaces are private, complete, clean for git, and many can be made at once."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.repositories import git, make_repository, write_files
from support.workspaces import plain_walk, sealed_folder, sealed_from, workspace

from bakeoff.errors import HostFailed, UserError
from bakeoff.git.call import run_git
from bakeoff.workspace.create import REVEALING, create, private_root
from bakeoff.workspace.ownership import ROOT_MARK
from bakeoff.workspace.remove import remove
from bakeoff.workspace.sealed import DATE, Sealed

FILES: dict[str, str | bytes] = {
    "app.py": "x = 1\n",
    "d/e/f.txt": "f\n",
    "run.sh": "#!/bin/sh\n",
    "empty": "",
}


@pytest.fixture
def sealed(tmp_path: Path, cache: Path) -> Sealed:
    path = make_repository(tmp_path / "source", FILES)
    (path / "run.sh").chmod(0o755)
    (path / "link").symlink_to("d/e/f.txt")
    git(path, "add", "-A")
    git(path, "commit", "-qm", "more")
    return sealed_from(path, cache)


def test_the_files_are_those_of_the_commit(sealed: Sealed, root: Path) -> None:
    with workspace(sealed, root) as made:
        assert plain_walk(made.path) == {
            b"app.py": ("file", 0o644, b"x = 1\n"),
            b"d/e/f.txt": ("file", 0o644, b"f\n"),
            b"empty": ("file", 0o644, b""),
            b"link": ("link", 0o777, b"d/e/f.txt"),
            b"run.sh": ("file", 0o755, b"#!/bin/sh\n"),
        }
        assert {os.lstat(made.path / name).st_mtime for name in (*FILES, "link")} == {DATE}


def test_a_umask_changes_no_mode(sealed: Sealed, root: Path) -> None:
    before = os.umask(0o077)
    try:
        with workspace(sealed, root) as made:
            walked = plain_walk(made.path)
            assert (walked[b"app.py"][1], walked[b"run.sh"][1]) == (0o644, 0o755)
            assert git(made.path, "status", "--porcelain") == ""
    finally:
        os.umask(before)


def test_directories_are_private_and_names_tell_nothing(sealed: Sealed, root: Path) -> None:
    with workspace(sealed, root) as made:
        assert stat.S_IMODE(made.root.stat().st_mode) == 0o700
        assert made.root.parent == root
        assert {made.path.parent, made.home.parent, made.tmp.parent} == {made.root}
        assert os.listdir(made.home) == os.listdir(made.tmp) == []
        assert not any(word in str(made.root.name) for word in ("source", "bakeoff", "app"))
        assert sorted(os.listdir(made.path / ".git")) == [
            *("HEAD", "config", "index", "info", "objects", "refs"),
        ]


def test_git_has_nothing_to_read_again(sealed: Sealed, root: Path) -> None:
    with workspace(sealed, root) as made:
        index = (made.path / ".git" / "index").read_bytes()
        assert run_git(["diff-files", "--raw"], git_dir=made.path / ".git", work_tree=made.path) == b""
        assert git(made.path, "status", "--porcelain", "--ignored") == ""
        assert (made.path / ".git" / "index").read_bytes() == index, "git status refreshed a stale index"
        done = (
            subprocess.run(
                ["strace", "-f", "-e", "trace=openat", "git", "status", "--porcelain"],
                cwd=made.path,
                capture_output=True,
                text=True,
                check=False,
            )
            if _has_strace()
            else None
        )
        if done is not None:
            assert "app.py" not in done.stderr


def _has_strace() -> bool:
    return any(os.access(os.path.join(folder, "strace"), os.X_OK) for folder in os.environ["PATH"].split(":"))


def test_an_edit_of_the_same_size_is_seen_by_git_at_once(sealed: Sealed, root: Path) -> None:
    with workspace(sealed, root) as made:
        (made.path / "app.py").write_text("x = 2\n")
        assert git(made.path, "status", "--porcelain") == " M app.py"


def test_the_index_can_be_made_for_another_owner(sealed: Sealed, root: Path) -> None:
    made = create(sealed, root=root, owner=(1000, 1001))
    try:
        listing = git(made.path, "ls-files", "--debug", "app.py")
        assert "uid: 1000\tgid: 1001" in listing
        assert git(made.path, "status", "--porcelain") == ""
    finally:
        remove(made)


def test_agents_can_work_with_git(sealed: Sealed, root: Path) -> None:
    with workspace(sealed, root) as made:
        write_files(made.path, {"app.py": "x = 2\n", "new": "n\n"})
        git(made.path, "add", "-A")
        git(made.path, "commit", "-qm", "work")
        git(made.path, "mv", "d", "moved")
        git(made.path, "stash", "-q")
        git(made.path, "checkout", "-q", "HEAD~1")
        assert git(made.path, "fsck", "--full") == ""
        assert plain_walk(made.path)[b"app.py"][2] == b"x = 1\n"


def test_siblings_and_the_template_share_nothing(sealed: Sealed, root: Path) -> None:
    with workspace(sealed, root) as one, workspace(sealed, root) as two:
        pack = next((one.path / ".git/objects/pack").glob("*.pack"))
        pack.chmod(0o644)
        pack.write_bytes(b"broken")
        (one.path / "app.py").write_text("broken")
        git(two.path, "branch", "mine")
        assert git(two.path, "fsck", "--full") == ""
        assert (two.path / "app.py").read_text() == "x = 1\n"
        sealed.check_contents()


def test_eight_at_once_in_threads(sealed: Sealed, root: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: create(sealed, root=root), range(24)))
    try:
        assert len({each.root for each in made}) == 24
        for each in made:
            assert git(each.path, "status", "--porcelain") == ""
            assert git(each.path, "rev-parse", "HEAD") == sealed.commit
    finally:
        for each in made:
            remove(each)
    assert os.listdir(root) == []


def test_eight_at_once_in_processes(tmp_path: Path, cache: Path, root: Path) -> None:
    folder = write_files(tmp_path / "folder", FILES)
    program = (
        "import sys; from pathlib import Path; from support.workspaces import *;"
        "sealed = sealed_folder(Path(sys.argv[1]), Path(sys.argv[2]));"
        "made = [create(sealed, root=Path(sys.argv[3])) for _ in range(4)];"
        "print([len(plain_walk(each.path)) for each in made]); [remove(each) for each in made]"
    )
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(folder), str(cache), str(root)],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(8)
    ]
    assert {worker.communicate()[0].strip() for worker in workers} == {"[4, 4, 4, 4]"}
    assert os.listdir(root) == []


def test_a_template_that_was_changed_meanwhile_is_not_used(sealed: Sealed, root: Path) -> None:
    sealed.contents.chmod(0o644)
    with sealed.contents.open("r+b") as file:
        file.write(b"y")
    with pytest.raises(HostFailed, match="changed while it was in use"):
        create(sealed, root=root)
    assert os.listdir(root) == []


def test_a_place_that_cannot_be_written_is_the_hosts_fault(tmp_path: Path, cache: Path, root: Path) -> None:
    sealed = sealed_folder(write_files(tmp_path / "folder", FILES), cache)
    sealed.contents.unlink()
    with pytest.raises(HostFailed):
        create(sealed, root=root)
    assert os.listdir(root) == []


class TestPrivateRoot:
    def test_a_preferred_directory_becomes_private(self, tmp_path: Path) -> None:
        (tmp_path / "w").mkdir()
        root = private_root(tmp_path / "w")
        assert root.parent == tmp_path / "w"
        assert stat.S_IMODE(root.stat().st_mode) == 0o700
        assert private_root(tmp_path / "w") == root
        assert os.listdir(root) == [ROOT_MARK]

    @pytest.mark.parametrize("name", [".git", "CLAUDE.md", "package.json"])
    def test_nothing_that_agents_look_for_lies_above(self, tmp_path: Path, name: str) -> None:
        assert name in REVEALING
        (tmp_path / name).write_text("x")
        (tmp_path / "a").mkdir()
        with pytest.raises(UserError, match=f"{name} lies above") as caught:
            private_root(tmp_path / "a")
        assert "TMPDIR" in caught.value.problems[0].hint

    def test_a_link_in_its_place_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / f"w{os.getuid()}").symlink_to("/etc")
        with pytest.raises(UserError, match="belongs to somebody else"):
            private_root(tmp_path)

    def test_without_a_preference_the_temporary_directory_is_taken(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        root = private_root()
        assert root.parent == tmp_path
        assert stat.S_IMODE(root.stat().st_mode) == 0o700
