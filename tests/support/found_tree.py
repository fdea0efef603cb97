"""An independent reading of a folder by `find`, and what a record of it must hold."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CAP = 16 * 1024 * 1024
NOT_ARCHIVED = {b"node_modules", b".venv", b"__pycache__", b".pytest_cache"}
NOT_COUNTED = {b"__pycache__", b".pytest_cache"}


@dataclass(frozen=True, slots=True)
class Thing:
    """What lies at a path: f file, l link, p pipe, s socket; its content or target, if not too large."""

    kind: str
    executable: bool
    content: bytes | None


Tree = Mapping[bytes, Thing]


def walked(root: Path) -> tuple[Tree, set[bytes]]:
    """Everything below a folder that is no folder, as `find` tells it; and each nested `.git`.

    Knows nothing of Bakeoff, and reads everything: also what nobody has a right to.
    """
    for line in _found(root, ["-type", "d", "!", "-perm", "-700", "-exec", "chmod", "u+rwx", "{}", "+"]):
        raise AssertionError(line)
    things: dict[bytes, Thing] = {}
    nested: set[bytes] = set()
    lines = _found(root, ["-printf", r"%y\t%m\t%s\t%P\0"])
    for kind, mode, size, path in (line.split(b"\t", 3) for line in lines):
        if path.rpartition(b"/")[2] == b".git":
            nested |= {path} - {b".git"}
        elif kind != b"d":
            full = os.path.join(os.fsencode(root), path)
            things[path] = Thing(kind.decode(), bool(int(mode, 8) & 0o100), _content(full, kind, int(size)))
    return things, nested


def _found(root: Path, action: list[str]) -> list[bytes]:
    find = ["find", str(root), "-mindepth", "1"]
    # What is called .git is named, and not entered.
    command = [*find, "-name", ".git", *action, "-prune", "-o", *action]
    done = subprocess.run(command, capture_output=True, check=True)
    return done.stdout.split(b"\0")[:-1]


def _content(path: bytes, kind: bytes, size: int) -> bytes | None:
    if kind == b"l":
        return os.readlink(path)
    if kind != b"f" or size > CAP:
        return None
    mode = stat.S_IMODE(os.lstat(path).st_mode)
    os.chmod(path, mode | 0o400)
    with open(path, "rb") as file:
        return file.read()


def differing(before: Tree, after: Tree, nested: set[bytes]) -> dict[bytes, str]:
    """Every path that counts and differs, with the kind of change that a record must tell."""
    found = dict.fromkeys(nested, "added")
    for path in before.keys() | after.keys():
        old, new = before.get(path), after.get(path)
        if old == new or (old is None and not is_counted(path)):
            continue
        if old is None or new is None:
            found[path] = "added" if old is None else "deleted"
        elif old.kind != new.kind:
            found[path] = "type"
        else:
            found[path] = "modified" if old.content != new.content else "mode"
    return found


def is_counted(path: bytes) -> bool:
    """Whether a path that is not among the starting files is anybody's change at all."""
    return not NOT_COUNTED & set(path.split(b"/")) and not path.endswith(b".pyc")


Archivable = Mapping[bytes, tuple[str, bool, bytes]]
"""Path to kind, executable or not, and content."""


def archivable(tree: Tree, tracked: Tree) -> Archivable:
    """What of a folder belongs into the tree of the archive, by the rules that are documented."""
    return {
        path: (thing.kind, thing.executable and thing.kind == "f", thing.content)
        for path, thing in tree.items()
        if thing.kind in "fl"
        and thing.content is not None
        and (path in tracked or not NOT_ARCHIVED & set(path.split(b"/")[:-1]))
        and not any(part.lower() == b".git" for part in path.split(b"/"))
        and not (thing.kind == "l" and path.rpartition(b"/")[2] in {b".gitmodules", b".gitattributes"})
    }
