"""Sealed files, workspaces and an independent reading of directory trees, for tests."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bakeoff.model.suite import FolderStart, GitStart, Placement, PlacementKind
from bakeoff.workspace.create import Workspace, create
from bakeoff.workspace.remove import remove
from bakeoff.workspace.seal import seal
from bakeoff.workspace.sealed import Sealed


def sealed_from(
    repository: Path, cache: Path, *placements: Placement, hide: tuple[str, ...] = (), revision: str = "HEAD"
) -> Sealed:
    """Starting files sealed from a repository."""
    return seal(GitStart(repository=repository, revision=revision, hide=hide), placements, cache=cache)


def sealed_folder(
    folder: Path | None, cache: Path, *placements: Placement, **fields: tuple[str, ...]
) -> Sealed:
    """Starting files sealed from a plain folder."""
    return seal(FolderStart(folder=folder, **fields), placements, cache=cache)


def placement(target: str, source: Path | None) -> Placement:
    """An instruction file, a folder of skills, or their removal."""
    return Placement(kind=PlacementKind.INSTRUCTIONS, name=target, target=target, source=source)


@contextmanager
def workspace(sealed: Sealed, root: Path) -> Iterator[Workspace]:
    """A workspace that is gone afterwards."""
    root.mkdir(exist_ok=True)
    made = create(sealed, root=root)
    try:
        yield made
    finally:
        remove(made)


def plain_walk(root: Path, nested: set[bytes] | None = None) -> dict[bytes, tuple[str, int, bytes]]:
    """Everything below a directory but `.git`: path to kind, mode and content or link target.

    Paths of everything called `.git` below the top are added to `nested`. Written apart from the product, by changing into each directory, so that deep trees and
    long paths are no obstacle. Content of files over 20 MB is not read.
    """
    found: dict[bytes, tuple[str, int, bytes]] = {}
    here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.chdir(root)
        waiting = [(b"", sorted(os.listdir(b".")))]
        while waiting:
            prefix, names = waiting[-1]
            if not names:
                waiting.pop()
                os.chdir("..")
                continue
            name = names.pop()
            status = os.lstat(name)
            if name == b".git":
                if nested is not None and prefix:
                    nested.add(prefix + name)
                continue
            if stat.S_ISDIR(status.st_mode):
                os.chdir(name)
                waiting.append((prefix + name + b"/", sorted(os.listdir(b"."))))
            else:
                found[prefix + name] = _read(name, status)
    finally:
        os.fchdir(here)
        os.close(here)
    return found


def _read(name: bytes, status: os.stat_result) -> tuple[str, int, bytes]:
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return "link", 0o777, os.readlink(name)
    if not stat.S_ISREG(status.st_mode):
        return "special", mode, b""
    if status.st_size > 20_000_000:
        return "large", mode, b"%d" % status.st_size
    with open(name, "rb") as file:
        return "file", mode, file.read()
