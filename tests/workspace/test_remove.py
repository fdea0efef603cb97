"""Everything of a trial can be removed, and what dead owners left is swept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.hostile import BASE, CASES
from support.repositories import write_files
from support.workspaces import sealed_folder

from bakeoff.workspace.create import create
from bakeoff.workspace.laying import remove_tree
from bakeoff.workspace.ownership import ROOT_MARK
from bakeoff.workspace.remove import keep, remove
from bakeoff.workspace.sealed import Sealed
from bakeoff.workspace.sweep import sweep


@pytest.fixture
def sealed(tmp_path: Path, cache: Path) -> Sealed:
    return sealed_folder(write_files(tmp_path / "folder", BASE), cache)


@pytest.mark.parametrize(
    "name",
    [
        *("no_rights", "fifteen_hundred_deep", "longer_than_any_path", "deeper_than_is_looked_at", "links"),
        *("odd_names", "sockets_and_devices", "everything_removed", "unsafe_names", "git_unreadable"),
    ],
)
def test_whatever_the_agent_made_is_removed(sealed: Sealed, root: Path, name: str) -> None:
    made = create(sealed, root=root)
    CASES[name](made.path)
    (made.root / "home" / "readonly").write_text("x")
    (made.root / "home" / "readonly").chmod(0o400)
    made.home.chmod(0o500)
    remove(made)
    assert os.listdir(root) == []
    remove(made)


def test_links_are_removed_and_never_followed(sealed: Sealed, root: Path, tmp_path: Path) -> None:
    write_files(tmp_path / "precious", {"a": "1"})
    made = create(sealed, root=root)
    (made.path / "out").symlink_to(tmp_path / "precious")
    remove(made)
    assert os.listdir(tmp_path / "precious") == ["a"]


def test_a_sweep_leaves_the_living_and_the_kept(sealed: Sealed, root: Path) -> None:
    living, kept = create(sealed, root=root), create(sealed, root=root)
    keep(kept)
    assert sweep(root) == []
    assert living.path.is_dir()
    assert kept.path.is_dir()
    remove(living)
    remove_tree(kept.root)


def test_a_sweep_removes_what_the_dead_left(sealed: Sealed, root: Path, tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from support.workspaces import *;"
        "made = create(sealed_folder(Path(sys.argv[1]), Path(sys.argv[2])), root=Path(sys.argv[3]));"
        "print(made.root, flush=True); time.sleep(60)"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "folder"), str(sealed.path.parent), str(root)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    base = Path(owner.stdout.readline().strip())
    assert sweep(root) == []
    assert base.is_dir()
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    assert sweep(root) == [base]
    assert os.listdir(root) == []


def test_what_was_moved_away_is_swept(sealed: Sealed, root: Path) -> None:
    made, other = create(sealed, root=root), create(sealed, root=root)
    made.root.rename(root / "moved")
    made.root.symlink_to(root / "moved")
    remove(made)
    assert sweep(root) == []
    (root / ROOT_MARK).touch()
    assert sweep(root) == [root / "moved"]
    assert other.path.is_dir()
    remove(other)
    assert os.listdir(root) == [ROOT_MARK]


def test_a_sweep_removes_a_lock_whose_workspace_was_never_made(root: Path) -> None:
    (root / "0123.lock").touch()
    assert sweep(root) == []
    assert os.listdir(root) == []
    assert sweep(root / "missing") == []
