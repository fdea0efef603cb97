"""Nested trees that are made from paths and rewritten only where paths changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from bakeoff.git.objects import FOLDER, Leaf

PutTree = Callable[[Mapping[bytes, Leaf]], str]
"""Stores the entries of one tree and returns its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A tree with everything below it.

    Attributes:
        id: of the root.
        folders: path of each folder (the root is empty) to its entries, folders included.
    """

    id: str
    folders: Mapping[bytes, Mapping[bytes, Leaf]]


def make_tree(files: Mapping[bytes, Leaf], put_tree: PutTree) -> Tree:
    """The tree that holds exactly these files."""
    return change_tree(Tree(id="", folders={b"": {}}), files, (), put_tree)


def change_tree(
    tree: Tree, changed: Mapping[bytes, Leaf], removed: Iterable[bytes], put_tree: PutTree
) -> Tree:
    """`tree` without the removed paths and with the changed ones; only touched folders are stored."""
    rewriting = _Rewriting(tree)
    for path in removed:
        folder, _, name = path.rpartition(b"/")
        rewriting.entries(folder).pop(name, None)
    for path, leaf in changed.items():
        folder, _, name = path.rpartition(b"/")
        rewriting.entries(folder)[name] = leaf
    return rewriting.finish(put_tree)


class _Rewriting:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._touched: dict[bytes, dict[bytes, Leaf]] = {}

    def entries(self, folder: bytes) -> dict[bytes, Leaf]:
        """The entries of a folder, to be changed; everything above it counts as touched too."""
        found = self._touched.get(folder)
        if found is not None:
            return found
        found = self._touched[folder] = dict(self._tree.folders.get(folder, {}))
        above = folder
        while above:
            above = above.rpartition(b"/")[0]
            if above in self._touched:
                break
            self._touched[above] = dict(self._tree.folders.get(above, {}))
        return found

    def finish(self, put_tree: PutTree) -> Tree:
        folders = dict(self._tree.folders)
        # The deepest first, so that a folder's id is known when the folder above is stored.
        for folder in sorted(self._touched, key=lambda path: path.count(b"/") + bool(path), reverse=True):
            entries = self._touched[folder]
            if folder and not entries:
                folders.pop(folder, None)
                self._forget(folder)
                continue
            folders[folder] = entries
            name = put_tree(entries)
            if not folder:
                return Tree(id=name, folders=folders)
            above, _, last = folder.rpartition(b"/")
            self._touched[above][last] = (FOLDER, name)
        return self._tree if self._tree.id else Tree(id=put_tree({}), folders=folders)

    def _forget(self, folder: bytes) -> None:
        above, _, last = folder.rpartition(b"/")
        entry = self._touched[above].get(last)
        # A file may have taken the place of the folder.
        if entry is not None and entry[0] == FOLDER:
            del self._touched[above][last]
