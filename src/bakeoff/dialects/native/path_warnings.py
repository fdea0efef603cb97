"""Warns about globs of a native task that match nothing of what it starts from."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.checks.diff import FilesTouched, Unchanged
from bakeoff.dialects.native.checks import main_key
from bakeoff.dialects.native.task import ReadTask
from bakeoff.dialects.nodes import Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems, quoted
from bakeoff.dialects.protection import NamedPath, warn_protecting_nothing, warn_touched
from bakeoff.dialects.starting_files import StartingFiles


def warn_of_paths(read: ReadTask, hide: tuple[str, ...], files: StartingFiles, problems: Problems) -> None:
    """Warn about what `hide` and the checks name although nothing of that name is there."""
    written = read.node.at("start", "hide")
    for index, pattern in enumerate(hide):
        if not files.holds(pattern):
            near = files.nearest(pattern)
            problems.warning(
                written.at(index).where,
                f"`start.hide`: {quoted(pattern)} matches no file of {files.place}",
                f"did you mean `{near}`?" if near else "nothing is hidden by it",
            )
    checks = read.node.get("checks")
    nodes = checks.items if isinstance(checks, Sequence) else ()
    if len(nodes) != len(read.checks):
        return
    for node, check in zip(nodes, read.checks, strict=True):
        if isinstance(check, Unchanged):
            for named in _named(node, check.type_name, "paths"):
                warn_protecting_nothing(named, named.text, files, problems)
        elif isinstance(check, FilesTouched):
            for key, must_exist in (("must_include", False), ("must_not_include", True)):
                for named in _named(node, check.type_name, key):
                    warn_touched(named, files, problems, must_exist=must_exist)


def _named(node: Node, kind: str, key: str) -> Iterator[NamedPath]:
    """The entries of a check's list, wherever they stand."""
    value = node.at(kind)
    if isinstance(value, Mapping):
        value = value.at(key)
    elif main_key(kind) != key:
        value = node.at(key)
    for item in value.items if isinstance(value, Sequence) else (value,):
        if isinstance(item, Scalar):
            yield NamedPath(text=item.text, name=f"{kind}.{key}", where=item.where)
