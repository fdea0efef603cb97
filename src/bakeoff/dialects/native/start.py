"""Where a native task starts: a commit of a repository, a copy of a directory, or nothing."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from bakeoff.dialects.named_paths import existing_directory
from bakeoff.dialects.native.blocks import FolderBlock, GitBlock
from bakeoff.dialects.nodes import Mapping, Node, Scalar
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.shapes import read_shape
from bakeoff.dialects.sources import Sources, enclosing_top
from bakeoff.git.call import Repository
from bakeoff.model.suite import FolderStart, GitStart

_EMPTY = "empty"
_WAYS = "write `start: {git: DIR}`, `start: {folder: DIR}` or `start: empty`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a task starts, before git was asked about its commit."""

    start: GitStart | FolderStart
    repository: Repository | None = None


def find_origin(node: Node | None, task: Mapping, sources: Sources, problems: Problems) -> Origin | None:
    """What `start` names; its revision is noted, to be resolved together with all others."""
    if node is None:
        problems.error(task.where, "`start` is missing", _WAYS)
        return None
    if isinstance(node, Scalar):
        if node.text == _EMPTY:
            return Origin(start=FolderStart(folder=None))
        problems.error(node.where, f"`start` must be a mapping or `empty`, not {quoted(node.text)}", _WAYS)
        return None
    kinds = [key for key in ("git", "folder") if isinstance(node, Mapping) and key in node]
    if isinstance(node, Mapping) and len(kinds) == 1:
        return _git(node, sources, problems) if kinds == ["git"] else _folder(node, problems)
    if len(kinds) > 1:
        problems.error(node.where, "`start` names a git repository and a folder", "keep one of the two")
    elif isinstance(node, Mapping) and node.entries:
        key = next(iter(node)).key
        near = suggestion(key.text, ["git", "folder"])
        hint = near if near.startswith("did you mean") else _WAYS
        problems.error(node.where, "`start` names neither a git repository nor a folder", hint)
    else:
        problems.error(node.where, f"`start` must be a mapping or `empty`, not {node.kind}", _WAYS)
    return None


def _git(node: Mapping, sources: Sources, problems: Problems) -> Origin | None:
    said = read_shape(node, GitBlock, problems, "start")
    if said is None:
        return None
    place = node.at("git")
    folder = existing_directory(said.git, place, "start.git", problems)
    if folder is None:
        return None
    before = problems.error_count
    repository = sources.repository(folder, place.where)
    if repository is None:
        if problems.error_count == before:
            problems.error(
                place.where, f"`start.git`: {folder} is not the top of a git repository", _hint(folder, place)
            )
        return None
    sources.want(repository, said.at, node.at("at").where, "start.at")
    return Origin(start=GitStart(repository=folder, revision=said.at, hide=said.hide), repository=repository)


def _hint(folder: Path, place: Node) -> str:
    top = enclosing_top(folder)
    if top is None:
        return "write `folder:` to start from a copy of a plain directory"
    shown = os.path.relpath(top, os.path.realpath(place.file.parent))
    return f"write `git: {shown}` for the whole repository, or `folder:` for a copy of this directory"


def _folder(node: Mapping, problems: Problems) -> Origin | None:
    said = read_shape(node, FolderBlock, problems, "start")
    if said is None:
        return None
    folder = existing_directory(said.folder, node.at("folder"), "start.folder", problems)
    if folder is None:
        return None
    return Origin(start=FolderStart(folder=folder, leave_out=said.leave_out, hide=said.hide))
