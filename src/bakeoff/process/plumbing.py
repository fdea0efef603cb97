"""The pipes between one program and the files of its streams."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from bakeoff.process.attention import Attention
from bakeoff.process.streams import CappedCopy, Feed


class Plumbing:
    """Makes the pipes and has them attended to."""

    def __init__(self, attention: Attention, on_failure: Callable[[], None]) -> None:
        """`on_failure` is called when output cannot be written, such as on a full disk."""
        self._attention = attention
        self._on_failure = on_failure
        self._copies: list[CappedCopy] = []
        self._feed: Feed | None = None

    def open(self, files: Mapping[str, int], output_cap: int) -> tuple[int, int, int]:
        """Standard input, output and error for the program; the caller closes its own copies of them.

        `files` holds stdout, and stderr and stdin if they have files of their own: else errors
        go where output goes, in the order written, and input is empty. The files stay the caller's.
        """
        stdin_end = self._feed_from(files.get("stdin"))
        stdout_end = self._copy_to(files["stdout"], output_cap)
        stderr_end = self._copy_to(files["stderr"], output_cap) if "stderr" in files else stdout_end
        return stdin_end, stdout_end, stderr_end

    def _copy_to(self, target: int, output_cap: int) -> int:
        reading, writing = os.pipe()
        copy = CappedCopy(reading, target, output_cap)
        self._copies.append(copy)

        def step() -> None:
            if not copy.step():
                self._attention.forget(reading)
            if copy.failure:
                self._on_failure()

        self._attention.to_reading(reading, step)
        return writing

    def _feed_from(self, source: int | None) -> int:
        if source is None:
            return os.open(os.devnull, os.O_RDONLY)
        reading, writing = os.pipe()
        self._feed = Feed(source, writing)
        self._attention.to_writing(writing, self._step_feed)
        return reading

    def _step_feed(self) -> None:
        if self._feed is not None and not self._feed.step():
            self._close_feed()

    def _close_feed(self) -> None:
        """Let the program read the end of its input."""
        if self._feed is not None:
            self._attention.forget(self._feed.sink)
            os.close(self._feed.sink)
            self._feed = None

    def drain(self) -> None:
        """Copy what is still in the pipes; do not wait for whoever else may hold them."""
        for copy in self._copies:
            copy.drain()

    def close(self) -> None:
        """Release the pipes."""
        self._close_feed()
        for copy in self._copies:
            self._attention.forget(copy.source)
            os.close(copy.source)

    @property
    def failure(self) -> str | None:
        """Why output could not be written, if it could not."""
        return next((copy.failure for copy in self._copies if copy.failure), None)

    @property
    def dropped(self) -> int:
        """Bytes of output beyond the cap."""
        return sum(copy.dropped for copy in self._copies)

    @property
    def first_words(self) -> bytes:
        """The beginning of what was written to standard error, or of all output if that is the same."""
        return self._copies[-1].head
