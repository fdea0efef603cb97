"""Gathers the tasks of a suite: those written in it and those of other files, each with the defaults."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from wcmatch import glob

from bakeoff.dialects.nodes import Entry, Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.scalars import read_text
from bakeoff.dialects.starting_files import is_literal
from bakeoff.dialects.yaml import read_yaml
from bakeoff.patterns import compile_glob

_FLAGS = glob.GLOBSTAR | glob.BRACE | glob.CASE | glob.FORCEUNIX | glob.NODIR
_JOINED = ("start", "setup", "env", "limits", "options")
"""Keys whose mappings are joined with those of the defaults, key by key."""
_ADDED = ("checks", "tags")
"""Keys whose lists are added to those of the defaults."""
_ONLY_IN_SUITES = ("bakeoff", "arms", "tasks", "defaults")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskNodes:
    """The tasks of a suite in order, and the files other than the suite that they stand in."""

    tasks: tuple[Mapping, ...]
    files: tuple[Path, ...]


def task_nodes(suite: Mapping, problems: Problems) -> TaskNodes:
    """Every task of a suite joined with its defaults; files that cannot be read are recorded."""
    written = suite.get("tasks")
    defaults = suite.get("defaults")
    files: dict[Path, None] = {}
    tasks = []
    for entry in written.items if isinstance(written, Sequence) else ():
        for node in _of_entry(entry, files, problems):
            if isinstance(node, Mapping):
                tasks.append(_joined(node, defaults) if isinstance(defaults, Mapping) else node)
            else:
                problems.error(node.where, f"a task must be a mapping, not {node.kind}")
    return TaskNodes(tasks=tuple(tasks), files=tuple(files))


def _of_entry(entry: Node, files: dict[Path, None], problems: Problems) -> Iterator[Node]:
    """The tasks that an entry is or names; a file that two entries name counts once."""
    if not isinstance(entry, Scalar):
        yield entry
        return
    text = read_text(entry, "tasks", problems)
    if not isinstance(text, str) or not text:
        if text == "":
            problems.error(entry.where, "`tasks`: the name of the file is empty")
        return
    for path in _paths(text, entry, problems):
        if path in files or path == entry.file:
            continue
        files[path] = None
        node = read_yaml(path, problems)
        if node is not None:
            _refuse_suite(node, problems)
            yield node


def _paths(text: str, entry: Scalar, problems: Problems) -> list[Path]:
    """The files that a path or glob names, in the order of their names."""
    folder = entry.file.parent
    if is_literal(text):
        path = Path(os.path.abspath(folder / text))
        if os.path.isfile(path):
            return [path]
        what = "is a directory" if os.path.isdir(path) else "does not exist"
        problems.error(entry.where, f"`tasks`: {path} {what}", _hint(path, text))
        return []
    base, pattern = _split(folder, text)
    try:
        compile_glob(pattern)
    except ValueError as error:
        problems.error(entry.where, f"`tasks`: {error}")
        return []
    names = glob.glob(pattern, flags=_FLAGS, root_dir=str(base), limit=0)
    if not names:
        problems.error(
            entry.where,
            f"`tasks`: {quoted(text)} matches no file",
            f"globs begin in the directory of this file, {problems.shown(entry.where).file.parent}",
        )
    return [Path(os.path.abspath(base / name)) for name in sorted(names)]


def _split(folder: Path, text: str) -> tuple[Path, str]:
    """The directory in which a glob begins, and the glob without it."""
    names = text.split("/")
    literal = list(itertools.takewhile(is_literal, names[:-1]))
    return Path(os.path.abspath(folder / ("/".join(literal) or "/" if literal else "."))), "/".join(
        names[len(literal) :]
    )


def _hint(path: Path, text: str) -> str:
    if path.is_dir():
        return f"write `{text.rstrip('/')}/*.yaml` for the files in it"
    try:
        beside = sorted(each.name for each in path.parent.iterdir())
    except OSError:
        return "the path is relative to this file"
    near = suggestion(path.name, beside)
    return near if near.startswith("did you mean") else "the path is relative to this file"


def _refuse_suite(node: Node, problems: Problems) -> None:
    for key in _ONLY_IN_SUITES:
        if isinstance(node, Mapping) and key in node:
            problems.error(
                node.key_where(key),
                f"`{key}` belongs into a suite, and this file is named as a task",
                "a task file holds the keys of one task",
            )
            return


def _joined(task: Mapping, defaults: Mapping) -> Mapping:
    """A task with what it leaves out."""
    entries = dict(task.entries)
    for name, default in defaults.entries.items():
        own = entries.get(name)
        if own is None or _is_null(own.value):
            entries[name] = default
        elif name in _JOINED:
            entries[name] = replace(own, value=_joined_mapping(own.value, default.value))
        elif name in _ADDED and isinstance(own.value, Sequence) and isinstance(default.value, Sequence):
            items = (*default.value.items, *own.value.items)
            entries[name] = replace(own, value=replace(own.value, items=items))
    return replace(task, entries=entries)


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.is_null


def _joined_mapping(own: Node, default: Node, *, deep: bool = True) -> Node:
    """One mapping with the keys of another that it leaves out; anything else is left as it is."""
    if not isinstance(own, Mapping) or not isinstance(default, Mapping):
        return own
    if {"git", "folder"} & set(own.entries):
        # Another place to start from: what was said of the first has nothing to do with it.
        return own
    entries: dict[str, Entry] = dict(own.entries)
    for name, entry in default.entries.items():
        mine = entries.get(name)
        if mine is None:
            entries[name] = entry
        elif deep:
            entries[name] = replace(mine, value=_joined_mapping(mine.value, entry.value, deep=False))
    return replace(own, entries=entries)
