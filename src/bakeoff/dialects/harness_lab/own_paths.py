"""Which files and directories belong to a Harness Lab suite, and which of those named are missing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from bakeoff.dialects.named_paths import existing_directory, existing_path
from bakeoff.dialects.nodes import Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems

_INJECTED = (("verification", "inject"), ("improve", "objective", "inject"))
_OVERLAYS = ("overlay", "partial_overlay")


def own_paths(files: Iterable[Path], tasks: Iterable[Mapping]) -> tuple[Path, ...]:
    """The suite's files, the tasks' files, and what the tasks name: absolute, each once."""
    found = dict.fromkeys(files)
    for node in tasks:
        found[node.file] = None
        for place, _, _ in _named(node):
            found[Path(os.path.abspath(node.file.parent / place.text))] = None
    return tuple(found)


def check_named(node: Mapping, problems: Problems) -> None:
    """Record every file and directory that a task names and that is missing.

    Meant for a task that cannot be read as a whole: what was recorded before is not said twice.
    """
    for place, name, must_be_directory in _named(node):
        exists = existing_directory if must_be_directory else existing_path
        exists(place.text, place, name, problems)


def _named(node: Mapping) -> Iterator[tuple[Scalar, str, bool]]:
    """Each written path, what messages call it, and whether it must be a directory."""
    for path in _INJECTED:
        for entry in _items(node, *path):
            yield from _scalar(_get(entry, "source"), f"{'.'.join(path)}.source", is_directory=False)
    key = _get(node, "verification", "answer_key", "key")
    yield from _scalar(key, "verification.answer_key.key", is_directory=False)
    for name in _OVERLAYS:
        found = _get(node, "reference_solution", name)
        yield from _scalar(found, f"reference_solution.{name}", is_directory=True)
    for each in _items(node, "reference_solution", "improve_overlays"):
        yield from _scalar(each, "reference_solution.improve_overlays", is_directory=True)


def _scalar(node: Node | None, name: str, *, is_directory: bool) -> Iterator[tuple[Scalar, str, bool]]:
    if isinstance(node, Scalar) and node.text.strip() and node.text.isprintable():
        yield node, name, is_directory


def _items(node: Node, *path: str) -> tuple[Node, ...]:
    found = _get(node, *path)
    return found.items if isinstance(found, Sequence) else ()


def _get(node: Node | None, *path: str) -> Node | None:
    """The value below a node; None when it is not written."""
    for key in path:
        node = node.get(key) if isinstance(node, Mapping) else None
    return node
