"""Warns about paths that a check protects or forbids although nothing of that name is there."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from bakeoff.dialects.problems import Problems, quoted
from bakeoff.dialects.starting_files import StartingFiles, is_literal
from bakeoff.errors import Where


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPath:
    """A glob as a file writes it, the name of its field, and its place."""

    text: str
    name: str
    where: Where


def warn_protecting_nothing(named: NamedPath, glob: str, files: StartingFiles, problems: Problems) -> None:
    """Warn when a protected path, which means `glob`, protects no file that exists.

    A pattern like `*.lock` in a directory that exists may be meant for files to come.
    """
    if not files.holds(glob, as_tree=True) and not _may_come(named.text, files):
        _warn_nothing(named, files, problems, "nothing that exists is protected by it")


def warn_touched(named: NamedPath, files: StartingFiles, problems: Problems, *, must_exist: bool) -> None:
    """Warn when a glob on changed paths names a directory, or, if it must exist, no file.

    A glob with glob characters may be meant for files that do not exist yet.
    """
    if not is_literal(named.text) or named.text.endswith("/"):
        return
    if files.is_folder(named.text.encode("utf-8", "surrogateescape")):
        problems.warning(
            named.where,
            f"`{named.name}`: {quoted(named.text)} is a directory",
            f"write `{named.text}/**` to cover what is in it",
        )
    elif must_exist and not files.holds(named.text):
        _warn_nothing(named, files, problems, "only a new file of this name is forbidden")


def _may_come(pattern: str, files: StartingFiles) -> bool:
    """Whether the names before the first glob character are those of a directory that exists."""
    names = list(itertools.takewhile(is_literal, pattern.removeprefix("./").split("/")))
    folder = "/".join(names).encode("utf-8", "surrogateescape")
    return not is_literal(pattern) and (not names or files.is_folder(folder))


def _warn_nothing(named: NamedPath, files: StartingFiles, problems: Problems, otherwise: str) -> None:
    near = files.nearest(named.text)
    problems.warning(
        named.where,
        f"`{named.name}`: {quoted(named.text)} matches no file of the starting files ({files.place})",
        f"did you mean `{near}`?" if near else otherwise,
    )
