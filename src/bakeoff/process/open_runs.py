"""The runs of one supervisor that are going on, counted, so that closing can end them and wait."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from bakeoff.errors import HostFailed

_CLOSE_PATIENCE_S = 20.0


class OpenRuns:
    """Counts runs; safe to use from several threads."""

    def __init__(self) -> None:
        self._count = 0
        self._is_closing = False
        self._changed = threading.Condition()

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """Count a run while it goes on; HostFailed when no more are let in."""
        with self._changed:
            if self._is_closing:
                raise HostFailed("the supervisor is closed")
            self._count += 1
        try:
            yield
        finally:
            with self._changed:
                self._count -= 1
                self._changed.notify_all()

    def must_end(self) -> bool:
        """Whether all of them have to end."""
        return self._is_closing

    def close(self) -> None:
        """Let no more in, tell the others to end, and wait until they have."""
        with self._changed:
            self._is_closing = True
            self._changed.wait_for(lambda: self._count == 0, _CLOSE_PATIENCE_S)
