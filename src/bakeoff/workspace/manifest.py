"""The manifest of a workspace: what lies at every path, and how two manifests differ."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from bakeoff.git.objects import EXECUTABLE, FILE, LINK, Leaf, new_hash, object_id
from bakeoff.model.check import ChangeKind
from bakeoff.workspace.descent import blame, readable
from bakeoff.workspace.exclusions import is_unsafe, left_out_folder
from bakeoff.workspace.walk import DEEPEST, LONGEST, Found, Kind, walk

PIECE = 1 << 20
"""Bytes that are read at once."""

_WITHOUT_CONTENT = frozenset({"special_file", "nested_repository"})
_SPECIAL = 0o010000
_GIT = 0o040000

PutBlob = Callable[[bytes], str]


class Mark(NamedTuple):
    """What lies at one path.

    Attributes:
        mode: as git writes it for files and links; the type of a pipe or of a folder stands for any special file and for a nested `.git`.
        size: in bytes; with the next three the facts that change whenever content does.
        id: of the content as a blob (sha1); None where the content is not known.
        archived: whether the path is part of the tree.
    """

    mode: int
    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    id: str | None
    archived: bool

    @property
    def is_content(self) -> bool:
        """Whether it is a file or a link."""
        return self.mode in {FILE, EXECUTABLE, LINK}

    @property
    def leaf(self) -> Leaf | None:
        """How it stands in the tree; None when it does not."""
        return (self.mode, self.id) if self.archived and self.id is not None else None


Manifest = Mapping[bytes, Mark]


def mark_of(status: os.stat_result, object_id: str | None, *, archived: bool) -> Mark:
    """The mark of a file or link from its status."""
    if stat.S_ISLNK(status.st_mode):
        mode = LINK
    elif stat.S_ISREG(status.st_mode):
        mode = EXECUTABLE if status.st_mode & stat.S_IXUSR else FILE
    else:
        mode = _SPECIAL
    facts = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    return Mark(mode, *facts, object_id, archived)


@dataclass(slots=True, kw_only=True)
class Scan:
    """What a walk over a workspace found.

    Attributes:
        marks: the manifest.
        left_out: path to the reason why it, or what is below it, is not in the tree.
        findings: kind and detail of what a reader should know.
        aside: unsafe path to the id of its blob, which no tree holds.
        unread: files whose content is not in the tree, and folders that were not entered.
    """

    marks: dict[bytes, Mark] = field(default_factory=dict)
    left_out: dict[bytes, str] = field(default_factory=dict)
    findings: list[tuple[str, bytes]] = field(default_factory=list)
    aside: dict[bytes, str] = field(default_factory=dict)
    unread: set[bytes] = field(default_factory=set)


def scan(root: Path, *, known: Manifest, tracked: Container[bytes], file_cap: int, put_blob: PutBlob) -> Scan:
    """Walk a workspace and store the content of every file whose facts differ from `known`.

    Tracked paths are archived wherever they lie. Files over `file_cap` bytes are not, unless
    their content is already known. OSError when `root` is no directory.
    """
    scanner = _Scanner(known, tracked, file_cap, put_blob)
    for found in walk(root):
        scanner.take(found)
    return scanner.result


class _Scanner:
    def __init__(self, known: Manifest, tracked: Container[bytes], file_cap: int, put_blob: PutBlob) -> None:
        self.result = Scan()
        self._known = known
        self._tracked = tracked
        self._file_cap = file_cap
        self._put_blob = put_blob

    def take(self, found: Found) -> None:
        if found.kind is Kind.FILE or found.kind is Kind.LINK:
            before = self._known.get(found.path)
            if before is not None and before.archived and _is_untouched(before, found.status):
                self.result.marks[found.path] = before
            else:
                self._take_content(found, before)
        elif found.kind is Kind.SPECIAL:
            assert found.status is not None
            self.result.marks[found.path] = mark_of(found.status, None, archived=False)
            self._leave_out(found, f"special file: {found.reason}", "special_file")
        elif found.kind is Kind.GIT:
            if found.path != b".git":
                self.result.marks[found.path] = Mark(_GIT, 0, 0, 0, 0, None, archived=False)
                self._leave_out(found, "git directory of a nested repository", "nested_repository")
        elif found.kind is Kind.EMPTY_FOLDER:
            if left_out_folder(found.path + b"/") is None:
                self.result.left_out[found.path + b"/"] = "empty folder"
        else:
            self._take_unseen(found)

    def _take_unseen(self, found: Found) -> None:
        reason = {
            Kind.UNREADABLE: f"unreadable: {found.reason}",
            Kind.TOO_DEEP: f"deeper than {DEEPEST} folders, or a longer path than {LONGEST} bytes",
            Kind.ELSEWHERE: "on another file system",
        }[found.kind]
        # It counts as a path whose content is unknown, so that nobody hides a change behind it.
        self.result.marks[found.path] = Mark(_SPECIAL, 0, 0, 0, 0, None, archived=False)
        self._leave_out(found, reason, found.kind.name.lower())

    def _take_content(self, found: Found, before: Mark | None) -> None:
        assert found.status is not None
        now = mark_of(found.status, None, archived=False)
        folder = None if found.path in self._tracked else left_out_folder(found.path)
        if folder is not None:
            self.result.marks[found.path] = now
            self.result.left_out[folder[0]] = folder[1]
            return
        try:
            content = self._content(found, now, before)
        except OSError as error:
            self.result.marks[found.path] = now
            self._leave_out(found, f"unreadable: {blame(error)}", "unreadable")
            return
        if content is None:
            self.result.marks[found.path] = now
            self._leave_out(found, f"{now.size} bytes, more than {self._file_cap}", "over_cap")
            return
        self._store(found, now, content)

    def _store(self, found: Found, now: Mark, content: str) -> None:
        unsafe = is_unsafe(found.path, is_link=found.kind is Kind.LINK)
        self.result.marks[found.path] = now._replace(id=content, archived=not unsafe)
        if unsafe:
            self.result.aside[found.path] = content
            self._leave_out(found, f"a name that git refuses; its content is blob {content}", "unsafe_name")

    def _content(self, found: Found, now: Mark, before: Mark | None) -> str | None:
        """The id of what a file or link holds, stored if it is new; None when it is over the cap."""
        if found.kind is Kind.LINK:
            return self._put_blob(os.readlink(found.name, dir_fd=found.folder))
        with readable(found.name, found.folder) as file:
            if now.size > self._file_cap:
                same = before is not None and before.id == _streamed_id(file, before)
                return before.id if same and before is not None else None
            data = _read(file, self._file_cap)
        if data is None:
            return None
        if before is not None and before.id == object_id(b"blob", data):
            return before.id
        return self._put_blob(data)

    def _leave_out(self, found: Found, reason: str, finding: str) -> None:
        self.result.left_out[found.path] = reason
        self.result.findings.append((finding, found.path))
        if finding not in _WITHOUT_CONTENT:
            self.result.unread.add(found.path)


def _is_untouched(before: Mark, status: os.stat_result | None) -> bool:
    """Whether nothing was written or changed here; a change of mode shows in `st_ctime` too."""
    return (
        status is not None
        and before.changed_ns == status.st_ctime_ns
        and before.modified_ns == status.st_mtime_ns
        and before.size == status.st_size
        and before.inode == status.st_ino
    )


def _read(file: int, cap: int) -> bytes | None:
    """All of an open file; None when there is more than `cap`."""
    pieces = []
    left = cap + 1
    while left and (piece := os.read(file, min(left, PIECE))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces) if left else None


def _streamed_id(file: int, before: Mark) -> str | None:
    """The id of a large file that has the size it had before; None when it has another."""
    if before.id is None or os.fstat(file).st_size != before.size:
        return None
    state = new_hash(b"blob", before.size)
    while piece := os.read(file, PIECE):
        state.update(piece)
    return state.hexdigest()


def differences(before: Manifest, after: Manifest) -> list[tuple[bytes, ChangeKind]]:
    """Every path that differs, sorted; where content is not known, any fact that differs counts."""
    found = [(path, ChangeKind.DELETED) for path in before.keys() - after.keys()]
    for path, new in after.items():
        old = before.get(path)
        if old is new:  # as it is for nearly all of them
            continue
        kind = _difference(old, new)
        if kind is not None:
            found.append((path, kind))
    return sorted(found)


def _difference(old: Mark | None, new: Mark) -> ChangeKind | None:
    if old is None:
        return ChangeKind.ADDED
    if stat.S_IFMT(old.mode) != stat.S_IFMT(new.mode):
        return ChangeKind.TYPE
    if old.id is not None and new.id is not None:
        if old.id != new.id:
            return ChangeKind.MODIFIED
        return ChangeKind.MODE if old.mode != new.mode else None
    if old[:5] == new[:5]:
        return None
    written = (old.size, old.modified_ns, old.inode) != (new.size, new.modified_ns, new.inode)
    return ChangeKind.MODIFIED if written or old.mode == new.mode else ChangeKind.MODE
