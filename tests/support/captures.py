"""What a capture must hold, told by an independent walk, and how it is read back."""

from __future__ import annotations

from support.workspaces import plain_walk

from bakeoff.model.check import ChangeKind
from bakeoff.store.archive import Archive
from bakeoff.workspace.capture import Baseline, take_baseline
from bakeoff.workspace.create import Workspace
from bakeoff.workspace.sealed import Sealed

CAP = 1_000_000
Walked = dict[bytes, tuple[str, int, bytes]]

CACHES = {b"__pycache__", b".pytest_cache", b".mypy_cache", b".ruff_cache"}
LEFT_OUT = CACHES | {b"node_modules", b".venv", b"venv", b".hypothesis"}
TOO_DEEP = b"tests/" + b"d/" * 1999


def expected_tree(walked: Walked, tracked: set[bytes]) -> Walked:
    """What of a plain walk belongs into the tree, with modes as git knows them."""
    return {
        path: (kind, 0o777 if kind == "link" else 0o755 if mode & 0o100 else 0o644, data)
        for path, (kind, mode, data) in walked.items()
        if kind in {"file", "link"}
        and len(data) <= CAP
        and (path in tracked or not LEFT_OUT & set(path.split(b"/")[:-1]))
        and not any(part.lower() == b".git" for part in path.split(b"/"))
        and not (kind == "link" and path.rpartition(b"/")[2] in {b".gitmodules", b".gitattributes"})
        and not path.startswith(TOO_DEEP)
    }


def expected_changes(before: Walked, after: Walked, tracked: set[bytes]) -> set[tuple[bytes, ChangeKind]]:
    changes = set()
    for path in before.keys() | after.keys():
        old, new = before.get(path), after.get(path)
        if path not in tracked and (CACHES & set(path.split(b"/")) or path.endswith(b".pyc")):
            continue
        if old is None or new is None:
            changes.add((path, ChangeKind.ADDED if old is None else ChangeKind.DELETED))
        elif (old[0] == "link") != (new[0] == "link") or (old[0] == "special") != (new[0] == "special"):
            changes.add((path, ChangeKind.TYPE))
        elif old[2] != new[2]:
            changes.add((path, ChangeKind.MODIFIED))
        elif (old[1] ^ new[1]) & 0o100:
            changes.add((path, ChangeKind.MODE))
    deep = {change for change in changes if change[0].startswith(TOO_DEEP)}
    return changes - deep | ({(TOO_DEEP + b"d", ChangeKind.ADDED)} if deep else set())


def both(made: Workspace, sealed: Sealed, archive: Archive) -> tuple[Baseline, Walked]:
    baseline = take_baseline(made, sealed, archive, file_cap=CAP)
    return baseline, plain_walk(made.path)


def stored(archive: Archive, tree: str) -> Walked:
    """A tree of the archive in the form of `plain_walk`."""
    entries = list(archive.walk_tree(tree))
    kinds = {0o100644: ("file", 0o644), 0o100755: ("file", 0o755), 0o120000: ("link", 0o777)}
    blobs = archive.read_blobs(name for _, _, name in entries)
    return {path: (*kinds[mode], data) for (path, mode, _), data in zip(entries, blobs, strict=True)}
