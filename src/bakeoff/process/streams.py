"""Moving bytes between a program's pipes and files, without ever waiting for either end.

Programs get pipes rather than the files themselves: through /proc/self/fd a program could open
a file again and rewrite what was recorded of it, or the prompt it was given.
"""

from __future__ import annotations

import fcntl
import os
import sys

_PIECE = 64 * 1024
_HEAD = 4096
_LARGEST_ELSEWHERE = 1024 * 1024
"""More than a pipe holds on systems that do not tell."""


class CappedCopy:
    """Copies what a program writes into a file, up to a number of bytes; the rest is counted.

    Attributes:
        dropped: bytes read and thrown away.
        head: the first bytes that came.
        failure: why the file could not be written, else None.
    """

    def __init__(self, source: int, target: int, cap: int) -> None:
        """Read from `source`, which is made non-blocking; both descriptors stay the caller's."""
        os.set_blocking(source, False)
        self.source = source
        self.dropped = 0
        self.head = b""
        self.failure: str | None = None
        self._target = target
        self._room = cap

    def step(self) -> bool:
        """Copy one piece if there is one; False when the program will write no more."""
        try:
            piece = os.read(self.source, _PIECE)
        except BlockingIOError:
            return True
        if not piece:
            return False
        self._keep(piece)
        return True

    def drain(self) -> None:
        """Copy what is in the pipe now; do not wait for whoever else may hold it and write on."""
        left = _capacity(self.source)
        while left > 0:
            try:
                piece = os.read(self.source, _PIECE)
            except BlockingIOError:
                return
            if not piece:
                return
            self._keep(piece)
            left -= len(piece)

    def _keep(self, piece: bytes) -> None:
        if len(self.head) < _HEAD:
            self.head += piece[: _HEAD - len(self.head)]
        kept = piece[: self._room]
        if self.failure is None and kept:
            try:
                _write_all(self._target, kept)
            except OSError as error:
                self.failure = error.strerror or str(error)
                kept = b""
        self._room -= len(kept)
        self.dropped += len(piece) - len(kept)


def _capacity(pipe_end: int) -> int:
    """Bytes that a pipe can hold."""
    if sys.platform == "linux":
        return fcntl.fcntl(pipe_end, fcntl.F_GETPIPE_SZ)
    return _LARGEST_ELSEWHERE


def _write_all(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


class Feed:
    """Hands a file to a program's standard input, as fast as the program reads it."""

    def __init__(self, source: int, sink: int) -> None:
        """Write to `sink`, which is made non-blocking; both descriptors stay the caller's."""
        os.set_blocking(sink, False)
        self.sink = sink
        self._source = source
        self._waiting = memoryview(b"")

    def step(self) -> bool:
        """Write what the pipe can take now; False when there is nothing more to give, or nobody to take it."""
        if not self._waiting:
            self._waiting = memoryview(os.read(self._source, _PIECE))
        if not self._waiting:
            return False
        try:
            self._waiting = self._waiting[os.write(self.sink, self._waiting) :]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            return False
        return True
