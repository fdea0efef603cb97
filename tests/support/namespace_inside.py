"""The part of `support.namespace` that runs inside: `python -m support.namespace_inside FOLDER`.

A process of its own that is the first parent of all orphans, so that it can say what a
program left behind, and end it.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from support.model_script import script_from_json
from support.model_server import ModelServer

PORT = 8421

_GRACE_S = 5.0
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


@dataclass(frozen=True, slots=True)
class Files:
    """Where the two parts leave things for each other."""

    folder: Path

    def __getattr__(self, name: str) -> Path:
        """`job`, `script`, `stdin`, `stdout`, `stderr`, `requests` or `end`."""
        if name not in {"job", "script", "stdin", "stdout", "stderr", "requests", "end"}:
            raise AttributeError(name)
        return self.folder / name


def main(folder: Path) -> None:
    """Raise the loopback, serve the script, run the program, end what it left, say how it went."""
    _gather_orphans()
    _raise_loopback()
    files = Files(folder)
    script = script_from_json(files.script.read_text())
    with open(files.requests, "w", buffering=1) as log:
        tell = lambda request: print(json.dumps(asdict(request)), file=log)  # noqa: E731 - one line says it
        with ModelServer(script, port=PORT, tell=tell):
            try:
                end = _run(json.loads(files.job.read_text()), files)
            finally:
                left = _end_orphans()
    files.end.write_text(json.dumps(end | {"left_behind": left}))


def _run(job: dict[str, object], files: Files) -> dict[str, object]:
    argv, env, timeout_s = job["argv"], job["env"], job["timeout_s"]
    assert isinstance(argv, list)
    assert isinstance(env, dict)
    assert isinstance(timeout_s, int | float)
    began = time.monotonic()
    timed_out = False
    with (
        open(files.stdin, "rb") as stdin,
        open(files.stdout, "wb") as stdout,
        open(files.stderr, "wb") as stderr,
    ):
        process = subprocess.Popen(
            argv,
            env=env,
            cwd=str(job["cwd"]),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        timed_out = True
        _end_group(process)
    return {"exit_code": process.returncode, "timed_out": timed_out, "wall_s": time.monotonic() - began}


def _end_group(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _end_orphans() -> list[str]:
    """End every process below this one; the command lines of those that were alive."""
    found: dict[int, str] = {}
    while below := _descendants():
        for pid in below:
            command = Path(f"/proc/{pid}/cmdline")
            try:
                # A zombie has no command line: it is no longer running, only not yet collected.
                if text := command.read_bytes().replace(b"\0", b" ").decode(errors="replace").strip():
                    found.setdefault(pid, text[:300])
                    os.kill(pid, signal.SIGKILL)
            except (FileNotFoundError, ProcessLookupError):
                continue
        _collect()
        time.sleep(0.01)
    return list(found.values())


def _collect() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            status = Path(f"/proc/{pid}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        parent = int(status[status.rindex(")") + 2 :].split()[1])
        children.setdefault(parent, []).append(int(pid))
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _gather_orphans() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for option, value in ((_PR_SET_CHILD_SUBREAPER, 1), (_PR_SET_PDEATHSIG, signal.SIGTERM)):
        if libc.prctl(option, value, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
    # When the test run dies, this process ends by SystemExit, and so ends what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def _raise_loopback() -> None:
    with socket.socket() as any_socket:
        request = struct.pack("16sH14s", b"lo", 0, b"")
        flags = struct.unpack("16sH14s", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", flags | _IFF_UP, b""))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
