"""Reads what an arm lays into the workspace beside the starting files."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from bakeoff.dialects.named_paths import existing_directory, existing_path
from bakeoff.dialects.native.schema import PlacementEntry
from bakeoff.dialects.nodes import Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems
from bakeoff.dialects.shapes import read_shape
from bakeoff.harness import registry
from bakeoff.model.suite import Placement, PlacementKind

_KINDS = tuple(kind.value for kind in PlacementKind)


def joined_placements(own: Node, other: Node) -> Node:
    """Two lists as one: what has the same kind and target takes the place of the other one's."""
    if not isinstance(own, Sequence) or not isinstance(other, Sequence):
        return own
    found = {_place_of(node): node for node in other.items}
    found.update({_place_of(node): node for node in own.items})
    return replace(own, items=tuple(found.values()))


def _place_of(node: Node) -> object:
    """Kind and target as they are written."""
    if not isinstance(node, Mapping):
        return node
    target = node.get("to")
    kind = next((key for key in _KINDS if key in node), "")
    return kind, target.text if isinstance(target, Scalar) else None


def read_placements(harness: str, node: Node, problems: Problems) -> tuple[Placement, ...]:
    """The placements of an arm in order; what is wrong with one is recorded."""
    found: dict[str, Placement] = {}
    for each in node.items if isinstance(node, Sequence) else ():
        placement = _read(harness, each, problems)
        if placement is None:
            continue
        if placement.target in found:
            problems.error(
                each.where,
                f"`place`: a second thing goes to {placement.target}",
                "give one of the two another target with `to:`",
            )
        found.setdefault(placement.target, placement)
    return tuple(found.values())


def _read(harness: str, node: Node, problems: Problems) -> Placement | None:
    said = read_shape(node, PlacementEntry, problems, "place")
    if said is None or not isinstance(node, Mapping):
        return None
    kinds = [key for key in _KINDS if key in node]
    if len(kinds) != 1:
        problems.error(
            node.where,
            f"`place`: an entry has one of {', '.join(_KINDS)}, and this one has {len(kinds) or 'none'}",
            "begin another entry with `- `" if kinds else "write `- instructions: CLAUDE.md`",
        )
        return None
    kind = PlacementKind(kinds[0])
    target = said.to or _usual_target(harness, kind)
    if target is None:
        problems.error(
            node.key_where(kind.value),
            f"`place`: {harness} has no usual place for `{kind.value}`",
            "say where it goes: `to: PATH`",
        )
        return None
    text: str | None = getattr(said, kind.value)
    source = _source(kind, text, node.at(kind.value), problems) if text is not None else None
    if text is not None and source is None:
        return None
    name = said.name or (os.path.basename(os.path.normpath(text)) if text else f"no {kind.value}")
    return Placement(kind=kind, name=name, target=target, source=source)


def _source(kind: PlacementKind, text: str, node: Node, problems: Problems) -> Path | None:
    name = f"place.{kind.value}"
    if kind is PlacementKind.SKILLS:
        return existing_directory(text, node, name, problems)
    return existing_path(text, node, name, problems)


def _usual_target(harness: str, kind: PlacementKind) -> str | None:
    adapter = registry.HARNESSES.get(harness)
    return adapter.placements.get(kind) if adapter is not None else None
