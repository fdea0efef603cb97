"""Bakeoff's hold on its zygote: starting it, sending it work, starting it anew, ending it."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from bakeoff.errors import HostFailed
from bakeoff.process.bare_python import bare_command, bare_environment
from bakeoff.process.order import SWEEP

_SEND_PATIENCE_S = 10.0
_END_PATIENCE_S = 25.0
_SWEEP_PATIENCE_S = 6.0


class ZygoteHandle:
    """Sends messages to a zygote from any thread; a zygote that has died is replaced.

    Attributes:
        scratch: a private directory that the zygote removes in the end, even if Bakeoff is killed.
    """

    def __init__(self) -> None:
        """Start the zygote; HostFailed when that is not possible."""
        self._lock = threading.Lock()
        self._is_closed = False
        self.scratch = Path(tempfile.mkdtemp(prefix="bakeoff-"))
        self._start()

    @property
    def pid(self) -> int:
        """The zygote's process, as long as it is not replaced."""
        return self._process.pid

    def send(self, message: bytes, descriptors: Sequence[int]) -> None:
        """Send a message with open files; HostFailed when no zygote takes it."""
        with self._lock:
            if self._is_closed:
                raise HostFailed("the supervisor is closed")
            if self._process.poll() is not None:
                self._restart()
            try:
                socket.send_fds(self._connection, [message], descriptors)
            except OSError:
                self._restart()
                self._send_again(message, descriptors)

    def _send_again(self, message: bytes, descriptors: Sequence[int]) -> None:
        try:
            socket.send_fds(self._connection, [message], descriptors)
        except OSError as error:
            raise HostFailed("supervisors cannot be started", detail=self._words(error)) from error

    def wait_for_sweep(self) -> None:
        """Have the zygote end what lost supervisors left, and wait until it has."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self.send(SWEEP, [theirs.fileno()])
            theirs.close()
            ours.settimeout(_SWEEP_PATIENCE_S)
            with contextlib.suppress(OSError):
                ours.recv(1)

    def close(self) -> None:
        """Let the zygote end, with all that it still supervises, and wait for that."""
        with self._lock:
            self._is_closed = True
            self._connection.close()
            try:
                self._process.wait(_END_PATIENCE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
            self._put_away()
            # The zygote has done this, unless it was killed.
            shutil.rmtree(self.scratch, ignore_errors=True)

    def _start(self) -> None:
        self._connection, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._connection.settimeout(_SEND_PATIENCE_S)
        arguments = [str(self.scratch), str(theirs.fileno())]
        try:
            self._process = subprocess.Popen(
                bare_command("bakeoff.process.zygote", arguments),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
                cwd="/",
                env=bare_environment(),
            )
        except OSError as error:
            self._connection.close()
            raise HostFailed(
                "the process that starts supervisors cannot be started", detail=str(error)
            ) from error
        finally:
            theirs.close()

    def _restart(self) -> None:
        self._connection.close()
        self._process.kill()
        self._put_away()
        self._start()

    def _put_away(self) -> None:
        self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()

    def _words(self, error: OSError) -> str:
        """What the zygote wrote before it died."""
        self._process.kill()
        self._process.wait()
        assert self._process.stderr is not None
        os.set_blocking(self._process.stderr.fileno(), False)
        return f"{error}\n{(self._process.stderr.read() or b'').decode(errors='replace')}"
