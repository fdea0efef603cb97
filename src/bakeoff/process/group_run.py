"""One program in a process group of its own, attended to by the thread that waits for it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import ExitStack

from bakeoff.process.attention import Attention
from bakeoff.process.countdown import Countdown
from bakeoff.process.plain_program import spawn
from bakeoff.process.plumbing import Plumbing
from bakeoff.process.request import encoded
from bakeoff.process.supervise import OUTPUT_UNWRITABLE, Command, EndReason, ProcessEnd

_LOOK_EVERY_S = 0.02
_SETTLE_S = 0.1
_KILL_PATIENCE_S = 2.0


class GroupRun:
    """A program, its pipes and its clock. Works wherever there are process groups."""

    def __init__(self, command: Command, files: Mapping[str, int], stack: ExitStack) -> None:
        """Prepare; `stack` ends the group and closes the pipes in the end, whatever happens."""
        self._command = command
        self._files = files
        self._stack = stack
        self._attention = Attention()
        self._started = time.monotonic()
        self._countdown = Countdown(self._started, command.timeout_s)
        self._plumbing = Plumbing(self._attention, lambda: self._countdown.kill_now("lost", time.monotonic()))
        self._group = 0
        self._status: int | None = None
        self._duration_s = 0.0
        self._cpu_s: float | None = None

    def start(self) -> None:
        """Start the program; StartFailed when that is not possible."""
        ends = self._plumbing.open(self._files, self._command.output_cap)
        self._stack.callback(self._plumbing.close)
        try:
            self._group = spawn(
                [os.fsencode(argument) for argument in self._command.argv],
                encoded(self._command.env),
                os.fsencode(self._command.cwd),
                ends,
            )
        finally:
            for descriptor in set(ends):
                os.close(descriptor)
        self._stack.callback(self._kill_group)

    def attend(self) -> None:
        """See to the pipes, the clock and the program, for a moment."""
        self._attention.wait(min(_LOOK_EVERY_S, self._countdown.left_s(time.monotonic())))
        if self._countdown.is_term_due(time.monotonic()):
            self._signal_group(signal.SIGTERM)
            self._signal_group(signal.SIGCONT)
        self._look()

    def _look(self) -> None:
        if self._status is not None:
            return
        pid, status, usage = os.wait4(self._group, os.WNOHANG)
        if pid:
            self._status = status
            self._duration_s = time.monotonic() - self._started
            self._cpu_s = usage.ru_utime + usage.ru_stime

    def is_over(self) -> bool:
        """Whether the program has ended, or has to be killed now."""
        return self._status is not None or self._countdown.is_kill_due(time.monotonic())

    def end_within(self, grace_s: float, reason: str) -> None:
        """Let the end begin after a grace at the latest."""
        self._countdown.end_within(grace_s, reason, time.monotonic())

    def finish(self) -> ProcessEnd:
        """End what is left of the group; how the program ended."""
        left_behind: tuple[str, ...] = ()
        if self._status is not None:
            left_behind = self._settle()
        self._kill_group()
        self._plumbing.drain()
        failure = self._plumbing.failure
        reason = self._countdown.reason or "exited"
        return ProcessEnd(
            reason=EndReason.LOST if failure else EndReason(reason),
            exit_code=self._exit_code(),
            signal=self._signal(),
            duration_s=self._duration_s,
            cpu_s=self._cpu_s,
            left_behind=left_behind,
            dropped_bytes=self._plumbing.dropped,
            error=f"{OUTPUT_UNWRITABLE}: {failure}" if failure else None,
        )

    def _exit_code(self) -> int | None:
        if self._status is None or os.WIFSIGNALED(self._status):
            return None
        return os.WEXITSTATUS(self._status)

    def _signal(self) -> int | None:
        if self._status is None or not os.WIFSIGNALED(self._status):
            return None
        return os.WTERMSIG(self._status)

    def _settle(self) -> tuple[str, ...]:
        """Give the rest of the group a moment to finish; the command lines of those who do not."""
        until = time.monotonic() + _SETTLE_S
        while self._signal_group(0):
            if time.monotonic() > until:
                return self._members()
            self._attention.wait(0.005)
        return ()

    def _members(self) -> tuple[str, ...]:
        listed = subprocess.run(
            ["ps", "-A", "-o", "pgid=", "-o", "stat=", "-o", "command="],
            env={"PATH": "/usr/bin:/bin"},
            capture_output=True,
            check=False,
        )
        members = []
        for line in listed.stdout.decode("utf-8", "backslashreplace").splitlines():
            group, state, command = (*line.split(maxsplit=2), "", "")[:3]
            if group == str(self._group) and not state.startswith("Z"):
                members.append(command)
        return tuple(members)

    def _signal_group(self, number: int) -> bool:
        """Signal every process of the group; whether there was one."""
        try:
            os.killpg(self._group, number)
        except OSError:
            return False
        return True

    def _kill_group(self) -> None:
        until = time.monotonic() + _KILL_PATIENCE_S
        while self._signal_group(signal.SIGKILL) and time.monotonic() < until:
            self._look()
            time.sleep(_LOOK_EVERY_S)
            # The dead are members too, until somebody waits for them.
            if self._status is not None and not self._members():
                break
        while self._status is None and time.monotonic() < until:
            self._look()
            time.sleep(0.002)
