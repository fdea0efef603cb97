"""Content digests of everything that goes into a trial, so that results are told apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path

from bakeoff.identity import digest, digest_text, digest_tree, plain
from bakeoff.model.suite import Arm, FolderStart, Placement, Task


def contents_of(task: Task) -> dict[Path, str]:
    """Every file and directory outside the starting files that a task refers to, digested."""
    paths = [path for check in task.checks for path in check.sources()]
    reference = task.reference
    paths += [path for path in (reference.overlay, reference.partial_overlay) if path]
    paths += reference.improve_overlays
    if task.improvement:
        paths += [source for source, _ in task.improvement.objective.inject]
    return {path: digest_tree(path) for path in dict.fromkeys(paths)}


def digest_checks(task: Task, contents: dict[Path, str]) -> str:
    """The digest of a task's checks; a file they refer to counts by content, not by path."""
    return digest([[type(check).__name__, _by_content(plain(check), contents)] for check in task.checks])


def digest_task(task: Task, base_tree: str, contents: dict[Path, str]) -> str:
    """The digest of what a task means: fields, version, starting tree and contents.

    Where the task's file lies, and words that no agent and no check ever sees, do not count.
    """
    left_out = {"where", "title", "description", "tags", "weight", "start", "checks", "unsupported"}
    # In which suite it stands, and when it is run, is not what it means either.
    left_out |= {"suite", "held_back_by", "concurrency_group"}
    # Nor in which format it is written: where formats differ, a field says so.
    left_out |= {"dialect"}
    fields = {
        item.name: getattr(task, item.name) for item in dataclasses.fields(task) if item.name not in left_out
    }
    kind = "folder" if isinstance(task.start, FolderStart) else "git"
    return digest(
        [
            _by_content(plain(fields), contents),
            digest_checks(task, contents),
            [kind, base_tree, list(task.start.hide)],
        ]
    )


def contents_of_placements(arms: Iterable[Arm]) -> dict[Path, str]:
    """Every file and directory that is laid before an agent, digested."""
    paths = [item.source for arm in arms for item in arm.placements if item.source]
    return {path: digest_tree(path) for path in dict.fromkeys(paths)}


def digest_placements(placements: Sequence[Placement]) -> str:
    """The digest of what is laid before the agent: where, and the content of it."""
    return digest(
        [
            [item.kind, item.name, item.target, digest_tree(item.source) if item.source else None]
            for item in placements
        ]
    )


def digest_prompt(task: Task) -> str:
    """The digest of the prompt alone."""
    return digest_text(task.prompt)


def _by_content(value: object, contents: dict[Path, str]) -> object:
    """A plain value with every path of `contents` replaced by its digest."""
    if isinstance(value, dict):
        return {key: _by_content(item, contents) for key, item in value.items()}
    if isinstance(value, list):
        return [_by_content(item, contents) for item in value]
    if isinstance(value, str) and value.startswith("/"):
        return contents.get(Path(value), value)
    return value
