"""Keeping compiled modules that an agent left out of the way while it is judged."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bakeoff.workspace.create import Workspace
from bakeoff.workspace.descent import CHANGE, Descent, blame

BYTE_CODE_TOLD = 20
"""Modules set aside that the record of a trial names."""


@contextmanager
def without_byte_code(paths: Iterable[bytes], workspace: Workspace) -> Iterator[list[bytes]]:
    """Keep these files out of the workspace for the length of the block.

    Yields those that could be moved. Byte code is not counted as a change, so an agent could
    put a `unittest.pyc` beside its work that no check on changes sees and that every `python
    -m unittest` runs. Python writes none outside `__pycache__` by itself. Links are never
    followed.
    """
    moved: list[tuple[bytes, Path]] = []
    for path in paths:
        # A name that nothing of the trial can have foreseen.
        kept = workspace.root / f"byte-code-{secrets.token_hex(8)}"
        if _move(path, workspace.path, kept, back=False):
            moved.append((path, kept))
    try:
        yield [path for path, _ in moved]
    finally:
        for path, kept in moved:
            _move(path, workspace.path, kept, back=True)


def _move(path: bytes, workspace: Path, kept: Path, *, back: bool) -> bool:
    *folders, name = path.split(b"/")
    try:
        with Descent(workspace, rights=CHANGE) as place:
            for folder in folders:
                place.enter(folder)
            if back:
                os.rename(kept, name, dst_dir_fd=place.fd)
            else:
                os.rename(name, kept, src_dir_fd=place.fd)
    except OSError as error:
        blame(error)
        return False
    return True
