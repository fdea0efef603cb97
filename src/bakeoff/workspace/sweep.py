"""Removing the workspaces that have no owner any more: its process died, or let go of them.

Nothing but the standard library is needed here, so that `workspace.sweeper` starts at once.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from pathlib import Path

from bakeoff.workspace.laying import remove_tree
from bakeoff.workspace.ownership import KEPT_SUFFIX, LOCK_SUFFIX, ROOT_MARK, lock_file


def sweep(root: Path) -> list[Path]:
    """Remove the workspaces below `root` whose owner is no longer alive; returns which.

    Those that cannot be removed are left for the next sweep. In a directory that `private_root`
    made, whatever else lies there goes too, as when an agent moved its directory away.
    """
    found = {held.with_suffix("") for held in root.glob(f"*{LOCK_SUFFIX}")}
    if (root / ROOT_MARK).exists():
        # A workspace is made after its lock, so one that is seen without a lock has no owner.
        found |= {path for path in root.iterdir() if path.suffix not in {LOCK_SUFFIX, KEPT_SUFFIX}}
    found -= {path.with_suffix("") for path in root.glob(f"*{KEPT_SUFFIX}")} | {root / ROOT_MARK}
    return [base for base in sorted(found) if _sweep_one(base)]


def sweep_prefix(root: Path, prefix: str) -> bool:
    """Remove those workspaces below `root` without an owner whose names begin so, and nothing else.

    Returns whether none of that name is left, with or without an owner.
    """
    for held in sorted(root.glob(f"{prefix}*{LOCK_SUFFIX}")):
        base = held.with_suffix("")
        if not base.with_name(base.name + KEPT_SUFFIX).exists():
            _sweep_one(base)
    return not is_left(root, prefix)


def is_left(root: Path, prefix: str) -> bool:
    """Whether there are workspaces below `root` whose names begin so and that nobody keeps."""
    return list(root.glob(f"{prefix}*{LOCK_SUFFIX}")) != []


def remove_whatever(path: Path) -> None:
    """Remove a directory with all in it, or what an agent put in its place; nothing is no harm."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISDIR(os.lstat(path).st_mode):
            remove_tree(path)
        else:
            os.unlink(path)


def _sweep_one(base: Path) -> bool:
    held = lock_file(base)
    lock = None
    try:
        with contextlib.suppress(FileNotFoundError):
            lock = os.open(held, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        there = os.path.lexists(base)
        remove_whatever(base)
        held.unlink(missing_ok=True)
    except OSError:
        # Its owner lives, or something cannot be removed.
        return False
    else:
        return there
    finally:
        if lock is not None:
            os.close(lock)
