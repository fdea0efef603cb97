"""The paths that a trial starts from, asked about while the files that name them are loaded."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from bakeoff.identity import display_path
from bakeoff.patterns import compile_glob, compile_tree_glob

_MAGIC = frozenset("*?[]{}\\")


@dataclass(slots=True, kw_only=True)
class StartingFiles:
    """Every file of a commit or of a plain directory; each question about it is answered once.

    Attributes:
        paths: of files and links, relative to the top.
        place: what messages call the whole.
    """

    paths: tuple[bytes, ...]
    place: str
    _children: dict[bytes, dict[bytes, None]] | None = None
    _answers: dict[tuple[str, bool], bool] = field(default_factory=dict)

    def holds(self, pattern: str, *, as_tree: bool = False) -> bool:
        """Whether a glob matches a file; as a tree, `tests` means everything below it too."""
        key = (pattern, as_tree)
        if key not in self._answers:
            self._answers[key] = self._holds(pattern, as_tree)
        return self._answers[key]

    def _holds(self, pattern: str, as_tree: bool) -> bool:
        if is_literal(pattern) and (as_tree or not pattern.endswith("/")):
            path = pattern.removesuffix("/").removeprefix("./").encode("utf-8", "surrogateescape")
            return self.is_file(path) or (as_tree and self.is_folder(path))
        glob = compile_tree_glob(pattern) if as_tree else compile_glob(pattern)
        return any(glob.match(path) for path in self.paths)

    def is_file(self, path: bytes) -> bool:
        """Whether a file or link lies there."""
        folder, _, name = path.rpartition(b"/")
        return name in self._below().get(folder, ()) and path not in self._below()

    def is_folder(self, path: bytes) -> bool:
        """Whether something lies below it."""
        return path in self._below()

    def nearest(self, pattern: str) -> str:
        """The pattern with its first wrong name mended after what is really there; empty when nothing is near."""
        names = pattern.split("/")
        folder = b""
        for index, name in enumerate(names):
            if not name or not is_literal(name):
                return ""
            children = [display_path(child) for child in self._below().get(folder, ())]
            if name not in children:
                near = difflib.get_close_matches(name, children, n=1) or _same_but_for_case(name, children)
                if near:
                    return "/".join([*names[:index], near[0], *names[index + 1 :]])
                return self._elsewhere(pattern)
            encoded = name.encode("utf-8", "surrogateescape")
            folder = folder + b"/" + encoded if folder else encoded
        return ""

    def _elsewhere(self, pattern: str) -> str:
        """The one file of the same name in another folder."""
        if not is_literal(pattern):
            return ""
        name = pattern.rpartition("/")[2].encode("utf-8", "surrogateescape")
        same = [path for path in self.paths if path.rpartition(b"/")[2] == name]
        return display_path(same[0]) if len(same) == 1 else ""

    def _below(self) -> dict[bytes, dict[bytes, None]]:
        """Each folder, the top being empty, with the names directly in it."""
        if self._children is None:
            self._children = {b"": {}}
            for path in self.paths:
                self._enter(self._children, path)
        return self._children

    @staticmethod
    def _enter(children: dict[bytes, dict[bytes, None]], path: bytes) -> None:
        while path:
            folder, _, name = path.rpartition(b"/")
            is_new = folder not in children
            children.setdefault(folder, {})[name] = None
            if not is_new:
                return
            path = folder


def is_literal(pattern: str) -> bool:
    """Whether a glob is the name of one path."""
    return not _MAGIC & set(pattern)


def literal_glob(path: bytes) -> str:
    """The glob that matches exactly this path."""
    text = path.decode("utf-8", "surrogateescape")
    # What cannot be written as it is stands for one character, or one byte that is not UTF-8.
    return "".join(_escaped(character) for character in text)


def _escaped(character: str) -> str:
    if "\ud800" <= character <= "\udfff" or not character.isprintable():
        return "?"
    return f"\\{character}" if character in _MAGIC else character


def _same_but_for_case(name: str, names: Iterable[str]) -> list[str]:
    return [each for each in names if each.casefold() == name.casefold()]
