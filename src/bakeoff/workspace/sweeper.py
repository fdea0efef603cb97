"""A process of its own that removes the workspaces of a Bakeoff which cannot wait for that.

A workspace belongs to its owner until that lets go of it or ends, so the sweeper looks again
until all have gone. It outlives Bakeoff and the terminal, and removes nothing of other runs.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from bakeoff.process.bare_python import start_detached
from bakeoff.workspace.sweep import sweep_prefix

_PATIENCE_S = 60.0
_LOOK_EVERY_S = 0.05


def start_sweeper(root: Path, prefix: str) -> None:
    """Have the workspaces below `root` whose names begin so removed; nobody waits for it.

    OSError when it cannot be started.
    """
    start_detached("bakeoff.workspace.sweeper", [str(root), prefix])


def begin() -> None:
    """The sweeper's own start; its arguments are where and which."""
    _, _, root, prefix = sys.argv
    until_gone(Path(root), prefix)


def until_gone(root: Path, prefix: str, *, patience_s: float = _PATIENCE_S) -> bool:
    """Sweep again and again until no such workspace is left; False when some stay."""
    until = time.monotonic() + patience_s
    while not sweep_prefix(root, prefix):
        if time.monotonic() > until:
            return False
        time.sleep(_LOOK_EVERY_S)
    return True
