"""The files and directories that a Harness Lab task names: they must exist when it is loaded."""

from __future__ import annotations

from pathlib import Path

from bakeoff.checks.command import InjectItem
from bakeoff.dialects.harness_lab.schema import HarnessLabTask, Inject
from bakeoff.dialects.named_paths import existing_directory, existing_path
from bakeoff.dialects.nodes import Mapping, Node
from bakeoff.dialects.problems import Problems
from bakeoff.model.suite import Reference


def read_reference(node: Mapping, task: HarnessLabTask, problems: Problems) -> Reference:
    """The reference solution with its directories; those that do not exist are recorded."""
    said, place = task.reference_solution, node.at("reference_solution")
    found: dict[str, Path | None] = {}
    for key in ("overlay", "partial_overlay"):
        text: str | None = getattr(said, key)
        if text is not None:
            found[key] = existing_directory(text, place.at(key), f"reference_solution.{key}", problems)
    rounds = [
        existing_directory(
            text, place.at("improve_overlays", index), "reference_solution.improve_overlays", problems
        )
        for index, text in enumerate(said.improve_overlays)
    ]
    return Reference(
        overlay=found.get("overlay"),
        partial_overlay=found.get("partial_overlay"),
        improve_overlays=tuple(path for path in rounds if path is not None),
        description=said.description,
    )


def read_inject(
    entries: tuple[Inject, ...], node: Node, name: str, problems: Problems
) -> tuple[InjectItem, ...]:
    """What is laid into the workspace, in order; entries that undo earlier ones are recorded."""
    items: list[InjectItem] = []
    for index, entry in enumerate(entries):
        place = node.at(index)
        source = existing_path(entry.source, place.at("source"), f"{name}.source", problems)
        undone = next((item.dest for item in items if _covers(entry.dest, item.dest)), None)
        if undone is not None:
            problems.error(
                place.at("dest").where,
                f"`{name}.dest`: `{entry.dest}` would remove what an earlier entry lays at `{undone}`",
                "put the entry of the outer directory first",
            )
        if source is not None:
            items.append(InjectItem(source=source, dest=entry.dest))
    return tuple(items)


def _covers(outer: str, inner: str) -> bool:
    return inner == outer or inner.startswith(f"{outer}/")
