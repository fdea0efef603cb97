"""Builds the nodes of one YAML document from the parser's events, within bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from bakeoff.dialects.nodes import Entry, Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems, quoted
from bakeoff.errors import BakeoffError, Where

DEEPEST = 64
"""How many lists and mappings may stand inside each other."""

MOST_VALUES = 200_000
"""How many values a file may hold when its aliases are written out."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_TAG = "tag:yaml.org,2002:"
_TEXT_TAGS = frozenset({"!", _TAG + "str"})
_PLAIN_TAGS = frozenset({_TAG + name for name in ("int", "float", "bool", "null")})
_COLLECTION_TAGS = frozenset({"!", _TAG + "map", _TAG + "seq"})


class Misplaced(BakeoffError):
    """Valid YAML that no task or suite may hold, with its place."""

    def __init__(self, where: Where, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.where, self.message, self.hint = where, message, hint


@dataclass(slots=True, kw_only=True)
class _Open:
    """A list or mapping whose end has not come yet."""

    line: int
    column: int
    anchor: str | None
    is_mapping: bool
    items: list[Node] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    merges: list[Node] = field(default_factory=list)
    key: Scalar | None = None
    size: int = 1


@dataclass(slots=True, kw_only=True)
class Document:
    """Takes events in order; `root` is the finished tree.

    A key that stands twice is recorded as a problem; Misplaced is raised at what makes the
    rest of the file meaningless.
    """

    file: Path
    problems: Problems
    root: Node | None = None
    _open: list[_Open] = field(default_factory=list)
    _anchors: dict[str, Node] = field(default_factory=dict)
    _documents: int = 0
    _literal_size: int = 0

    def take(self, event: Any) -> None:
        """The next event of the parser."""
        if isinstance(event, yaml.ScalarEvent):
            self._add(self._scalar(event), event.anchor)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._begin(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            done = self._open.pop()
            self._add(self._closed(done), done.anchor)
        elif isinstance(event, yaml.AliasEvent):
            self._add(self._aliased(event), None)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise Misplaced(
                    self._where(event),
                    "a second document begins here",
                    "a file holds one task or suite: remove the `---`, or use two files",
                )

    def _where(self, event: Any) -> Where:
        return Where(self.file, event.start_mark.line + 1, event.start_mark.column + 1)

    def _scalar(self, event: Any) -> Scalar:
        plain = event.style in {None, ""}
        if event.tag is not None and not event.implicit[0]:
            if event.tag not in _TEXT_TAGS | _PLAIN_TAGS:
                raise self._unknown_tag(event)
            plain = plain and event.tag in _PLAIN_TAGS
        if event.style == '"' and _SURROGATE.search(event.value):
            # Written as an escape, which only double quotes know; only the slower parser lets it pass.
            raise Misplaced(self._where(event), "holds half of a character", "write the character itself")
        mark = event.start_mark
        return Scalar(
            file=self.file, line=mark.line + 1, column=mark.column + 1, text=event.value, plain=plain
        )

    def _unknown_tag(self, event: Any) -> Misplaced:
        shown = event.tag.replace(_TAG, "!!")
        return Misplaced(
            self._where(event), f"the tag {quoted(shown)} is not used in this format", "remove it"
        )

    def _begin(self, event: Any) -> None:
        if event.tag is not None and event.tag not in _COLLECTION_TAGS:
            raise self._unknown_tag(event)
        if len(self._open) >= DEEPEST:
            raise Misplaced(self._where(event), f"is nested more than {DEEPEST} deep")
        mark = event.start_mark
        self._open.append(
            _Open(
                line=mark.line + 1,
                column=mark.column + 1,
                anchor=event.anchor,
                is_mapping=isinstance(event, yaml.MappingStartEvent),
            )
        )

    def _aliased(self, event: Any) -> Node:
        name = event.anchor
        if name in self._anchors:
            return self._anchors[name]
        if any(name == each.anchor for each in self._open):
            raise Misplaced(self._where(event), f"the alias `*{name}` stands inside of what it names")
        raise Misplaced(self._where(event), f"the alias `*{name}` names nothing before it")

    def _add(self, node: Node, anchor: str | None) -> None:
        """Put a finished value where it belongs."""
        if anchor is not None:
            self._anchors[anchor] = node
        self._literal_size += 1
        if node.size > MOST_VALUES or self._literal_size > MOST_VALUES:
            raise Misplaced(
                node.where, f"the file holds more than {MOST_VALUES:,} values, aliases written out"
            )
        if not self._open:
            self.root = node
            return
        owner = self._open[-1]
        owner.size += node.size
        if not owner.is_mapping:
            owner.items.append(node)
        elif owner.key is None:
            owner.key = _as_key(node)
        else:
            self._add_entry(owner, owner.key, node)
            owner.key = None

    def _add_entry(self, owner: _Open, key: Scalar, value: Node) -> None:
        if key.plain and key.text == "<<":
            owner.merges.extend(_mappings(value))
            return
        if key.text in owner.entries:
            first = owner.entries[key.text].key
            self.problems.error(
                key.where,
                f"the key {quoted(key.text)} stands twice; the first is in line {first.line}",
                "keep one of the two",
            )
            return
        owner.entries[key.text] = Entry(key=key, value=value)

    def _closed(self, done: _Open) -> Node:
        if not done.is_mapping:
            return Sequence(
                file=self.file, line=done.line, column=done.column, size=done.size, items=tuple(done.items)
            )
        # What is written in the mapping itself wins over what is merged into it; of several
        # merged ones the first wins.
        for merged in done.merges:
            assert isinstance(merged, Mapping)
            for name, entry in merged.entries.items():
                done.entries.setdefault(name, entry)
        return Mapping(
            file=self.file, line=done.line, column=done.column, size=done.size, entries=done.entries
        )


def _as_key(node: Node) -> Scalar:
    if isinstance(node, Scalar):
        return node
    raise Misplaced(node.where, f"a key must be text, not {node.kind}", "quote it")


def _mappings(value: Node) -> Iterable[Node]:
    found = value.items if isinstance(value, Sequence) else (value,)
    for each in found:
        if not isinstance(each, Mapping):
            raise Misplaced(each.where, f"`<<` needs a mapping, not {each.kind}")
    return found
