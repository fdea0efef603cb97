"""The files that a harness keeps about its own session, found below the private HOME."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bakeoff.harness.protocol import Launch
from bakeoff.patterns import compile_glob, matches_any
from bakeoff.workspace.create import Workspace
from bakeoff.workspace.descent import blame, readable
from bakeoff.workspace.walk import Found, Kind, walk

BYTES_KEPT = 64 * 1024 * 1024
"""Bytes of session files read and kept of one trial; what lies beyond is named in the record."""

FILES_KEPT = 200
"""Session files read and kept of one trial."""

_PIECE = 1024 * 1024


class SessionFile(NamedTuple):
    """One regular file of a HOME.

    Attributes:
        relative: its path below the HOME.
        copy: our own copy of it; None beyond the limits, and when it cannot be read.
    """

    relative: bytes
    size: int
    copy: Path | None


def session_files(launch: Launch, workspace: Workspace) -> tuple[SessionFile, ...]:
    """Copy the files that match what the launch asks to keep; the agent may have made any of them.

    Links are never followed. They come sorted, as far as the limits go.
    """
    globs = tuple(compile_glob(pattern) for pattern in launch.session_files)
    if not globs:
        return ()
    found: list[SessionFile] = []
    left = BYTES_KEPT
    for each in _regular_files(workspace.home):
        assert each.status is not None
        if matches_any(globs, each.path):
            size = each.status.st_size
            copy: Path | None = None
            if size <= left and len(found) < FILES_KEPT:
                # A name that nothing of the trial can have foreseen.
                copy = _copied(each, workspace.root / f"session-{secrets.token_hex(8)}", size)
            left -= size if copy else 0
            found.append(SessionFile(each.path, size, copy))
    return tuple(sorted(found))


def read_lines(files: tuple[SessionFile, ...]) -> Iterator[bytes]:
    """The lines of all copies, one file after the other."""
    for file in files:
        if file.copy is not None:
            with file.copy.open("rb") as lines:
                for line in lines:
                    yield line.removesuffix(b"\n")


def _regular_files(home: Path) -> Iterator[Found]:
    try:
        yield from (each for each in walk(home) if each.kind is Kind.FILE)
    except OSError as error:
        # Without a sandbox an agent can remove its HOME.
        blame(error)


def _copied(found: Found, place: Path, size: int) -> Path | None:
    """A copy of `size` bytes of a file; None when it cannot be read."""
    try:
        with readable(found.name, found.folder) as source, place.open("xb") as copy:
            left = size
            while left and (piece := os.read(source, min(left, _PIECE))):
                copy.write(piece)
                left -= len(piece)
    except OSError as error:
        blame(error)
        return None
    return place
