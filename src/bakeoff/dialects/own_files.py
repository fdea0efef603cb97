"""Hides a suite's own files from the agent where they are part of the starting files."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from bakeoff.dialects.problems import Problems
from bakeoff.dialects.sources import Sources
from bakeoff.dialects.starting_files import literal_glob
from bakeoff.errors import Where
from bakeoff.identity import display_path
from bakeoff.model.suite import FolderStart, GitStart

_MOST_SHOWN = 4


@dataclass(slots=True, kw_only=True)
class OwnFiles:
    """The files and directories that make a suite: tasks, hidden tests, solutions.

    Attributes:
        paths: absolute; of a directory, everything below is meant.
    """

    paths: tuple[Path, ...]
    _globs: dict[GitStart | FolderStart, tuple[str, ...]] = field(default_factory=dict)
    _hidden: dict[bytes, None] = field(default_factory=dict)

    def hidden_in(self, start: GitStart | FolderStart, sources: Sources) -> GitStart | FolderStart:
        """The start, with those of the suite's files hidden that really are part of it."""
        key: GitStart | FolderStart = replace(start, hide=())
        if key not in self._globs:
            self._globs[key] = tuple(self._find(key, sources))
        return replace(start, hide=tuple(dict.fromkeys([*start.hide, *self._globs[key]])))

    def _find(self, start: GitStart | FolderStart, sources: Sources) -> Iterable[str]:
        top = start.folder if isinstance(start, FolderStart) else start.repository
        assert top is not None, "a start that a file names is somewhere"
        files = sources.files(start)
        for path in _below(Path(os.path.realpath(top)), self.paths):
            if files.is_file(path):
                self._hidden[path] = None
                yield literal_glob(path)
            elif files.is_folder(path):
                self._hidden[path + b"/"] = None
                yield f"{literal_glob(path)}/**"

    def tell(self, path: Path, problems: Problems) -> None:
        """Say once, at the suite `path`, what was hidden."""
        if not self._hidden:
            return
        names = [display_path(name) for name in self._hidden]
        more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
        problems.warning(
            Where(path),
            f"the suite's own files are hidden from the agent: {', '.join(names[:_MOST_SHOWN])}{more}",
            "they are part of the starting files; setup and checks do not find them in the workspace either",
        )


def _below(top: Path, paths: Iterable[Path]) -> Iterable[bytes]:
    """The paths below a directory, relative to it; of a link both where it lies and where it leads."""
    found: dict[bytes, None] = {}
    above = os.path.join(os.fsencode(top), b"")
    real = functools.cache(os.path.realpath)  # of the few directories that hold the many files
    for path in map(os.fsencode, paths):
        folder, name = os.path.split(path)
        lies = os.path.join(real(folder), name)
        for each in (lies, os.path.realpath(lies)) if os.path.islink(lies) else (lies,):
            if each.startswith(above):
                found[each.removeprefix(above)] = None
    return found
