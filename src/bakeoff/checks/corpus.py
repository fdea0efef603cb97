"""Texts joined for one search, with the file and line that each part comes from."""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from dataclasses import dataclass

from bakeoff.checks.unified import LineKind, read_diff
from bakeoff.identity import display_path

_LINE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class _Run:
    """Lines of a corpus that follow each other in one file too.

    `line` is the number of the first one there, None where lines have no number; `step` is
    1, or 0 for removed lines, which all stand at the same place of the new file.
    """

    start: int
    file: str
    line: int | None
    step: int


class Corpus:
    """One text to search that knows where each of its parts comes from."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._runs: list[_Run] = []

    def add(self, text: str, file: str, line: int | None, step: int = 1, *, follows: bool = False) -> None:
        """Append whole lines; `follows` says that they continue the lines before."""
        if not follows:
            self._runs.append(_Run(self._length, file, line, step))
        self._pieces.append(text)
        self._length += len(text)

    @property
    def text(self) -> str:
        """The whole text."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    def place(self, offset: int) -> str:
        """`file:line` of the character at `offset`; the file alone where there is no line."""
        index = bisect.bisect_right(self._runs, offset, key=lambda run: run.start) - 1
        if index < 0:
            return "an empty text"
        run = self._runs[index]
        if run.line is None:
            return run.file
        return f"{run.file}:{run.line + run.step * self.text.count(chr(10), run.start, offset)}"

    def line(self, offset: int) -> str:
        """The line that holds the character at `offset`, cut when it is very long."""
        start = self.text.rfind("\n", 0, offset) + 1
        end = self.text.find("\n", offset)
        line = self.text[start : end if end >= 0 else len(self.text)]
        return line if len(line) <= _LINE_CHARACTERS else f"{line[:_LINE_CHARACTERS]}[...]"


def corpus_of_files(files: Iterable[tuple[bytes, str]]) -> Corpus:
    """The contents of files, one after the other, each ending with a newline."""
    corpus = Corpus()
    for path, text in files:
        if text:
            corpus.add(text if text.endswith("\n") else f"{text}\n", display_path(path), 1)
    return corpus


def corpus_of_diff(diff: str) -> Corpus:
    """A unified diff as it is: headers, context, added and removed lines."""
    corpus = Corpus()
    before: tuple[str, LineKind] | None = None
    for line in read_diff(diff):
        kind = LineKind.CONTEXT if line.kind is LineKind.ADDED else line.kind
        number = line.number or None
        step = 0 if kind is LineKind.REMOVED else 1
        corpus.add(line.text, line.file, number, step, follows=before == (line.file, kind) and not line.jumps)
        before = line.file, kind
    return corpus


def corpus_of_added_lines(diff: str) -> Corpus:
    """The text of the lines that a unified diff adds, without the `+` before each."""
    corpus = Corpus()
    expected: tuple[str, int] | None = None
    for line in read_diff(diff):
        if line.kind is LineKind.ADDED:
            follows = expected == (line.file, line.number)
            corpus.add(f"{line.text[1:].removesuffix(chr(10))}\n", line.file, line.number, follows=follows)
            expected = line.file, line.number + 1
    return corpus
