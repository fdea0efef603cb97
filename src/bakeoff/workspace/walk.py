"""Finding everything in a directory tree that an agent may have made."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple

from bakeoff.workspace.descent import READ, Descent, blame

DEEPEST = 2000
"""Folders below this depth are not entered; git itself gives up at twice that."""

LONGEST = 16_384
"""Bytes of a path beyond which a folder is not entered, lest paths alone fill the memory."""


class Kind(Enum):
    """What was found at a path."""

    FILE = auto()
    LINK = auto()
    SPECIAL = auto()
    """A pipe, socket or device."""
    GIT = auto()
    """Anything called `.git`; never entered."""
    EMPTY_FOLDER = auto()
    UNREADABLE = auto()
    """A file or folder that cannot be looked at."""
    TOO_DEEP = auto()
    """A folder with too many above it, or with too long a path; not entered."""
    ELSEWHERE = auto()
    """A folder on another file system; not entered."""


Skip = Callable[[bytes], bool]


class Found(NamedTuple):
    """Something in a directory tree; `folder` is open until the next one is asked for."""

    path: bytes
    kind: Kind
    folder: int
    name: bytes
    status: os.stat_result | None = None
    reason: str = ""


def walk(
    root: Path, *, rights: int = READ, skip: Skip = frozenset().__contains__
) -> Generator[Found, None, None]:
    """Everything below `root` except folders that hold something, in an order that never varies.

    Paths for which `skip` says so are passed over, whatever they are. OSError when `root`
    itself is no directory.
    """
    with Descent(root, rights=rights) as place:
        device = place.device
        found, folders = _listing(place, b"", skip)
        yield from found
        waiting = [(b"", folders)]
        while waiting:
            prefix, names = waiting[-1]
            if not names:
                waiting.pop()
                if waiting:
                    place.leave()
                continue
            name = names.pop()
            path = prefix + name
            obstacle = _enter(place, path, name, device)
            if obstacle is not None:
                yield obstacle
                continue
            found, folders = _listing(place, path + b"/", skip)
            if not found and not folders:
                yield Found(path, Kind.EMPTY_FOLDER, place.fd, name)
            yield from found
            waiting.append((path + b"/", folders))


def _enter(place: Descent, path: bytes, name: bytes, device: int) -> Found | None:
    """Step into a folder; what stands in the way, if anything does."""
    if place.depth >= DEEPEST or len(path) > LONGEST:
        return Found(path, Kind.TOO_DEEP, place.fd, name)
    try:
        place.enter(name)
    except OSError as error:
        return Found(path, Kind.UNREADABLE, place.fd, name, None, blame(error))
    if place.device != device:
        place.leave()
        return Found(path, Kind.ELSEWHERE, place.fd, name)
    return None


def _listing(place: Descent, prefix: bytes, skip: Skip) -> tuple[list[Found], list[bytes]]:
    """What lies in the folder where it stands: the rest by name, and folders with the last name first."""
    found: list[Found] = []
    folders: list[bytes] = []
    with os.scandir(place.fd) as entries:
        for entry in entries:
            name = os.fsencode(entry.name)
            path = prefix + name
            if skip(path):
                continue
            if name == b".git":
                found.append(Found(path, Kind.GIT, place.fd, name))
            elif entry.is_dir(follow_symlinks=False):
                folders.append(name)
            else:
                found.append(_found(path, name, place.fd, entry))
    folders.sort(reverse=True)
    found.sort()
    return found, folders


def _found(path: bytes, name: bytes, folder: int, entry: os.DirEntry[str]) -> Found:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError as error:
        return Found(path, Kind.UNREADABLE, folder, name, None, blame(error))
    if stat.S_ISREG(status.st_mode):
        return Found(path, Kind.FILE, folder, name, status)
    if stat.S_ISLNK(status.st_mode):
        return Found(path, Kind.LINK, folder, name, status)
    return Found(path, Kind.SPECIAL, folder, name, status, _special_kind(status.st_mode))


def _special_kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "named pipe"
    if stat.S_ISSOCK(mode):
        return "socket"
    return "device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "unknown kind of file"
