"""Showing that a source was not touched: a fingerprint before and after an experiment."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from bakeoff.git.call import find_repository
from bakeoff.workspace.descent import LEAVE_ALONE, readable
from bakeoff.workspace.walk import Found, Kind, walk

_LARGEST_READ = 1 << 20


def fingerprint(path: Path, *, leave_out: tuple[Path, ...] = ()) -> str:
    """The SHA-256 of all facts about a source: equal as long as nobody wrote to it.

    Counts name, kind, mode, size, times and inode of everything in a folder or work tree; of a
    repository also HEAD, references, configuration, index and hooks with their content, and the
    list of its objects. The store's own folder `.bakeoff` at the top, and what is in
    `leave_out`, do not count. Reading changes nothing, not even a mode.
    """
    path = Path(os.path.realpath(path))
    repository = find_repository(path)
    state = hashlib.sha256()
    passed_over = {os.fsencode(os.path.relpath(os.path.realpath(each), path)) for each in leave_out}
    places = [] if repository is None else sorted({repository.git_dir, repository.common_dir})
    if repository is None or repository.work_tree is not None:
        for line in _facts(path, frozenset(passed_over | {b".bakeoff"})):
            state.update(line)
    for place in places:
        state.update(b"\0\0")
        for line in _git_facts(place):
            state.update(line)
    return state.hexdigest()


def _facts(top: Path, passed_over: frozenset[bytes]) -> Iterator[bytes]:
    for found in walk(top, rights=LEAVE_ALONE, skip=passed_over.__contains__):
        yield _line(found, with_changed=True)


def _git_facts(git_dir: Path) -> Iterator[bytes]:
    for found in walk(git_dir, rights=LEAVE_ALONE):
        is_object = b"objects" in found.path.split(b"/")
        # A clone on the same disk links objects, which changes their status but nothing in them.
        yield _line(found, with_changed=not is_object)
        if found.kind is Kind.FILE and not is_object:
            yield _content(found)


def _line(found: Found, *, with_changed: bool) -> bytes:
    status = found.status
    if status is None:
        return b"%s\0%d\0" % (found.path, found.kind.value)
    numbers = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino)
    changed = status.st_ctime_ns if with_changed else 0
    return b"%s\0%d\0%d %d %d %d %d\0" % (found.path, found.kind.value, *numbers, changed)


def _content(found: Found) -> bytes:
    try:
        with readable(found.name, found.folder, rights=LEAVE_ALONE) as file:
            return hashlib.sha256(os.read(file, _LARGEST_READ)).digest()
    except OSError as error:
        return b"unreadable %d" % (error.errno or 0)
