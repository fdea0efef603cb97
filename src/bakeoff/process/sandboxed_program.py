"""A program inside bubblewrap, followed by the supervisor process from outside.

Three processes stand between: the outer bwrap, which waits; its child, which is process 1 of the
sandbox; and process 2, which becomes the program. With --die-with-parent the end of the outer
one ends the sandbox, and the outer one goes as soon as the program is over. It first writes the
exit code to its status pipe: a full pipe holds it there until the supervisor has seen who else is
alive, while the kernel still ends everything should the supervisor itself be killed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import signal
import time
from collections.abc import Mapping, Sequence

from bakeoff.process.plain_program import StartFailed, spawn
from bakeoff.process.tree import children_of, stat_fields

_START_PATIENCE_S = 20.0
_STATUS_PATIENCE_S = 20.0
_LOOK_AGAIN_S = (0.001, 0.01)
"""How soon to look for the program again, at first and at most: making a sandbox takes milliseconds."""

_PROGRAM = b"2"
"""The number of the program inside the sandbox: the first that its process 1 starts."""

_WAITED_FAULTS = 8
"""Index in `stat_fields` of the page faults of children that were waited for."""

_NOT_DEADLY = frozenset(
    (signal.SIGCHLD, signal.SIGCONT, signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
) | {signal.SIGURG, signal.SIGWINCH}


class SandboxedProgram:
    """The same as a PlainProgram, for a program that is not a child of the supervisor."""

    def __init__(self, bubblewrap: Sequence[bytes], bubblewrap_env: Mapping[bytes, bytes]) -> None:
        """Take the command line that makes the sandbox, without the program, and its environment."""
        self._bubblewrap = bubblewrap
        self._bubblewrap_env = bubblewrap_env
        self.root = 0
        self.ended = False
        self.exit_code: int | None = None
        self.signal: int | None = None
        self.wake_fd: int | None = None
        self.look_again_s: float | None = _LOOK_AGAIN_S[0]
        self.start_failed = False
        # The system forgets the time of what dies together with process 1.
        self.keeps_time = False
        self._outer = 0
        self._outer_status: int | None = None
        self._status_fd = -1
        self._status = b""

    def start(
        self, argv: Sequence[bytes], env: Mapping[bytes, bytes], cwd: bytes, stdio: tuple[int, int, int]
    ) -> None:
        """Start the sandbox; StartFailed when bwrap itself does not run.

        `env` and `cwd` are part of bwrap's own command line and environment already.
        """
        self._status_fd, status_end = os.pipe()
        fcntl.fcntl(status_end, fcntl.F_SETPIPE_SZ, select.PIPE_BUF)
        blocked_fd, release_end = os.pipe()
        command = [
            *self._bubblewrap,
            b"--json-status-fd",
            b"%d" % status_end,
            b"--block-fd",
            b"%d" % blocked_fd,
            b"--",
            *argv,
        ]
        self._outer = spawn(command, self._bubblewrap_env, b"/", stdio, (status_end, blocked_fd))
        os.close(blocked_fd)
        self._await_first_process()
        if self.root:
            _fill(status_end)
            # A sandbox that could not be made is gone already: its end is found like any other.
            with contextlib.suppress(BrokenPipeError):
                os.write(release_end, b"\n")
        os.close(status_end)
        os.close(release_end)

    def _await_first_process(self) -> None:
        """Read the number of the sandbox's process 1, or note that there is none."""
        until = time.monotonic() + _START_PATIENCE_S
        while not self.root and not self.ended:
            if time.monotonic() > until:
                raise StartFailed("bubblewrap did not start within 20 seconds")
            self._read_status(0.05)
            self.root = int(self._reported(b"child-pid") or 0)
            if not self.root and not _exists(self._outer):
                self.ended = self.start_failed = True

    def reaped(self, pid: int, status: int) -> None:
        """Take note of a child that was waited for."""
        if pid == self._outer:
            self._outer_status = status
        if pid in (self._outer, self.root):
            self.ended = True

    def look(self) -> None:
        """Find the program, and see whether it has ended."""
        if self.ended:
            return
        if self.wake_fd is None:
            self._find_program()
        elif _is_readable(self.wake_fd, 0):
            self.ended = True

    def _find_program(self) -> None:
        """Get hold of the program's process; it may be over before it was ever seen."""
        for child in children_of(self.root):
            if _inner_number(child) == _PROGRAM and (pinned := _pin(child)) is not None:
                if _inner_number(child) == _PROGRAM:
                    self.wake_fd = pinned
                    self.look_again_s = None
                    return
                os.close(pinned)
        # Or process 1 is gone, or it has waited for a child: the program was its first one.
        first = stat_fields(self.root)
        self.ended = first is None or first[0] == b"Z" or first[_WAITED_FAULTS] != b"0"
        self.look_again_s = min((self.look_again_s or 0.0) * 1.3, _LOOK_AGAIN_S[1])

    def collect(self) -> None:
        """Let the outer bwrap go on, and learn from it how the program ended."""
        until = time.monotonic() + _STATUS_PATIENCE_S
        code = self._reported(b"exit-code")
        while code is None and time.monotonic() < until:
            outer_is_gone = not _exists(self._outer)
            self._read_status(0.01)
            code = self._reported(b"exit-code")
            if outer_is_gone:
                break
        if code is None:
            # bwrap says nothing when it could not make the sandbox or find the program.
            self.start_failed = not self._outer_was_killed()
        elif 128 < code <= 128 + signal.SIGRTMAX and code - 128 not in _NOT_DEADLY:
            self.signal = code - 128
        else:
            self.exit_code = code

    def _outer_was_killed(self) -> bool:
        """Whether somebody ended bwrap, which the program inside has no means to do."""
        if self._outer_status is not None:
            return os.WIFSIGNALED(self._outer_status)
        end = os.waitid(os.P_PID, self._outer, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return end is None or end.si_code != os.CLD_EXITED

    def _read_status(self, patience_s: float) -> None:
        if _is_readable(self._status_fd, patience_s):
            self._status += os.read(self._status_fd, 256 * 1024)

    def _reported(self, key: bytes) -> int | None:
        """A number from the lines that bwrap has written, once such a line is complete.

        bwrap writes a line in several pieces, and is held up if the pipe is filled before the last.
        """
        found = re.search(rb'"%b": *([0-9]+)[^\n]*\n' % key, self._status)
        return int(found[1]) if found else None


def _fill(pipe_end: int) -> None:
    """Make a pipe full, so that whoever writes next has to wait."""
    poll = select.poll()
    poll.register(pipe_end, select.POLLOUT)
    # What fits a page never blocks here; the pipe itself must stay a blocking one for bwrap.
    while poll.poll(0):
        os.write(pipe_end, b"\n" * select.PIPE_BUF)


def _inner_number(pid: int) -> bytes:
    """The number that a process has inside its own PID namespace."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            for line in file:
                if line.startswith(b"NSpid:"):
                    return line.split()[-1]
    except OSError:
        return b""
    return b""


def _pin(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None


def _exists(pid: int) -> bool:
    """Whether a child of ours runs; the dead one that nobody has waited for does not."""
    return (fields := stat_fields(pid)) is not None and fields[0] != b"Z"


def _is_readable(descriptor: int, patience_s: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(patience_s * 1000))
