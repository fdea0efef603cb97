"""Whose a workspace is: a locked file beside it, which ends with the process that holds it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
from pathlib import Path

LOCK_SUFFIX = ".lock"
KEPT_SUFFIX = ".kept"
"""Of the file beside a workspace that stays for the user: no sweep removes it."""

ROOT_MARK = ".workspaces"
"""A file that says: everything else in this directory is Bakeoff's own."""


class OwnerLock:
    """A locked file beside a workspace; the lock ends with the process that holds it."""

    def __init__(self, root: Path, name: str) -> None:
        """Make the file, which must not exist yet, and lock it."""
        path = root / f"{name}{LOCK_SUFFIX}"
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        # A sweep may have taken the new file for a leftover before it was locked.
        if not os.path.lexists(path):
            self.release()
            raise FileNotFoundError(path)

    def release(self) -> None:
        """Let go of it; more than once is no harm."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def new_name(root: Path, prefix: str) -> tuple[str, OwnerLock]:
    """An opaque name below `root` that nobody else has, and the lock that makes it ours."""
    while True:
        name = prefix + secrets.token_hex(8)
        with contextlib.suppress(FileNotFoundError):
            return name, OwnerLock(root, name)


def lock_file(base: Path) -> Path:
    """Where the lock of a workspace's directory is."""
    return base.with_name(base.name + LOCK_SUFFIX)
