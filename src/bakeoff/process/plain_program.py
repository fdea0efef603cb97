"""A program started by the supervisor process itself, as its child, without a sandbox."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Mapping, Sequence


class StartFailed(Exception):
    """A program could not be started; the text says why."""


class PlainProgram:
    """The child of the supervisor process that runs the program.

    Attributes:
        root: the process below which everything lives that the program started.
        ended: whether the program is over.
        exit_code: its exit code, once it has exited.
        signal: the signal that ended it, if one did.
        wake_fd: a descriptor that becomes readable when `look` may learn something new.
        look_again_s: seconds after which to look again unasked; None when there is no need.
        keeps_time: whether the processor time of processes that are killed is counted by the system.
        start_failed: whether it turned out, after the start, that the program never ran.
    """

    def __init__(self) -> None:
        self.root = os.getpid()
        self.ended = False
        self.exit_code: int | None = None
        self.signal: int | None = None
        self.wake_fd: int | None = None
        self.look_again_s: float | None = None
        self.start_failed = False
        self.keeps_time = True
        self._pid = 0

    def start(
        self, argv: Sequence[bytes], env: Mapping[bytes, bytes], cwd: bytes, stdio: tuple[int, int, int]
    ) -> None:
        """Start it in a session of its own; StartFailed when that is not possible.

        A script that names no interpreter is run by /bin/sh, as execvp(3) does in a sandbox.
        """
        try:
            self._pid = spawn(argv, env, cwd, stdio)
        except StartFailed as failure:
            script = _script_without_interpreter(failure, argv[0], env, cwd)
            if script is None:
                raise
            self._pid = spawn([b"/bin/sh", script, *argv[1:]], env, cwd, stdio)

    def reaped(self, pid: int, status: int) -> None:
        """Take note of a child that was waited for."""
        if pid == self._pid:
            self.ended = True
            if os.WIFSIGNALED(status):
                self.signal = os.WTERMSIG(status)
            else:
                self.exit_code = os.WEXITSTATUS(status)

    def look(self) -> None:
        """See whether it has ended: `reaped` tells all there is to know."""

    def collect(self) -> None:
        """Find out how it ended: `reaped` has told."""


def spawn(
    argv: Sequence[bytes],
    env: Mapping[bytes, bytes],
    cwd: bytes,
    stdio: tuple[int, int, int],
    pass_fds: Sequence[int] = (),
) -> int:
    """Start a child in a session of its own, with these three streams and no other open file."""
    stdin, stdout, stderr = stdio
    try:
        child = subprocess.Popen(
            list(argv),
            env=dict(env),
            cwd=cwd,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=pass_fds,
            start_new_session=True,
        )
    except OSError as error:
        raise StartFailed(_why(error, argv[0], cwd)) from error
    # The supervisor waits for all of its children itself.
    child.returncode = 0
    return child.pid


def _script_without_interpreter(
    failure: StartFailed, program: bytes, env: Mapping[bytes, bytes], cwd: bytes
) -> bytes | None:
    """The file that the system refused for its format, if that is why it was refused."""
    if not isinstance(failure.__cause__, OSError) or failure.__cause__.errno != errno.ENOEXEC:
        return None
    if b"/" in program:
        return program
    for directory in env.get(b"PATH", os.defpath.encode()).split(b":"):
        path = os.path.join(directory, program)
        if os.access(os.path.join(cwd, path), os.X_OK):
            return path
    return None


def _why(error: OSError, program: bytes, cwd: bytes) -> str:
    if error.filename == cwd:
        return f"working directory {_shown(cwd)}: {error.strerror}"
    if error.errno == errno.ENOENT and b"/" not in program:
        return f"{_shown(program)} was not found on the PATH"
    if error.errno == errno.ENOENT and os.path.exists(os.path.join(cwd, program)):
        return f"{_shown(program)}: the interpreter that its first line names does not exist"
    if error.errno == errno.E2BIG:
        return f"{_shown(program)}: the arguments and the environment are too long for this system"
    return f"{_shown(program)}: {error.strerror}"


def _shown(path: bytes) -> str:
    return path.decode("utf-8", "backslashreplace")
