"""Cutting a growing stream into lines for a parser, with bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from bakeoff.harness.protocol import StreamParser
from bakeoff.process.supervise import Watch

LONGEST_LINE = 64 * 1024 * 1024
"""A longer line is given to the parser cut at this length."""


@dataclass(slots=True)
class LineFeed:
    """Feeds a parser line by line from pieces of any size; a `process.supervise.Watcher`."""

    parser: StreamParser
    _parts: list[bytes] = field(default_factory=list)
    _length: int = 0

    def __call__(self, piece: bytes) -> Watch:
        """Take the next piece; tells whether the program is still needed."""
        *complete, rest = piece.split(b"\n")
        for line in complete:
            self._keep(line)
            self._flush()
        self._keep(rest)
        if self.parser.stop_now:
            return Watch.STOP
        return Watch.FINISHED if self.parser.finished else Watch.GO_ON

    def close(self) -> None:
        """Feed a last line that has no newline."""
        if self._length:
            self._flush()

    def _keep(self, part: bytes) -> None:
        room = LONGEST_LINE - self._length
        if part and room > 0:
            self._parts.append(part[:room])
            self._length += min(len(part), room)

    def _flush(self) -> None:
        line = b"".join(self._parts)
        self._parts.clear()
        self._length = 0
        self.parser.feed(line)
