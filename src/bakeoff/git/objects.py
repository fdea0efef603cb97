"""Git objects without git: their ids, loose files, and directories that hold them."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import zlib
from collections.abc import Mapping
from pathlib import Path

from bakeoff.errors import HostFailed

FILE = 0o100644
EXECUTABLE = 0o100755
LINK = 0o120000
SUBMODULE = 0o160000
FOLDER = 0o040000

Leaf = tuple[int, str]
"""The mode and the id of one entry of a tree."""

_ATTEMPTS = 100

_numbers = itertools.count()


def new_hash(kind: bytes, size: int, object_format: str = "sha1") -> hashlib._Hash:
    """A hash that has taken the header of an object; feed it `size` bytes of content."""
    state = hashlib.new(object_format, usedforsecurity=False)
    state.update(b"%s %d\0" % (kind, size))
    return state


def object_id(kind: bytes, data: bytes, object_format: str = "sha1") -> str:
    """The id that git gives to `data` as an object of this kind (b"blob", b"tree", b"commit")."""
    state = new_hash(kind, len(data), object_format)
    state.update(data)
    return state.hexdigest()


def tree_data(entries: Mapping[bytes, Leaf]) -> bytes:
    """A tree as git writes it; names sort as if those of folders ended in a slash."""
    ordered = sorted((name + b"/" if mode == FOLDER else name, name) for name, (mode, _) in entries.items())
    return b"".join(
        b"%o %s\0%s" % (entries[name][0], name, bytes.fromhex(entries[name][1])) for _, name in ordered
    )


def commit_data(tree: str, *, person: str, date: int, message: str, parents: tuple[str, ...] = ()) -> bytes:
    """A commit as git writes it; `date` in seconds since 1970, in UTC."""
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    lines += [f"author {person} {date} +0000", f"committer {person} {date} +0000", "", message, ""]
    return "\n".join(lines).encode()


class LooseObjects:
    """The loose objects of one git directory; safe for many threads and processes at once."""

    def __init__(self, objects: Path, object_format: str = "sha1") -> None:
        """`objects` is the directory that git calls `objects`; it must exist."""
        self._objects = os.fsencode(objects)
        self.object_format = object_format

    def put(self, kind: bytes, data: bytes) -> str:
        """Store an object unless it is there; returns its id. A full disk is HostFailed."""
        name = object_id(kind, data, self.object_format)
        folder = os.path.join(self._objects, name[:2].encode())
        path = os.path.join(folder, name[2:].encode())
        if os.path.exists(path):
            return name
        temporary = os.path.join(folder, b"tmp_obj_%d_%d" % (os.getpid(), next(_numbers)))
        try:
            self._write(folder, temporary, zlib.compress(b"%s %d\0" % (kind, len(data)) + data, 1))
            os.rename(temporary, path)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise HostFailed(f"an object cannot be stored: {error.strerror}", os.fsdecode(path)) from error
        return name

    def put_tree(self, entries: Mapping[bytes, Leaf]) -> str:
        """Store a tree; returns its id."""
        return self.put(b"tree", tree_data(entries))

    @staticmethod
    def _write(folder: bytes, temporary: bytes, packed: bytes) -> None:
        with open(_made_in(folder, temporary), "wb") as file:
            file.write(packed)

    def read(self, name: str) -> bytes | None:
        """The content of an object; None when it is not loose. Damage is HostFailed."""
        path = os.path.join(self._objects, name[:2].encode(), name[2:].encode())
        try:
            with open(path, "rb") as file:
                header, _, data = zlib.decompress(file.read()).partition(b"\0")
        except FileNotFoundError:
            return None
        except (OSError, zlib.error) as error:
            raise HostFailed(f"the stored object {name} cannot be read: {error}") from error
        if object_id(header.split(b" ")[0], data, self.object_format) != name:
            raise HostFailed(f"the stored object {name} is damaged")
        return data


def _made_in(folder: bytes, path: bytes) -> int:
    """Make a file in a folder that may not exist yet, and that git removes whenever it is empty."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    for _ in range(_ATTEMPTS):
        try:
            return os.open(path, flags, 0o444)
        except FileNotFoundError:
            os.makedirs(folder, exist_ok=True)
    return os.open(path, flags, 0o444)


def make_git_directory(path: Path, *, object_format: str = "sha1", bare: bool, config: str = "") -> None:
    """Write an empty git directory whose branch is main: no template, hooks, logs or remotes."""
    for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info"):
        os.makedirs(path / folder)
    (path / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    (path / "config").write_text(git_config(object_format=object_format, bare=bare) + config)


def git_config(*, object_format: str, bare: bool) -> str:
    """The configuration of a git directory that never starts anything by itself."""
    newer = object_format != "sha1"
    lines = [
        "[core]",
        f"\trepositoryformatversion = {int(newer)}",
        "\tfilemode = true",
        f"\tbare = {'true' if bare else 'false'}",
        *(() if bare else ("\tlogallrefupdates = true",)),
        *(("[extensions]", f"\tobjectformat = {object_format}") if newer else ()),
        "[gc]",
        "\tauto = 0",
        "[maintenance]",
        "\tauto = false",
        "",
    ]
    return "\n".join(lines)
