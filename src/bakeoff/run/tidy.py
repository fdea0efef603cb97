"""Tidying up at the end of an experiment, without making those wait who asked for the end."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

from bakeoff.store.archive import Archive
from bakeoff.workspace.sweep import is_left, sweep
from bakeoff.workspace.sweeper import start_sweeper

LOOSE_OBJECTS_LEFT = 5_000
"""The archive is packed at the end of an experiment when more loose objects than this lie in it."""

_AFTER_INTERRUPT_S = 0.3


def tidy(root: Path, archive: Archive) -> None:
    """Remove what is left of workspaces below `root`, and pack the archive when that is worth it."""
    sweep(root)
    if archive.loose_count() > LOOSE_OBJECTS_LEFT:
        archive.pack()


def tidy_quickly(root: Path, prefix: str) -> None:
    """Remove what is left of workspaces; those of this prefix by another process if it takes long."""
    # Nobody waits for this thread: it ends with the process.
    sweeping = threading.Thread(target=sweep, args=(root,), name="sweep", daemon=True)
    sweeping.start()
    sweeping.join(_AFTER_INTERRUPT_S)
    if is_left(root, prefix):
        # Where no process can be started, the next experiment removes them.
        with contextlib.suppress(OSError):
            start_sweeper(root, prefix)
