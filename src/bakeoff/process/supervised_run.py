"""What one supervisor process does: start a program, attend to it, end its tree, report.

This code runs in a process of its own, forked by the zygote for one run. It never waits for
one thing only: the program's pipes, Bakeoff's connection, ended children and the clock are
looked after by one loop.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Mapping, Sequence
from typing import Protocol

from bakeoff.process import kernel
from bakeoff.process.attention import Attention, ChildSignals
from bakeoff.process.countdown import Countdown
from bakeoff.process.order import Order
from bakeoff.process.plain_program import PlainProgram, StartFailed
from bakeoff.process.plumbing import Plumbing
from bakeoff.process.sandboxed_program import SandboxedProgram
from bakeoff.process.supervise import OUTPUT_UNWRITABLE
from bakeoff.process.tree import (
    command_line,
    descendants_of,
    is_alive,
    kill_children,
    processor_seconds,
    terminate_below,
)
from bakeoff.process.wire import Channel, pack

SETTLE_S = 0.1
"""How long what the program left running may take to end by itself, as the last part of a pipeline does."""

KILL_PATIENCE_S = 15.0
"""How long to try to end what SIGKILL does not end, such as a process that waits for a lost disk."""

LEFT_BEHIND_CAP = 50
"""How many processes left behind are named one by one."""


class Program(Protocol):
    """A program and how to follow it; PlainProgram says what the members mean."""

    root: int
    ended: bool
    exit_code: int | None
    signal: int | None
    wake_fd: int | None
    look_again_s: float | None
    start_failed: bool
    keeps_time: bool

    def start(
        self,
        argv: Sequence[bytes],
        env: Mapping[bytes, bytes],
        cwd: bytes,
        stdio: tuple[int, int, int],
    ) -> None:
        """Start it, or raise StartFailed."""

    def reaped(self, pid: int, status: int) -> None:
        """Take note of a child that was waited for."""

    def look(self) -> None:
        """See whether it has ended."""

    def collect(self) -> None:
        """Find out how it ended."""


class SupervisedRun:
    """One run, from its order to its report."""

    def __init__(self, channel: Channel, order: Order, files: Sequence[int]) -> None:
        """Take over the descriptors of the files, in the order of `order.streams`."""
        self._channel = channel
        self._order = order
        self._files = dict(zip(order.streams, files, strict=True))
        self._attention = Attention()
        self._children = ChildSignals()
        self._started = time.monotonic()
        self._countdown = Countdown(self._started, order.timeout_s)
        self._plumbing = Plumbing(self._attention, lambda: self._countdown.kill_now("lost", time.monotonic()))
        self._program: Program = PlainProgram()
        if order.bubblewrap:
            self._program = SandboxedProgram(order.bubblewrap, order.bubblewrap_env)
        self._error: str | None = None
        self._left_behind: list[bytes] = []
        self._duration_s = 0.0
        self._is_to_be_killed = False
        self._forgotten_cpu_s = 0.0

    def carry_out(self) -> dict[str, object]:
        """Start, attend and end; the report."""
        self._attention.to_reading(self._channel.fileno(), self._hear)
        if self._channel.has_waiting:
            self._hear()
        self._attention.to_reading(self._children.fd, self._child_ended)
        try:
            self._start()
        except StartFailed as failure:
            self._program.start_failed = True
            self._error = str(failure)
        else:
            self._attend_to_the_end()
        stuck = kill_children(self._reap, patience_s=KILL_PATIENCE_S)
        self._plumbing.drain()
        return self._report(stuck)

    def _start(self) -> None:
        if not self._order.bubblewrap:
            kernel.forbid_new_privileges()
        ends = self._plumbing.open(self._files, self._order.output_cap)
        try:
            self._program.start(self._order.argv, self._order.env, self._order.cwd, ends)
        finally:
            for descriptor in set(ends):
                os.close(descriptor)

    def _attend_to_the_end(self) -> None:
        while not self._program.ended and not self._must_kill():
            self._attend()
        self._duration_s = time.monotonic() - self._started
        self._is_to_be_killed = not self._program.ended
        alive = self._settle() if self._program.ended else self._survivors()
        if not self._program.keeps_time:
            self._forgotten_cpu_s = processor_seconds(alive)
        if self._program.ended and not self._program.start_failed:
            self._program.collect()

    def _must_kill(self) -> bool:
        return self._countdown.is_kill_due(time.monotonic())

    def _settle(self) -> list[int]:
        """Note who is alive although the program is over, after a moment in which to finish."""
        until = time.monotonic() + SETTLE_S
        while (alive := self._survivors()) and time.monotonic() < until and not self._must_kill():
            self._attend(at_most_s=0.005)
        self._left_behind = [command_line(pid) for pid in alive[:LEFT_BEHIND_CAP]]
        if len(alive) > LEFT_BEHIND_CAP:
            self._left_behind.append(b"(and %d more)" % (len(alive) - LEFT_BEHIND_CAP))
        return alive

    def _survivors(self) -> list[int]:
        return [pid for pid, _parent in descendants_of(self._program.root) if is_alive(pid)]

    def _attend(self, at_most_s: float = 60.0) -> None:
        """Wait for the next thing to happen, and see to it."""
        patience_s = min(at_most_s, self._countdown.left_s(time.monotonic()))
        if self._program.look_again_s is not None and not self._program.ended:
            patience_s = min(patience_s, self._program.look_again_s)
        self._attention.wait(patience_s)
        if self._countdown.is_term_due(time.monotonic()):
            terminate_below(self._program.root)
        self._program.look()
        self._attend_to_wake_fd()

    def _attend_to_wake_fd(self) -> None:
        wake_fd = self._program.wake_fd
        if wake_fd is None:
            return
        if self._program.ended:
            self._attention.forget(wake_fd)
        elif not self._attention.knows(wake_fd):
            self._attention.to_reading(wake_fd, self._program.look)

    def _hear(self) -> None:
        """Listen to Bakeoff; when it is gone, leave nothing alive."""
        now = time.monotonic()
        messages = self._channel.receive()
        if messages is None:
            self._attention.forget(self._channel.fileno())
            self._countdown.kill_now("interrupted", now)
            return
        for message in messages:
            grace_s = float(str(message["grace_s"]))
            self._countdown.end_within(grace_s, str(message["reason"]), now)

    def _child_ended(self) -> None:
        self._children.take()
        self._reap()

    def _reap(self) -> bool:
        """Wait for every child that has ended; whether any child remains."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if not pid:
                return True
            self._program.reaped(pid, status)

    def _report(self, stuck: Sequence[int]) -> dict[str, object]:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return {
            "reason": self._reason(stuck),
            "exit_code": self._program.exit_code,
            "signal": self._program.signal or (signal.SIGKILL if self._is_to_be_killed else None),
            "duration_s": self._duration_s,
            "cpu_s": usage.ru_utime + usage.ru_stime + self._forgotten_cpu_s,
            "left_behind": [pack(line) for line in self._left_behind],
            "dropped_bytes": self._plumbing.dropped,
            "error": self._error,
        }

    def _reason(self, stuck: Sequence[int]) -> str:
        """Why it is over; notes what is to be said about it."""
        if self._plumbing.failure:
            self._error = f"{OUTPUT_UNWRITABLE}: {self._plumbing.failure}"
            return "lost"
        if stuck:
            lines = ", ".join(command_line(pid).decode("utf-8", "backslashreplace") for pid in stuck[:5])
            self._error = f"{len(stuck)} processes could not be ended even by SIGKILL: {lines}"
            return "lost"
        if self._program.start_failed:
            self._error = self._error or self._last_words()
            return "not_started"
        is_known = self._program.exit_code is not None or self._program.signal is not None
        if not is_known and not self._is_to_be_killed:
            self._error = "somebody else ended the sandbox"
            return "lost"
        return self._countdown.reason or "exited"

    def _last_words(self) -> str:
        """What bwrap said, which is all that was written when the program never ran."""
        words = self._plumbing.first_words.decode("utf-8", "backslashreplace").strip()
        return words.removeprefix("bwrap: execvp ") or "bubblewrap ended without a word"
