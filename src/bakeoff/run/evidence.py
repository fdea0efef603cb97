"""The evidence of one trial, read from the archive: nothing of the agent's can change it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bakeoff.model.check import Change
from bakeoff.model.trajectory import Trajectory
from bakeoff.patterns import Glob, compile_glob, matches_any
from bakeoff.store.archive import Archive

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
    """

    changes: tuple[Change, ...]
    trajectory: Trajectory
    harness: str
    archive: Archive
    baseline_tree: str
    final_tree: str

    def diff(self, paths: tuple[str, ...] = ()) -> str:
        """The unified diff from baseline to final tree, limited to paths that match."""
        globs = _globs(paths)
        chosen = [
            change.path
            for change in self.changes
            if not change.ignored and (not globs or matches_any(globs, change.path))
        ]
        if not chosen:
            return ""
        return self.archive.diff(self.baseline_tree, self.final_tree, chosen).decode("utf-8", "replace")

    def texts(self, paths: tuple[str, ...] = ()) -> Iterator[tuple[bytes, str]]:
        """Each regular text file of the final tree that matches, sorted by path."""
        globs = _globs(paths)
        for path, mode, blob in self.archive.walk_tree(self.final_tree):
            if mode not in _REGULAR_MODES or (globs and not matches_any(globs, path)):
                continue
            content = self.archive.read_blob(blob)
            if b"\0" not in content[:_SNIFFED_BYTES]:
                yield path, content.decode("utf-8", "replace")


def _globs(paths: tuple[str, ...]) -> tuple[Glob, ...]:
    return tuple(compile_glob(path) for path in paths)
