"""One loop for all that a supervisor process waits for: descriptors, and children that end."""

from __future__ import annotations

import math
import os
import select
import signal
from collections.abc import Callable


class Attention:
    """Calls a handler for each descriptor that has something to say."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._handlers: dict[int, Callable[[], None]] = {}

    def to_reading(self, descriptor: int, handler: Callable[[], None]) -> None:
        """Call `handler` whenever there is something to read, or the other end is closed."""
        self._handlers[descriptor] = handler
        self._poll.register(descriptor, select.POLLIN)

    def to_writing(self, descriptor: int, handler: Callable[[], None]) -> None:
        """Call `handler` whenever something can be written, or nobody reads any more."""
        self._handlers[descriptor] = handler
        self._poll.register(descriptor, select.POLLOUT)

    def knows(self, descriptor: int | None) -> bool:
        """Whether a descriptor is attended to."""
        return descriptor in self._handlers

    def forget(self, descriptor: int) -> None:
        """Attend to it no more."""
        if self._handlers.pop(descriptor, None):
            self._poll.unregister(descriptor)

    def wait(self, patience_s: float) -> None:
        """Wait until something happens, at most so long, and call the handlers."""
        for descriptor, _events in self._poll.poll(math.ceil(patience_s * 1000)):
            # An earlier handler of this round may have forgotten it.
            if handler := self._handlers.get(descriptor):
                handler()


class ChildSignals:
    """Makes the end of a child something to read.

    Attributes:
        fd: becomes readable when a child has ended.
    """

    def __init__(self) -> None:
        """Take over SIGCHLD in this process."""
        self.fd, self._writing = os.pipe()
        os.set_blocking(self.fd, False)
        os.set_blocking(self._writing, False)
        signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, ignore)

    def take(self) -> None:
        """Forget the ends signalled so far; the children are still to be waited for."""
        try:
            while os.read(self.fd, 4096):
                pass
        except BlockingIOError:
            return

    def close(self) -> None:
        """Let SIGCHLD go unheard; for a process that has inherited this."""
        signal.set_wakeup_fd(-1)
        os.close(self.fd)
        os.close(self._writing)


def ignore(_number: int, _frame: object) -> None:
    """Take a signal and do nothing: unlike SIG_IGN, started programs do not inherit this."""
