"""Ctrl-C and its relatives: one event that every running trial watches."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption(threading.Event):
    """Set when the user or the system asks for the end of an experiment that has begun.

    Attributes:
        has_begun: there is something to bring to an orderly end.
    """

    def __init__(self) -> None:
        super().__init__()
        self.has_begun = False


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """What SIGINT, SIGTERM and SIGHUP set while the block runs.

    Before `has_begun`, and for a user who will not wait and sends a second SIGINT, they raise
    KeyboardInterrupt instead. Outside the main thread no handler can be set; the event is then
    never set by a signal.
    """
    asked = Interruption()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def handle(number: int, _frame: FrameType | None) -> None:
        if not asked.has_begun or (asked.is_set() and number == signal.SIGINT):
            raise KeyboardInterrupt
        asked.set()

    before = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
