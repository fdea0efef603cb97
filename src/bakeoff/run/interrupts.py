"""Ctrl-C and its relatives: one event that every running trial watches."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption:
    """Set when the user or the system asks for the end of an experiment that has begun.

    Not an event of `threading`: that holds a lock while it is set, and the handler of a
    signal can itself be interrupted by a signal.

    Attributes:
        has_begun: there is something to bring to an orderly end.
        is_over: nothing is waited for any more; what is left is recorded without a break.
    """

    def __init__(self) -> None:
        self.has_begun = False
        self.is_over = False
        self._is_set = False

    def is_set(self) -> bool:
        """Whether the end was asked for."""
        return self._is_set

    def set(self) -> None:
        """Ask for the end."""
        self._is_set = True


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """What SIGINT, SIGTERM and SIGHUP set while the block runs.

    Before `has_begun`, and once for a user who will not wait and sends a second SIGINT before
    it `is_over`, they raise KeyboardInterrupt instead; a third must not break what cleans up.
    Once asked, they are ignored after the block: what is left is to tell how it ended, and a
    late signal would end the process without its exit code. Outside the main thread no
    handler can be set; no signal sets it then.
    """
    asked = Interruption()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    impatient = False

    def handle(number: int, _frame: FrameType | None) -> None:
        nonlocal impatient
        if not asked.has_begun:
            raise KeyboardInterrupt
        if asked.is_set() and number == signal.SIGINT and not impatient and not asked.is_over:
            impatient = True
            raise KeyboardInterrupt
        asked.set()

    before = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if asked.is_set() else handler)
