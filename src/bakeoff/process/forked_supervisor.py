"""The supervisor for Linux: each run has a process of its own, forked by a zygote."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from bakeoff.errors import HostFailed
from bakeoff.process.audience import Audience
from bakeoff.process.conversation import Conversation
from bakeoff.process.enclosure import Enclosure
from bakeoff.process.open_runs import OpenRuns
from bakeoff.process.order import RUN, Order
from bakeoff.process.request import open_files, problem_with
from bakeoff.process.supervise import Command, EndReason, InnerPaths, Interrupt, ProcessEnd, View, Watcher
from bakeoff.process.wire import Channel
from bakeoff.process.zygote_handle import ZygoteHandle

_SEND_PATIENCE_S = 20.0


class ForkedSupervisor:
    """Runs programs in supervisor processes; the protocol `Supervisor` says what it promises."""

    def __init__(self, zygote: ZygoteHandle, enclosure: Enclosure) -> None:
        """Take over the zygote."""
        self.name = enclosure.name
        self._zygote = zygote
        self._enclosure = enclosure
        self._runs = OpenRuns()

    @property
    def protections(self) -> Mapping[str, bool]:
        """Each documented protection and whether it is in force here."""
        return self._enclosure.protections

    @property
    def zygote_pid(self) -> int:
        """The process that supervisors are forked from, as long as nobody kills it."""
        return self._zygote.pid

    def inner_paths(self, view: View) -> InnerPaths:
        """Where a program in this view finds its directories."""
        return self._enclosure.inner_paths(view)

    def run(
        self,
        command: Command,
        view: View,
        *,
        interrupt: Interrupt,
        watcher: Watcher | None = None,
        grace_s: float = 5.0,
    ) -> ProcessEnd:
        """Run a program to its end and end everything that it started."""
        if problem := problem_with(command):
            return ProcessEnd(reason=EndReason.NOT_STARTED, error=problem)
        if interrupt.is_set():
            return ProcessEnd(reason=EndReason.INTERRUPTED)
        with self._runs.one_more(), ExitStack() as stack:
            files = open_files(command, stack)
            order = self._enclosure.order(command, view, tuple(files))
            conversation = self._begin(order, tuple(files.values()), stack)
            audience = Audience(files["stdout"], watcher, grace_s, conversation.end_within)
            end = conversation.hold(audience, lambda: interrupt.is_set() or self._runs.must_end())
            if end.reason is EndReason.LOST:
                self._zygote.wait_for_sweep()
            return end

    def _begin(self, order: Order, files: Sequence[int], stack: ExitStack) -> Conversation:
        """Have a supervisor start on the order."""
        # A zygote may be killed after it has taken an order and before it forks.
        for _attempt in range(2):
            ours, theirs = socket.socketpair()
            stack.callback(ours.close)
            ours.settimeout(_SEND_PATIENCE_S)
            with theirs:
                self._zygote.send(RUN, [theirs.fileno(), *files])
            conversation = Conversation(Channel(ours), order)
            if conversation.begin():
                return conversation
        raise HostFailed("no supervisor could be started", detail="two were gone before they began")

    def close(self) -> None:
        """End everything that still runs, wait for it, and end the zygote."""
        self._runs.close()
        self._zygote.close()
