"""Collects everything that is wrong with a set of files, so that it is told at once and in order."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from bakeoff.errors import Problem, ProblemsFound, Where

_LONGEST_QUOTE = 60


@dataclass(slots=True)
class Problems:
    """Errors and warnings of one load.

    They come out sorted by file, in the order in which files were opened, then by line
    and column; problems of the same place keep the order in which they were found.

    Attributes:
        cwd: files below it are shown relative to it, as the user would type them.
    """

    cwd: Path
    _found: dict[Problem, None] = field(default_factory=dict)
    _files: dict[Path, int] = field(default_factory=dict)
    _shown: dict[Path, Path] = field(default_factory=dict)
    _errors: int = 0

    def shown(self, where: Where) -> Where:
        """A place with its file as the user would type it."""
        return replace(where, file=self._shown_file(where.file))

    def _shown_file(self, file: Path) -> Path:
        shown = self._shown.get(file)
        if shown is None:
            shown = file.relative_to(self.cwd) if file.is_relative_to(self.cwd) else file
            self._shown[file] = shown
        return shown

    def open(self, file: Path) -> None:
        """Give a file its place in the order."""
        self._files.setdefault(self._shown_file(file), len(self._files))

    def error(self, where: Where | None, message: str, hint: str = "") -> None:
        """Something that must be mended before anything can run."""
        self._add(where, message, hint, "error")

    def warning(self, where: Where | None, message: str, hint: str = "") -> None:
        """Something that does not stop anything but that a careful user wants to know."""
        self._add(where, message, hint, "warning")

    def _add(self, where: Where | None, message: str, hint: str, severity: str) -> None:
        if where is not None:
            self.open(where.file)
            where = self.shown(where)
        problem = Problem(where=where, message=message, hint=hint, severity=severity)
        # An aliased value is read at each place that uses it, but it is wrong only once.
        if problem not in self._found:
            self._found[problem] = None
            self._errors += severity == "error"

    @property
    def error_count(self) -> int:
        """How many things must be mended."""
        return self._errors

    @property
    def has_errors(self) -> bool:
        """Whether anything must be mended."""
        return self.error_count > 0

    def in_order(self) -> tuple[Problem, ...]:
        """Everything that was found."""
        return tuple(sorted(self._found, key=self._place))

    def warnings(self) -> tuple[Problem, ...]:
        """What does not stop anything."""
        return tuple(problem for problem in self.in_order() if problem.severity == "warning")

    def raise_errors(self) -> None:
        """Raise ProblemsFound with everything, warnings too, when there is at least one error."""
        if self.has_errors:
            raise ProblemsFound(self.in_order())

    def _place(self, problem: Problem) -> tuple[int, int, int]:
        if problem.where is None:
            return (-1, 0, 0)
        return (self._files[problem.where.file], problem.where.line, problem.where.column)


def suggestion(word: str, known: Iterable[str]) -> str:
    """A hint for a word that is not one of `known`: the nearest one, else all when they are few."""
    words = list(dict.fromkeys(known))
    near = difflib.get_close_matches(word, words, n=1)
    if not near:
        near = [each for each in words if each.casefold() == word.casefold()]
    if near:
        return f"did you mean `{near[0]}`?"
    return f"known here: {', '.join(words)}" if words else ""


def quoted(text: str) -> str:
    """A text as it appears in a message: on one line, with escapes, and not too long."""
    shown = text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"
    return repr(shown)
