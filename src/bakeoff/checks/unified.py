"""Reading a unified diff line by line: what each line is and where it stands in the new file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class LineKind(StrEnum):
    """What a line of a unified diff is."""

    HEADER = "header"
    CONTEXT = "context"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One line of a unified diff.

    Attributes:
        text: the line with its first character and its newline, if it has one.
        kind: what it is; anything outside a hunk is a header.
        file: the path it belongs to, as the diff shows it.
        number: its line in the new file; for a removed line, of the line now at its
            place; 0 for headers and in a file that is gone.
        jumps: it is the first line of a hunk.
    """

    text: str
    kind: LineKind
    file: str
    number: int
    jumps: bool


def read_diff(diff: str) -> Iterator[DiffLine]:
    """The lines of a unified diff, in order.

    Lines of a hunk are told apart by the counts in its head, so a removed line `-- x`,
    which looks like the head of a file, is a removed line.
    """
    file, number, old_left, new_left, jumps = "", 0, 0, 0, False
    for line in _lines(diff):
        text = line.removesuffix("\n")
        sign = text[:1]
        if not (old_left or new_left) or sign == "\\":
            file = _file(text, file)
            if found := _HUNK.match(text):
                old_left, new_left = int(found[1] or 1), int(found[3] or 1)
                number, jumps = int(found[2]), True
            yield DiffLine(text=line, kind=LineKind.HEADER, file=file, number=0, jumps=False)
            continue
        kind = {"+": LineKind.ADDED, "-": LineKind.REMOVED}.get(sign, LineKind.CONTEXT)
        yield DiffLine(text=line, kind=kind, file=file, number=number, jumps=jumps)
        jumps = False
        old_left -= kind is not LineKind.ADDED
        new_left -= kind is not LineKind.REMOVED
        number += kind is not LineKind.REMOVED


def _lines(text: str) -> Iterator[str]:
    """Each line with its newline; other characters that may separate lines do not."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _file(header: str, current: str) -> str:
    """The file that a header line names, else the one that it follows."""
    if header.startswith("diff --git "):
        both = header.removeprefix("diff --git ")
        return _without_side(both[: len(both) // 2])
    if header.startswith(("--- ", "+++ ")):
        name = header[4:].rstrip("\t\r")
        return current if name == "/dev/null" else _without_side(name)
    return current


def _without_side(name: str) -> str:
    quote = '"' if name.startswith('"') else ""
    bare = name.strip('"')
    return f"{quote}{bare[2:] if bare.startswith(('a/', 'b/')) else bare}{quote}"
