"""Workspaces that a Bakeoff had no time to remove go when it has ended, and nothing else goes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.machine import python_environment
from support.repositories import write_files
from support.workspaces import sealed_folder

from bakeoff.workspace.create import create
from bakeoff.workspace.ownership import ROOT_MARK
from bakeoff.workspace.remove import keep, leave, remove
from bakeoff.workspace.sealed import Sealed
from bakeoff.workspace.sweep import is_left, sweep_prefix
from bakeoff.workspace.sweeper import start_sweeper, until_gone

_OWNER = """
import sys
from pathlib import Path
from bakeoff.workspace.ownership import new_name
from bakeoff.workspace.sweeper import start_sweeper
root = Path(sys.argv[1])
name, lock = new_name(root, "ours-")
(root / name / "project" / "folder").mkdir(parents=True)
start_sweeper(root, "ours-")
print(name, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def sealed(tmp_path: Path, cache: Path) -> Sealed:
    return sealed_folder(write_files(tmp_path / "folder", {"a": "x"}), cache)


def wait_until_gone(path: Path) -> bool:
    until = time.monotonic() + 60
    while path.exists() and time.monotonic() < until:
        time.sleep(0.02)
    return not path.exists()


def test_a_sweeper_waits_for_the_end_of_its_owner_and_outlives_it(root: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", _OWNER, str(root)],
        env=python_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert owner.stdin is not None
    assert owner.stdout is not None
    try:
        base = root / owner.stdout.readline().decode().strip()
        # Another sweeper, which has looked at it for certain: it still has an owner.
        assert until_gone(root, "ours-", patience_s=0.5) is False
        assert (base / "project" / "folder").is_dir()
    finally:
        owner.kill()
        owner.wait()
        owner.stdin.close()
        owner.stdout.close()
    assert wait_until_gone(base)
    assert until_gone(root, "ours-")
    assert not is_left(root, "ours-")


def test_a_sweeper_removes_what_was_left_and_nothing_else(sealed: Sealed, root: Path) -> None:
    (root / ROOT_MARK).touch()
    left = create(sealed, root=root, prefix="aa")
    kept = create(sealed, root=root, prefix="aa")
    others = create(sealed, root=root, prefix="bb")
    write_files(root, {"foreign/aa": "x"})
    leave(left)
    leave(others)
    keep(kept)
    start_sweeper(root, "aa")
    assert wait_until_gone(left.root)
    assert until_gone(root, "aa")
    assert kept.path.is_dir()
    assert (others.path / "a").read_text() == "x"
    assert (root / "foreign" / "aa").read_text() == "x"


def test_those_in_use_stay_and_are_told(sealed: Sealed, root: Path) -> None:
    used, left = create(sealed, root=root, prefix="aa"), create(sealed, root=root, prefix="aa")
    leave(left)
    assert not sweep_prefix(root, "aa")
    assert not left.root.exists()
    assert (used.path / "a").read_text() == "x"
    remove(used)
    assert sweep_prefix(root, "aa")
