"""What a YAML file holds, before anybody says what it means: every key and value with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bakeoff.errors import Where

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Node:
    """A value of a YAML file.

    Attributes:
        file: the file it stands in.
        line: from 1.
        column: from 1, in characters.
        size: how many values it holds, itself included and aliases written out.
    """

    file: Path
    line: int
    column: int
    size: int = 1

    @property
    def where(self) -> Where:
        """Its place."""
        return Where(self.file, self.line, self.column)

    @property
    def kind(self) -> str:
        """What it is, in words for a message."""
        return "a value"

    def at(self, *path: str | int) -> Node:
        """The value below it that `path` leads to; the deepest one that exists, else itself."""
        return self


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scalar(Node):
    """A single value: its source text, and whether it stands there without quotes."""

    text: str
    plain: bool

    @property
    def is_null(self) -> bool:
        """Nothing is written there, or `null`, or `~`."""
        return self.plain and self.text in _NULLS

    @property
    def kind(self) -> str:
        """What it is, in words for a message."""
        if self.is_null:
            return "empty"
        return "plain text" if self.plain else "text in quotes"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sequence(Node):
    """A list of values."""

    items: tuple[Node, ...]

    @property
    def kind(self) -> str:
        """What it is, in words for a message."""
        return "a list"

    def at(self, *path: str | int) -> Node:
        """The value below it that `path` leads to; the deepest one that exists, else itself."""
        if path and isinstance(path[0], int) and 0 <= path[0] < len(self.items):
            return self.items[path[0]].at(*path[1:])
        return self


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entry:
    """A key of a mapping with its value."""

    key: Scalar
    value: Node


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mapping(Node):
    """Keys and values in the order of the file; no key stands twice."""

    entries: dict[str, Entry]

    @property
    def kind(self) -> str:
        """What it is, in words for a message."""
        return "a mapping"

    def __contains__(self, key: str) -> bool:
        """Whether the key is written, even if nothing stands behind it."""
        return key in self.entries

    def __iter__(self) -> Iterator[Entry]:
        """The entries in the order of the file."""
        return iter(self.entries.values())

    def get(self, key: str) -> Node | None:
        """The value of a key; None when it is not written or empty."""
        entry = self.entries.get(key)
        if entry is None or (isinstance(entry.value, Scalar) and entry.value.is_null):
            return None
        return entry.value

    def at(self, *path: str | int) -> Node:
        """The value below it that `path` leads to; the deepest one that exists, else itself."""
        if path and isinstance(path[0], str) and path[0] in self.entries:
            return self.entries[path[0]].value.at(*path[1:])
        return self

    def without(self, key: str) -> Mapping:
        """The same mapping with one key less."""
        rest = {name: entry for name, entry in self.entries.items() if name != key}
        return replace(self, entries=rest)

    def key_where(self, *path: str | int) -> Where:
        """The place of the key at the end of `path`; of the deepest value that exists, else."""
        owner = self.at(*path[:-1])
        if isinstance(owner, Mapping) and path and path[-1] in owner.entries:
            return owner.entries[str(path[-1])].key.where
        return owner.where
