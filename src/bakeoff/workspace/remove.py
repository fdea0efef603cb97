"""Removing workspaces, and those that a Bakeoff which died has left behind."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from bakeoff.errors import HostFailed
from bakeoff.workspace.create import LOCK_SUFFIX, Workspace, lock_file
from bakeoff.workspace.laying import remove_tree

_KEPT = ".kept"


def remove(workspace: Workspace) -> None:
    """Remove everything of a trial from disk, whatever the agent did to it; HostFailed if that fails.

    Removing one that is gone already does nothing.
    """
    try:
        with contextlib.suppress(FileNotFoundError):
            remove_tree(workspace.root)
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

    Those that cannot be removed are left for the next sweep.
    """
    removed = []
    for held in sorted(root.glob(f"*{LOCK_SUFFIX}")):
        base = held.with_suffix("")
        if _sweep_one(held, base):
            removed.append(base)
    return removed


def _sweep_one(held: Path, base: Path) -> bool:
    try:
        lock = os.open(held, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        there = os.path.lexists(base)
        if there:
            remove_tree(base)
        held.unlink(missing_ok=True)
    except OSError:
        # Its owner lives, or something cannot be removed.
        return False
    else:
        return there
    finally:
        os.close(lock)


def _release(workspace: Workspace) -> None:
    if workspace.lock is not None:
        workspace.lock.release()
