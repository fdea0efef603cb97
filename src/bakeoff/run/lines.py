"""Cutting a growing stream into lines for a parser, with bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from bakeoff.harness.protocol import StreamParser
from bakeoff.process.supervise import Watch

LONGEST_LINE = 64 * 1024 * 1024
"""A longer line is given to the parser cut at this length."""

MOST_LINES = 1_000_000
"""Lines after these are counted and not read: a flood must not keep a trial busy for hours."""


@dataclass(slots=True)
class LineFeed:
    """Feeds a parser line by line from pieces of any size; a `process.supervise.Watcher`.

    Attributes:
        unread: lines that came after the limit.
    """

    parser: StreamParser
    unread: int = 0
    _lines: int = 0
    _parts: list[bytes] = field(default_factory=list)
    _length: int = 0

    def __call__(self, piece: bytes) -> Watch:
        """Take the next piece; tells whether the program is still needed."""
        if self._lines < MOST_LINES:
            self._read(piece)
        else:
            self.unread += piece.count(b"\n")
        if self.parser.stop_now:
            return Watch.STOP
        return Watch.FINISHED if self.parser.finished else Watch.GO_ON

    def close(self) -> None:
        """Feed a last line that has no newline."""
        if self._length:
            self._flush()

    def _read(self, piece: bytes) -> None:
        *complete, rest = piece.split(b"\n")
        room = MOST_LINES - self._lines
        for line in complete[:room]:
            self._keep(line)
            self._flush()
        if len(complete) > room:
            self.unread += len(complete) - room
        else:
            self._keep(rest)

    def _keep(self, part: bytes) -> None:
        room = LONGEST_LINE - self._length
        if part and room > 0:
            self._parts.append(part[:room])
            self._length += min(len(part), room)

    def _flush(self) -> None:
        line = b"".join(self._parts)
        self._parts.clear()
        self._length = 0
        self._lines += 1
        self.parser.feed(line)
