"""Showing a program's output to whoever watches it, piece by piece, while the file grows."""

from __future__ import annotations

import os
from collections.abc import Callable

from bakeoff.process.supervise import Watch, Watcher

_PIECE = 256 * 1024

EndWithin = Callable[[float, str], None]
"""Asks for the end of a run: seconds of grace, and the reason as a word of EndReason."""


class Audience:
    """Reads the output file from its beginning and passes on what the watcher answers."""

    def __init__(self, output: int, watcher: Watcher | None, grace_s: float, end_within: EndWithin) -> None:
        """Take the descriptor of the file, which stays the caller's; its position is not used.

        `end_within` is called at most once for each kind of answer.
        """
        self._output = output
        self._shown = 0
        self._watcher = watcher
        self._grace_s = grace_s
        self._end_within = end_within
        self._last_answer = Watch.GO_ON

    def show_piece(self) -> bool:
        """Show the next piece, if it has come; whether there may be more."""
        if self._watcher is None or not (piece := os.pread(self._output, _PIECE, self._shown)):
            return False
        self._shown += len(piece)
        answer = self._watcher(piece)
        if self._last_answer is not Watch.STOP and answer not in (Watch.GO_ON, self._last_answer):
            self._last_answer = answer
            self._end_within(self._grace_s if answer is Watch.FINISHED else 0.0, "stopped")
        return True

    def show_rest(self) -> None:
        """Show all that there is, once the file grows no more."""
        while self.show_piece():
            pass
