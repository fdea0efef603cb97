"""The evidence of one trial, read from the archive: nothing of the agent's can change it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bakeoff.errors import CheckBroken
from bakeoff.identity import display_path
from bakeoff.model.check import Change, Place
from bakeoff.model.trajectory import Trajectory
from bakeoff.patterns import Glob, compile_glob, matches_any
from bakeoff.run.final_tree import FinalTree
from bakeoff.store.archive import Archive
from bakeoff.workspace.manifest import Manifest

_REGULAR_MODES = frozenset({0o100644, 0o100755})
_SNIFFED_BYTES = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedEvidence:
    """What a check may know of a trial; satisfies `model.check.Evidence`.

    Attributes:
        changes: every changed path that counts.
        trajectory: what the agent did.
        harness: the harness that ran.
        archive: where both trees are.
        baseline_tree: the tree that the agent started from.
        final_tree: the tree that it left.
        diff_paths: changed paths that are in both trees as they were on disk.
        left_out: paths whose content is not archived, and why.
        unread: those of them at which there is content.
        marks: the manifest of the final tree.
        workspace: the path of the workspace as the agent saw it.
        losses: what of the harness's output is not in the trajectory, as sentences.
    """

    changes: tuple[Change, ...]
    trajectory: Trajectory
    harness: str
    archive: Archive
    baseline_tree: str
    final_tree: str
    diff_paths: tuple[bytes, ...] = ()
    left_out: Mapping[bytes, str] = field(default_factory=dict)
    unread: frozenset[bytes] = frozenset()
    marks: Manifest = field(default_factory=dict)
    workspace: str = "/workspace"
    losses: tuple[str, ...] = ()

    def look_up(self, path: bytes) -> Place:
        """What lies at a path, links followed; CheckBroken when that cannot be known."""
        return self._final().look_up(path)

    def read(self, path: bytes) -> bytes:
        """The content of the file at a path that `look_up` gave; CheckBroken when it is not archived."""
        return self._final().read(path)

    def _final(self) -> FinalTree:
        return FinalTree(
            marks=self.marks,
            left_out=self.left_out,
            unread=self.unread,
            root=self.workspace.encode("utf-8", "surrogateescape"),
            read_blob=self.archive.read_blob,
        )

    def diff(self, paths: tuple[str, ...] = ()) -> str:
        """The unified diff from baseline to final tree, limited to paths that match.

        Raises CheckBroken when a file that belongs into it could not be archived: a search
        of what is missing would find nothing, and nothing is not an answer.
        """
        globs = _globs(paths)
        for change in self.changes:
            reason = self.left_out.get(change.path)
            if reason and not change.ignored and (not globs or matches_any(globs, change.path)):
                raise CheckBroken(f"the diff is not complete: {display_path(change.path)}: {reason}")
        return self._diff([path for path in self.diff_paths if not globs or matches_any(globs, path)])

    def known_diff(self) -> str:
        """The diff as far as it is known, for scripts that look for themselves."""
        return self._diff(list(self.diff_paths))

    def _diff(self, paths: list[bytes]) -> str:
        if not paths:
            return ""
        return self.archive.diff(self.baseline_tree, self.final_tree, paths).decode("utf-8", "replace")

    def texts(self, paths: tuple[str, ...] = ()) -> Iterator[tuple[bytes, str]]:
        """Each regular text file of the final tree that matches, sorted by path.

        A file that the agent changed is text whatever it holds: a single NUL would otherwise
        hide it. Raises CheckBroken as `diff` does, for files, and for folders that could not be entered.
        """
        globs = _globs(paths)
        for change in self.changes:
            path = change.path
            if path in self.unread and not change.ignored and (not globs or matches_any(globs, path)):
                reason = self.left_out[path]
                raise CheckBroken(f"the files cannot all be searched: {display_path(path)}: {reason}")
        changed = frozenset(change.path for change in self.changes)
        wanted = [
            (path, blob)
            for path, mode, blob in self.archive.walk_tree(self.final_tree)
            if mode in _REGULAR_MODES and (not globs or matches_any(globs, path))
        ]
        contents = self.archive.read_blobs(blob for _, blob in wanted)
        for (path, _), content in zip(wanted, contents, strict=True):
            if path in changed or b"\0" not in content[:_SNIFFED_BYTES]:
                yield path, content.decode("utf-8", "replace")


def _globs(paths: tuple[str, ...]) -> tuple[Glob, ...]:
    return tuple(compile_glob(path) for path in paths)
