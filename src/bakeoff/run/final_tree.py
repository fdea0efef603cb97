"""Looking up paths in the tree that an agent left, by its manifest and the archive alone."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Values
from dataclasses import dataclass

from bakeoff.errors import CheckBroken
from bakeoff.git.objects import LINK
from bakeoff.identity import display_path
from bakeoff.model.check import Place, PlaceKind
from bakeoff.workspace.manifest import Manifest, Mark

MOST_LINKS = 40
"""Links that are followed on one way, as many as Linux follows; more lead nowhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalTree:
    """The final tree of a trial; nothing of it needs to be on disk any more.

    Attributes:
        marks: the manifest of all paths.
        left_out: path to the reason why it, or what is below it, is not archived.
        unread: paths of `left_out` at which there is content, or folders that were not entered.
        root: absolute path of the workspace as the agent saw it, where its absolute links lead.
        read_blob: gives the content of an archived blob.
    """

    marks: Manifest
    left_out: Values[bytes, str]
    unread: frozenset[bytes]
    root: bytes
    read_blob: Callable[[str], bytes]

    def look_up(self, path: bytes) -> Place:
        """What lies at a path relative to the workspace, links followed inside it.

        Raises CheckBroken when that cannot be known.
        """
        return _Way(self, path).walk()

    def read(self, path: bytes) -> bytes:
        """The content of a file or link; CheckBroken when it is not archived."""
        mark = self.marks.get(path)
        if mark is None or mark.id is None:
            raise CheckBroken(f"the content of {display_path(path)} is not archived: {self.reason(path)}")
        return self.read_blob(mark.id)

    def is_folder(self, path: bytes) -> bool:
        """Whether something lies below a path, or an empty folder lies there."""
        below = path + b"/"
        return any(other.startswith(below) for others in (self.marks, self.left_out) for other in others)

    def reason(self, path: bytes) -> str:
        """Why a path is not archived."""
        parts = path.split(b"/")
        folders = [b"/".join(parts[: number + 1]) + b"/" for number in range(len(parts) - 1)]
        return next((self.left_out[key] for key in (path, *folders) if key in self.left_out), "unknown")


class _Way:
    """One walk from the root of the workspace to where a path leads."""

    def __init__(self, tree: FinalTree, path: bytes) -> None:
        self._tree = tree
        self._root = _names(tree.root)
        # Absolute, so that a link may leave the workspace and come back.
        self._at = list(self._root)
        self._to_do = list(reversed(_names(path)))
        self._links = 0

    def walk(self) -> Place:
        while self._to_do:
            name = self._to_do.pop()
            if name == b".":
                continue
            if name == b"..":
                del self._at[-1:]
                continue
            self._at.append(name)
            if len(self._at) <= len(self._root):
                if self._at != self._root[: len(self._at)]:
                    return self._place(PlaceKind.OUTSIDE)
                continue
            found = self._step(name)
            if found is not None:
                return found
        return self._place(PlaceKind.FOLDER if len(self._at) >= len(self._root) else PlaceKind.OUTSIDE)

    def _step(self, name: bytes) -> Place | None:
        """Look at what lies here; the end of the way, if it ends here."""
        here = self._here
        if name == b".git":
            raise CheckBroken(f"{display_path(here)} is no part of the evidence: ask git with a command")
        mark = self._tree.marks.get(here)
        if mark is None:
            return None if self._tree.is_folder(here) else self._place(PlaceKind.NOTHING)
        if mark.mode == LINK:
            return self._follow(here)
        if not mark.is_content and here in self._tree.unread:
            raise CheckBroken(f"what is at {display_path(here)} is not known: {self._tree.reason(here)}")
        if self._to_do:
            return self._place(PlaceKind.NOTHING)
        return self._place(_kind(mark))

    def _follow(self, here: bytes) -> Place | None:
        self._links += 1
        if self._links > MOST_LINKS:
            return self._place(PlaceKind.NOTHING)
        target = self._tree.read(here)
        if target.startswith(b"/"):
            self._at.clear()
        else:
            self._at.pop()
        self._to_do += reversed(_names(target))
        return None

    def _place(self, kind: PlaceKind) -> Place:
        return Place(kind=kind, path=self._here, links=self._links)

    @property
    def _here(self) -> bytes:
        """The path relative to the workspace; absolute outside of it."""
        inside = self._at[: len(self._root)] == self._root
        return b"/".join(self._at[len(self._root) :]) if inside else b"/" + b"/".join(self._at)


def _names(path: bytes) -> list[bytes]:
    """The steps of a way; a `/` at its end is one more, since a file before it is no folder."""
    return [name for name in path.split(b"/") if name] + ([b"."] if path.endswith(b"/") else [])


def _kind(mark: Mark) -> PlaceKind:
    return PlaceKind.FILE if mark.is_content else PlaceKind.SPECIAL
