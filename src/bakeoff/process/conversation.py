"""Bakeoff's side of one run: giving the order, listening to the supervisor, calling for the end."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Mapping

from bakeoff.errors import HostFailed
from bakeoff.identity import display_path
from bakeoff.process.audience import Audience
from bakeoff.process.order import Order
from bakeoff.process.supervise import EndReason, ProcessEnd
from bakeoff.process.wire import Channel, unpack

_LOOK_EVERY_S = 0.05
_START_PATIENCE_S = 20.0
_OVERDUE_AFTER_S = 60.0
"""How long after the time limit a supervisor may stay silent: far more than it needs to kill its tree."""

_KILL_PATIENCE_S = 10.0
"""How long a supervisor may take to die; one that waits for a lost disk never does."""


class Conversation:
    """One run, seen from the thread of Bakeoff that waits for it."""

    def __init__(self, channel: Channel, order: Order, *, overdue_after_s: float = _OVERDUE_AFTER_S) -> None:
        self._channel = channel
        self._order = order
        self._overdue_at = time.monotonic() + order.timeout_s + overdue_after_s
        self._supervisor = 0
        self._end: ProcessEnd | None = None
        self._was_interrupted = False

    def begin(self) -> bool:
        """Give the order; False when the supervisor was gone before it began anything.

        Raises HostFailed when it says that it cannot begin, or says nothing at all. Whatever else
        comes out of here, such as the user's interrupt, does so when the tree is gone.
        """
        self._channel.send(self._order.message())
        try:
            return self._hear_of_start()
        except HostFailed:
            raise
        except BaseException:
            self._abandon()
            raise

    def _hear_of_start(self) -> bool:
        if not self._is_readable(_START_PATIENCE_S):
            raise HostFailed("the supervisor of a program does not answer")
        message = self._channel.receive_one()
        if message is None:
            return False
        if "failed" in message:
            raise HostFailed("the supervisor of a program failed", detail=str(message["failed"]))
        self._supervisor = int(str(message["started"]))
        return True

    def hold(self, audience: Audience, must_end: Callable[[], bool]) -> ProcessEnd:
        """Go on until the supervisor has ended everything, whatever happens in between.

        What the watcher raises comes out of here, but only when the tree is gone.
        """
        try:
            while self._end is None:
                has_news = audience.show_piece()
                if self._is_readable(0.0 if has_news else _LOOK_EVERY_S):
                    self._listen()
                self._look_for_trouble(must_end)
        finally:
            if self._end is None:
                self._abandon()
        audience.show_rest()
        return self._end

    def end_within(self, grace_s: float, reason: str) -> None:
        """Ask the supervisor to end the run."""
        self._channel.send({"reason": reason, "grace_s": grace_s})

    def _is_readable(self, patience_s: float) -> bool:
        if self._channel.has_waiting:
            return True
        poll = select.poll()
        poll.register(self._channel.fileno(), select.POLLIN)
        return bool(poll.poll(patience_s * 1000))

    def _listen(self) -> None:
        messages = self._channel.receive()
        if messages is None:
            self._end = ProcessEnd(
                reason=EndReason.LOST, error="the supervisor process was ended by somebody else"
            )
            return
        for message in messages:
            if "failed" in message:
                self._end = ProcessEnd(reason=EndReason.LOST, error=str(message["failed"]))
            elif isinstance(report := message.get("end"), dict):
                self._end = _process_end(report)

    def _look_for_trouble(self, must_end: Callable[[], bool]) -> None:
        if not self._was_interrupted and must_end():
            self._was_interrupted = True
            self.end_within(0.0, "interrupted")
        late_s = time.monotonic() - self._overdue_at
        if self._end is None and late_s > 0:
            # Somebody has stopped it: a program without a sandbox can do that to its supervisor.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._supervisor, signal.SIGKILL)
        if self._end is None and late_s > _KILL_PATIENCE_S:
            self._end = ProcessEnd(
                reason=EndReason.LOST, error="the supervisor process could not be ended even by SIGKILL"
            )

    def _abandon(self) -> None:
        """End the run without wanting to know more, and wait until it is over."""
        self._channel.finish_sending()
        until = time.monotonic() + _OVERDUE_AFTER_S
        while (left_s := until - time.monotonic()) > 0 and self._is_readable(left_s):
            if self._channel.receive() is None:
                return


def _process_end(report: Mapping[str, object]) -> ProcessEnd:
    """The end as the supervisor process has reported it."""
    left_behind = report["left_behind"]
    assert isinstance(left_behind, list)
    error = report["error"]
    return ProcessEnd(
        reason=EndReason(str(report["reason"])),
        exit_code=_whole(report["exit_code"]),
        signal=_whole(report["signal"]),
        duration_s=float(str(report["duration_s"])),
        cpu_s=float(str(report["cpu_s"])),
        left_behind=tuple(display_path(unpack(line)) for line in left_behind),
        dropped_bytes=int(str(report["dropped_bytes"])),
        error=None if error is None else str(error),
    )


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None
