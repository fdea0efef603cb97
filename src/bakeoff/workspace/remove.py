"""Removing workspaces, and those that a Bakeoff which died has left behind."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from pathlib import Path

from bakeoff.errors import HostFailed
from bakeoff.workspace.create import LOCK_SUFFIX, ROOT_MARK, Workspace, lock_file
from bakeoff.workspace.laying import remove_tree

_KEPT = ".kept"


def remove(workspace: Workspace) -> None:
    """Remove everything of a trial from disk, whatever the agent did to it; HostFailed if that fails.

    Removing one that is gone already does nothing.
    """
    try:
        _remove_whatever(workspace.root)
        lock_file(workspace.root).unlink(missing_ok=True)
    except OSError as error:
        raise HostFailed(
            f"a workspace cannot be removed: {error.strerror or error}", str(workspace.root)
        ) from error
    finally:
        _release(workspace)


def keep(workspace: Workspace) -> None:
    """Leave a workspace on disk for the user: no sweep removes it."""
    workspace.root.with_name(workspace.root.name + _KEPT).touch()
    lock_file(workspace.root).unlink(missing_ok=True)
    _release(workspace)


def sweep(root: Path) -> list[Path]:
    """Remove the workspaces below `root` whose owner is no longer alive; returns which.

    Those that cannot be removed are left for the next sweep. In a directory that `private_root`
    made, whatever else lies there goes too, as when an agent moved its directory away.
    """
    found = {held.with_suffix("") for held in root.glob(f"*{LOCK_SUFFIX}")}
    if (root / ROOT_MARK).exists():
        # A workspace is made after its lock, so one that is seen without a lock has no owner.
        found |= {path for path in root.iterdir() if path.suffix not in {LOCK_SUFFIX, _KEPT}}
    found -= {path.with_suffix("") for path in root.glob(f"*{_KEPT}")} | {root / ROOT_MARK}
    return [base for base in sorted(found) if _sweep_one(lock_file(base), base)]


def _sweep_one(held: Path, base: Path) -> bool:
    lock = None
    try:
        with contextlib.suppress(FileNotFoundError):
            lock = os.open(held, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        there = os.path.lexists(base)
        _remove_whatever(base)
        held.unlink(missing_ok=True)
    except OSError:
        # Its owner lives, or something cannot be removed.
        return False
    else:
        return there
    finally:
        if lock is not None:
            os.close(lock)


def _remove_whatever(path: Path) -> None:
    """Remove a directory with all in it, or what an agent put in its place; nothing is no harm."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISDIR(os.lstat(path).st_mode):
            remove_tree(path)
        else:
            os.unlink(path)


def _release(workspace: Workspace) -> None:
    if workspace.lock is not None:
        workspace.lock.release()
