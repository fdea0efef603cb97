"""The files that a harness keeps about its own session, found below the private HOME."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from bakeoff.harness.protocol import Launch
from bakeoff.patterns import compile_glob, matches_any
from bakeoff.workspace.create import Workspace

BYTES_KEPT = 64 * 1024 * 1024
"""Bytes of session files read and kept of one trial; what lies beyond is named in the record."""

FILES_KEPT = 200
"""Session files read and kept of one trial."""


class SessionFile(NamedTuple):
    """One regular file; `kept` is false beyond the limits."""

    relative: bytes
    path: bytes
    size: int
    kept: bool


def session_files(launch: Launch, workspace: Workspace) -> tuple[SessionFile, ...]:
    """The files that match what the launch asks to keep, sorted; links are never followed."""
    globs = tuple(compile_glob(pattern) for pattern in launch.session_files)
    if not globs:
        return ()
    found: list[SessionFile] = []
    left = BYTES_KEPT
    for relative, path in sorted(_regular_files(os.fsencode(workspace.home))):
        if matches_any(globs, relative):
            size = os.lstat(path).st_size
            kept = size <= left and len(found) < FILES_KEPT
            left -= size if kept else 0
            found.append(SessionFile(relative, path, size, kept))
    return tuple(found)


def read_lines(files: tuple[SessionFile, ...]) -> Iterator[bytes]:
    """The lines of all kept files, one file after the other."""
    for file in files:
        if file.kept:
            descriptor = os.open(file.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as lines:
                for line in lines:
                    yield line.removesuffix(b"\n")


def _regular_files(home: bytes) -> Iterator[tuple[bytes, bytes]]:
    for directory, _, names in os.walk(home, followlinks=False):
        for name in names:
            path = os.path.join(directory, name)
            if stat.S_ISREG(os.lstat(path).st_mode):
                yield os.path.relpath(path, home), path
