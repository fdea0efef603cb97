"""The zygote: the process that supervisor processes are forked from.

It is a Python of its own, small and without threads, so that forking it is cheap and safe at
any time, whatever Bakeoff itself is doing. It forks, and it takes in what a supervisor that was
killed has left behind: it is the next subreaper above. It ends when Bakeoff's end of the
connection closes, after all of its supervisors have ended.

Everything it imports is kept light: it is imported anew by each Bakeoff process that runs
something.
"""

from __future__ import annotations

import gc
import os
import resource
import shutil
import signal
import socket
import sys
import traceback
from types import TracebackType
from typing import NoReturn

from bakeoff.process import kernel
from bakeoff.process.attention import Attention, ChildSignals, ignore
from bakeoff.process.order import RUN, SWEEP, read_order
from bakeoff.process.supervised_run import SupervisedRun
from bakeoff.process.tree import kill_children
from bakeoff.process.wire import Channel

_FILES_CAP = 4
_SWEEP_PATIENCE_S = 5.0
_SIGNALS_TO_IGNORE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP)


class Zygote:
    """Serves one Bakeoff process until that is gone."""

    def __init__(self, connection: socket.socket, scratch: str) -> None:
        """Serve on this connection; in the end, remove the directory `scratch`."""
        self._connection = connection
        self._scratch = scratch
        self._supervisors: set[int] = set()
        self._children = ChildSignals()
        self._attention = Attention()
        self._is_wanted = True

    def serve(self) -> None:
        """Fork supervisors until Bakeoff closes the connection; then see the last of them off."""
        self._attention.to_reading(self._connection.fileno(), self._hear)
        self._attention.to_reading(self._children.fd, self._child_ended)
        while self._is_wanted:
            self._attention.wait(3600)
        self._attention.forget(self._connection.fileno())
        self._connection.close()
        # Their own connections have closed as well, so they are ending their trees now.
        while self._supervisors:
            self._attention.wait(1)
        self._sweep()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _hear(self) -> None:
        try:
            message, files, _flags, _sender = socket.recv_fds(self._connection, 64, _FILES_CAP)
        except OSError:
            message, files = b"", []
        for descriptor in files:
            os.set_inheritable(descriptor, False)
        if message == RUN and files:
            self._fork(files)
        elif message == SWEEP:
            self._sweep()
        elif not message:
            self._is_wanted = False
        for descriptor in files:
            os.close(descriptor)

    def _fork(self, files: list[int]) -> None:
        try:
            pid = os.fork()
        except OSError as error:
            connection = socket.socket(fileno=os.dup(files[0]))
            Channel(connection).send({"failed": f"no process could be started: {error.strerror}"})
            connection.close()
            return
        if pid:
            self._supervisors.add(pid)
        else:
            # Held open here, the connection would hide from Bakeoff that the zygote is gone.
            self._connection.close()
            self._children.close()
            _supervise(files[0], files[1:])

    def _child_ended(self) -> None:
        self._children.take()
        self._sweep()

    def _sweep(self) -> None:
        """End what supervisors that were killed have left: all children that are no supervisors."""
        kill_children(self._reap, spared=lambda: self._supervisors, patience_s=_SWEEP_PATIENCE_S)

    def _reap(self) -> bool:
        while True:
            try:
                pid, _status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if not pid:
                return True
            self._supervisors.discard(pid)


class _LastWords:
    """Tells Bakeoff about an error in the supervisor, which has no other way to be seen."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def __enter__(self) -> None:
        """Nothing is needed to begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None:
            self._channel.send({"failed": "".join(traceback.format_exception(kind, error, trace))})
        return True


def _supervise(connection: int, files: list[int]) -> NoReturn:
    """Be one supervisor process; never returns. The zygote ends what it may leave behind."""
    channel = Channel(socket.socket(fileno=connection))
    with _LastWords(channel):
        kernel.set_name(b"bakeoff-run")
        kernel.become_subreaper()
        message = channel.receive_one()
        if message is not None:
            run = SupervisedRun(channel, read_order(message), files)
            channel.send({"started": os.getpid()})
            channel.send({"end": run.carry_out()})
    os._exit(0)


def serve_bakeoff(connection: int, scratch: str) -> None:
    """The whole life of a zygote, whose end of the connection has this descriptor."""
    _reset_signals()
    kernel.set_name(b"bakeoff-zygote")
    kernel.become_subreaper()
    os.chdir("/")
    os.umask(0o022)
    _core, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))
    gc.freeze()
    Zygote(socket.socket(fileno=connection), scratch).serve()


def _reset_signals() -> None:
    """Hand on no ignored or blocked signal of Bakeoff's; be deaf to the terminal oneself."""
    # Python ignores these two and restores them in what it starts.
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    for number in _SIGNALS_TO_IGNORE:
        signal.signal(number, ignore)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def begin() -> None:
    """The entry point of the zygote's own Python, whose last arguments are these two."""
    scratch, connection = sys.argv[-2:]
    serve_bakeoff(int(connection), scratch)
