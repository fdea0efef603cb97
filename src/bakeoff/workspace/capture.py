"""Taking the evidence: the baseline before the agent, and after it what became of every path.

All reading is done by our own walk over plain files: no git, no rule, filter, hook or
configuration of the agent's takes part. Content goes to the archive through an ObjectWriter.

Findings of a capture, as kind and detail:

    head_moved            the agent committed, or moved HEAD otherwise
    git_removed           `.git` is gone
    git_replaced          `.git` is now a file or link
    git_config_changed    settings of the workspace's repository differ
    git_hooks_changed     hooks were added or removed
    git_file_changed      ignore rules, attributes, grafts or alternates inside `.git` differ
    nested_repository     something else called `.git`; what lies in it is not looked at
    special_file          a pipe, socket or device
    unsafe_name           a name that git refuses; its content is kept aside
    unreadable            a file or folder that cannot be read
    over_cap              a file that is too large for the archive
    too_deep, elsewhere   folders that were not entered
    workspace_replaced    the workspace itself is no directory any more

Findings that held already for the baseline are not told again.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bakeoff.errors import HostFailed
from bakeoff.git.objects import SUBMODULE, Leaf, object_id
from bakeoff.git.tree import Tree, change_tree
from bakeoff.identity import display_path
from bakeoff.model.check import Change
from bakeoff.workspace.create import Workspace
from bakeoff.workspace.exclusions import is_loose_byte_code, is_uncounted
from bakeoff.workspace.git_facts import GitFacts, read_git_facts, tampering
from bakeoff.workspace.manifest import Manifest, Mark, PutBlob, Scan, differences, scan
from bakeoff.workspace.sealed import Sealed

DEFAULT_FILE_CAP = 10 * 1024 * 1024
"""Bytes of a single file beyond which its content is not archived."""

_MOST_FINDINGS = 20
_SETTLE_S = 0.05
_UNKNOWN = -1
_COARSE_CLOCK = 5  # CLOCK_REALTIME_COARSE, by which Linux stamps files; Python has no name for it


class ObjectWriter(Protocol):
    """Where content goes; the archive of final trees. Ids are sha1."""

    def put_blob(self, data: bytes) -> str:
        """Keep the content of a file or link; returns its id."""

    def put_tree(self, entries: Mapping[bytes, Leaf]) -> str:
        """Keep a folder whose entries are kept already; returns its id."""

    def adopt_pack(self, pack: Path) -> None:
        """Keep all objects of a pack that has its index beside it; more than once is no harm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The workspace as the agent finds it.

    Attributes:
        tree: the id of its tree in the archive.
    """

    tree: str
    nested: Tree
    marks: Manifest
    left_out: Mapping[bytes, str]
    findings: frozenset[tuple[str, bytes]]
    git: GitFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """The workspace as the agent left it.

    Attributes:
        tree: the id of its tree in the archive.
        marks: the manifest of all paths, also of those that are not in the tree.
        changes: every path that counts and differs from the baseline, sorted.
        left_out: paths whose content, or what is below them, is not in the tree, and why.
        findings: kind and detail; see the module.
        aside: paths that no tree may hold, with the ids of their blobs.
        diff_paths: the changed paths that belong into the diff: not ignored, content archived.
        unread: paths at which there is content that is not in the tree; dependency and cache
            folders are not among them.
        byte_code: new or changed modules of byte code outside `__pycache__`, which are nobody's
            change and which Python would import all the same.
    """

    tree: str
    marks: Manifest
    changes: tuple[Change, ...]
    left_out: tuple[tuple[bytes, str], ...]
    findings: tuple[tuple[str, str], ...]
    aside: tuple[tuple[bytes, str], ...] = ()
    diff_paths: tuple[bytes, ...] = ()
    unread: frozenset[bytes] = frozenset()
    byte_code: tuple[bytes, ...] = ()


def take_baseline(
    workspace: Workspace, sealed: Sealed, writer: ObjectWriter, *, file_cap: int = DEFAULT_FILE_CAP
) -> Baseline:
    """Read and archive the workspace after setup and placing, before the agent starts."""
    for pack in sealed.archive_packs:
        writer.adopt_pack(pack)
    known = workspace.laid or _sealed_marks(sealed)
    found = _scan(workspace, sealed, known=known, file_cap=file_cap, put_blob=writer.put_blob)
    tree = _next_tree(sealed.disk_tree, known, found.marks, writer)
    return Baseline(
        tree=tree.id,
        nested=tree,
        marks=_settled(found.marks),
        left_out=found.left_out,
        findings=frozenset(found.findings),
        git=read_git_facts(workspace.path),
    )


def capture(
    workspace: Workspace,
    baseline: Baseline,
    sealed: Sealed,
    writer: ObjectWriter,
    *,
    file_cap: int = DEFAULT_FILE_CAP,
) -> Capture:
    """Read and archive what the agent left; no process of the trial may be alive any more.

    May be called after each round, always against the same baseline.
    """
    there = _is_there(workspace)
    if there:
        found = _scan(workspace, sealed, known=baseline.marks, file_cap=file_cap, put_blob=writer.put_blob)
        problems = _new_findings(found, baseline) + tampering(baseline.git, read_git_facts(workspace.path))
    else:
        found = Scan()
        problems = [("workspace_replaced", "the workspace is no directory any more")]
    tree = _next_tree(baseline.nested, baseline.marks, found.marks, writer)
    changes = _changes(baseline.marks, found.marks, sealed)
    return Capture(
        tree=tree.id,
        marks=found.marks,
        changes=changes,
        left_out=tuple(sorted(found.left_out.items())),
        findings=tuple(problems),
        aside=tuple(sorted(found.aside.items())),
        unread=frozenset(found.unread),
        byte_code=tuple(
            path
            for path, _ in differences(baseline.marks, found.marks)
            if is_loose_byte_code(path) and path in found.marks and path not in sealed.files
        ),
        diff_paths=tuple(
            change.path
            for change in changes
            if not change.ignored
            and _is_comparable(baseline.marks.get(change.path))
            and _is_comparable(found.marks.get(change.path))
        ),
    )


def changes_since_start(workspace: Workspace, sealed: Sealed) -> tuple[Change, ...]:
    """What setup did to the starting files, without byte code and test caches.

    Paths that the ignore rules of the commit match are told with `ignored`.
    """
    known = workspace.laid or _sealed_marks(sealed)
    found = _scan(
        workspace,
        sealed,
        known=known,
        file_cap=DEFAULT_FILE_CAP,
        put_blob=lambda data: object_id(b"blob", data),
    )
    return _changes(known, found.marks, sealed)


def _scan(workspace: Workspace, sealed: Sealed, *, known: Manifest, file_cap: int, put_blob: PutBlob) -> Scan:
    try:
        return scan(workspace.path, known=known, tracked=sealed.files, file_cap=file_cap, put_blob=put_blob)
    except OSError as error:
        raise HostFailed(
            f"a workspace cannot be read: {error.strerror or error}", str(workspace.path)
        ) from error


def _is_there(workspace: Workspace) -> bool:
    """Whether the workspace is still a directory, and not reached through a link."""
    try:
        if not stat.S_ISDIR(os.lstat(workspace.root).st_mode):
            return False
        # Outside a sandbox the agent may have shut the door behind itself.
        os.chmod(workspace.root, stat.S_IRWXU)
        return stat.S_ISDIR(os.lstat(workspace.path).st_mode)
    except FileNotFoundError:
        return False


def _sealed_marks(sealed: Sealed) -> Manifest:
    return {
        path: Mark(file.mode, file.size, _UNKNOWN, _UNKNOWN, _UNKNOWN, file.disk_id, archived=True)
        for path, file in sealed.files.items()
        if file.mode != SUBMODULE
    }


def _next_tree(tree: Tree, before: Manifest, after: Manifest, writer: ObjectWriter) -> Tree:
    """The tree of the manifest `after`, where `tree` is that of `before`; only what differs is written."""
    changed: dict[bytes, Leaf] = {}
    removed = [path for path in before.keys() - after.keys() if before[path].leaf is not None]
    for path, mark in after.items():
        old = before.get(path)
        if old is mark:
            continue
        leaf = mark.leaf
        if leaf is not None:
            changed[path] = leaf
        elif old is not None and old.leaf is not None:
            removed.append(path)
    return change_tree(tree, changed, removed, writer.put_tree)


def _changes(before: Manifest, after: Manifest, sealed: Sealed) -> tuple[Change, ...]:
    counted = [
        (path, kind)
        for path, kind in differences(before, after)
        if path in sealed.files or not is_uncounted(path)
    ]
    ignored = sealed.ignored([path for path, _ in counted if path not in sealed.files])
    return tuple(
        Change(path=path, kind=kind, tracked=path in sealed.files, ignored=path in ignored)
        for path, kind in counted
    )


def _is_comparable(mark: Mark | None) -> bool:
    """Whether the tree tells the truth about a path: nothing is there, or its content is archived."""
    return mark is None or mark.leaf is not None or not mark.is_content


def _new_findings(found: Scan, baseline: Baseline) -> list[tuple[str, str]]:
    by_kind: dict[str, list[bytes]] = {}
    for kind, path in found.findings:
        if (kind, path) not in baseline.findings:
            by_kind.setdefault(kind, []).append(path)
    told = []
    for kind, paths in sorted(by_kind.items()):
        told += [(kind, display_path(path)) for path in sorted(paths)[:_MOST_FINDINGS]]
        if len(paths) > _MOST_FINDINGS:
            told.append((kind, f"and {len(paths) - _MOST_FINDINGS} more"))
    return told


def _settled(marks: Manifest) -> Manifest:
    """`marks`, once the clock of the file system has moved on.

    A file that is written again within the same tick of that clock keeps its times; after
    this, every write shows. Where the clock does not move on, such files are read again.
    """
    latest = max((mark.changed_ns for mark in marks.values()), default=0)
    deadline = time.monotonic() + _SETTLE_S
    while _file_clock_ns() <= latest and time.monotonic() < deadline:
        time.sleep(0.001)
    now = _file_clock_ns()
    if now > latest:
        return marks
    return {
        path: mark._replace(changed_ns=_UNKNOWN) if mark.id is not None and mark.changed_ns >= now else mark
        for path, mark in marks.items()
    }


def _file_clock_ns() -> int:
    """The time that a file would get which is written now."""
    return time.clock_gettime_ns(_COARSE_CLOCK) if sys.platform == "linux" else time.time_ns()
