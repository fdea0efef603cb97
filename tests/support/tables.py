"""Reads the tables of Markdown pages: where they stand, their rows, and the code in their cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_CODE = re.compile(r"`([^`]+)`")
_CELLS = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a table; `line` counts from 1, `heading` is the nearest one above."""

    page: Path
    line: int
    heading: str
    cells: tuple[str, ...]

    def code(self, column: int) -> tuple[str, ...]:
        """What stands between backticks in a cell."""
        return tuple(_CODE.findall(self.cells[column]))

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}: {self.cells[0]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with its header."""

    heading: str
    header: tuple[str, ...]
    rows: tuple[Row, ...]


def tables_of(page: Path) -> Iterator[Table]:
    """The tables of a page in order; blocks of code are no tables."""
    heading, fenced = "", False
    found: list[tuple[int, str]] = []
    for number, line in enumerate([*page.read_text().splitlines(), ""], 1):
        if line.startswith("|") and not fenced:
            found.append((number, line))
            continue
        if found:
            yield _table(page, heading, found)
            found = []
        if line.startswith("```"):
            fenced = not fenced
        elif line.startswith("#") and not fenced:
            heading = line.lstrip("#").strip()


def _table(page: Path, heading: str, lines: list[tuple[int, str]]) -> Table:
    rows = [
        Row(page=page, line=number, heading=heading, cells=_cells(line))
        for number, line in (lines[0], *lines[2:])
    ]
    for row in rows:
        assert len(row.cells) == len(rows[0].cells), f"{row}: {len(row.cells)} cells"
    return Table(heading=heading, header=rows[0].cells, rows=tuple(rows[1:]))


def _cells(line: str) -> tuple[str, ...]:
    parts = _CELLS.split(line.strip())
    return tuple(part.replace("\\|", "|").strip() for part in parts[1:-1])
