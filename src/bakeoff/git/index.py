"""Writing a git index whose entries match the files on disk, so that git has nothing to read again."""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from bakeoff.git.objects import FOLDER
from bakeoff.git.tree import Tree

_STATUS = struct.Struct(">10I")
_SECOND = 10**9
_LOW = 0xFFFFFFFF
_LONGEST_NAME = 0xFFF


class Indexed(NamedTuple):
    """One tracked file as it lies on disk; `status` as lstat gives it, None for a submodule."""

    path: bytes
    mode: int
    id: str
    status: os.stat_result | None


def write_index(
    path: Path,
    entries: Iterable[Indexed],
    tree: Tree,
    *,
    object_format: str = "sha1",
    owner: tuple[int, int] | None = None,
) -> None:
    """Write the index of a work tree that holds exactly `tree`.

    `owner` is the user and group that git will see as the owner of the files, where that
    differs from what `status` says (inside a user namespace).
    """
    ordered = sorted(entries)
    body = [struct.pack(">4sII", b"DIRC", 2, len(ordered))]
    body += [_packed(entry, owner) for entry in ordered]
    cached = _cached_trees(tree)
    body.append(struct.pack(">4sI", b"TREE", len(cached)) + cached)
    data = b"".join(body)
    path.write_bytes(data + hashlib.new(object_format, data, usedforsecurity=False).digest())


def _packed(entry: Indexed, owner: tuple[int, int] | None) -> bytes:
    name = bytes.fromhex(entry.id)
    flags = min(len(entry.path), _LONGEST_NAME)
    packed = b"%b%b%b%b" % (_packed_status(entry, owner), name, flags.to_bytes(2, "big"), entry.path)
    # One to eight NUL bytes, up to a multiple of eight.
    return packed + bytes(8 - len(packed) % 8)


def _packed_status(entry: Indexed, owner: tuple[int, int] | None) -> bytes:
    status = entry.status
    if status is None:
        return _STATUS.pack(0, 0, 0, 0, 0, 0, entry.mode, 0, 0, 0)
    user, group = owner or (status.st_uid, status.st_gid)
    return _STATUS.pack(
        *divmod(status.st_ctime_ns, _SECOND),
        *divmod(status.st_mtime_ns, _SECOND),
        status.st_dev & _LOW,
        status.st_ino & _LOW,
        entry.mode,
        user & _LOW,
        group & _LOW,
        status.st_size & _LOW,
    )


def _cached_trees(tree: Tree) -> bytes:
    """The ids of all folders, which spare git from reading trees to see that nothing is staged."""
    below = _folders_below(tree)
    counts = _file_counts(tree, below)
    parts: list[bytes] = []
    waiting = [b""]
    while waiting:
        folder = waiting.pop()
        name, object_id = b"", tree.id
        if folder:
            above, _, name = folder.rpartition(b"/")
            object_id = tree.folders[above][name][1]
        parts.append(b"%s\0%d %d\n%s" % (name, counts[folder], len(below[folder]), bytes.fromhex(object_id)))
        # Git keeps the folders of a folder by length of name, then by name; the last is taken first.
        waiting += sorted(below[folder], key=lambda path: (len(path), path), reverse=True)
    return b"".join(parts)


def _folders_below(tree: Tree) -> dict[bytes, list[bytes]]:
    return {
        folder: [
            folder + b"/" + name if folder else name for name, (mode, _) in entries.items() if mode == FOLDER
        ]
        for folder, entries in tree.folders.items()
    }


def _file_counts(tree: Tree, below: dict[bytes, list[bytes]]) -> dict[bytes, int]:
    counts: dict[bytes, int] = {}
    for folder in sorted(tree.folders, key=lambda path: path.count(b"/") + bool(path), reverse=True):
        own = len(tree.folders[folder]) - len(below[folder])
        counts[folder] = own + sum(counts[inner] for inner in below[folder])
    return counts
