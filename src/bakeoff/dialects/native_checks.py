"""Reads a check of any type from its native keys: a check's class is its schema."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from bakeoff.dialects.nodes import Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems
from bakeoff.dialects.shapes import read_shape
from bakeoff.model.check import Check


def read_check(node: Mapping, kind: type[Check], problems: Problems, name: str) -> Check | None:
    """The check that `node` describes; None when there is a problem, which is then recorded."""
    check = read_shape(node, kind, problems, name)
    # Where something else of the check is wrong, what it injects is looked at all the same.
    sources = dict.fromkeys([*(check.sources() if check else ()), *_written_sources(node)])
    missing = [source for source in sources if not os.path.exists(source)]
    for source in missing:
        place = next((each for each in _scalars(node) if _path(each) == source), node)
        problems.error(place.where, f"`{name}`: {source} does not exist", "the path is relative to this file")
    return None if missing else check


def _written_sources(node: Mapping) -> Iterator[Path]:
    inject = node.get("inject")
    for entry in inject.items if isinstance(inject, Sequence) else ():
        source = entry.get("source") if isinstance(entry, Mapping) else None
        if isinstance(source, Scalar) and source.text.strip() and source.text.isprintable():
            yield _path(source)


def _scalars(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _scalars(item)
    elif isinstance(node, Mapping):
        for entry in node:
            yield from _scalars(entry.value)


def _path(node: Scalar) -> Path:
    return Path(os.path.realpath(node.file.parent / node.text))
