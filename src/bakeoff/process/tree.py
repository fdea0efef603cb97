"""The processes below a process: who is alive, who gets a signal, and how all are ended.

Everything here reads /proc and works on Linux only. It is written for a process that is the
subreaper of its tree: whoever loses its parent becomes a direct child of the caller.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable

_PIECE = 64 * 1024

COMMAND_LINE_CAP = 1000
"""Bytes kept of one command line."""

_WALKS = 4
"""How often at most to walk a tree again that never looks the same twice."""


def children_of(pid: int) -> list[int]:
    """The living and unreaped direct children of a process; empty when it is gone."""
    found: list[int] = []
    for task in _entries(f"/proc/{pid}/task"):
        listed = _read(f"/proc/{pid}/task/{task}/children")
        if listed is None:
            if os.path.exists(f"/proc/{pid}/task/{task}"):
                return _children_by_scan(pid)  # a kernel without lists of children
            continue
        found.extend(int(child) for child in listed.split())
    return found


def descendants_of(pid: int) -> list[tuple[int, int]]:
    """Each process below `pid` with its parent, nearest first; some may have ended meanwhile.

    The system's lists of children skip living ones while others are being waited for, and an
    orphan passes to another parent behind the reader's back: so one walk is not believed until
    a second finds the same.
    """
    previous = _walk_below(pid)
    found = dict(previous)
    for _ in range(_WALKS):
        current = _walk_below(pid)
        found.update(current)
        if current.keys() == previous.keys():
            break
        previous = current
    return list(found.items())


def _walk_below(pid: int) -> dict[int, int]:
    """Each process that one walk finds below `pid`, with its parent."""
    parents: dict[int, int] = {}
    waiting = [pid]
    while waiting:
        parent = waiting.pop(0)
        for child in children_of(parent):
            if child != pid and child not in parents:
                parents[child] = parent
                waiting.append(child)
    return parents


def is_alive(pid: int) -> bool:
    """Whether a process exists and has not ended; a zombie has."""
    return (fields := stat_fields(pid)) is not None and fields[0] not in (b"Z", b"X")


def stat_fields(pid: int) -> list[bytes] | None:
    """The fields of /proc/PID/stat that follow the name: state, parent, ...; None when it is gone."""
    line = _read(f"/proc/{pid}/stat")
    return line.rpartition(b")")[2].split() if line else None


def processor_seconds(pids: Iterable[int]) -> float:
    """User and system time of processes and of the children that they have waited for."""
    ticks = sum(sum(map(int, fields[11:15])) for pid in pids if (fields := stat_fields(pid)))
    return ticks / os.sysconf("SC_CLK_TCK")


def command_line(pid: int) -> bytes:
    """Program and arguments, separated by blanks; the name in brackets when there are none."""
    line = _read(f"/proc/{pid}/cmdline", COMMAND_LINE_CAP)
    if line:
        return line.rstrip(b"\0").replace(b"\0", b" ")
    return b"[" + (_read(f"/proc/{pid}/comm") or b"?").strip() + b"]"


def terminate_below(pid: int) -> None:
    """Send SIGTERM to every process below `pid`, and let the stopped ones run to receive it."""
    for child, parent in descendants_of(pid):
        _signal_child(child, parent, (signal.SIGTERM, signal.SIGCONT))


def _signal_child(child: int, parent: int, signals: tuple[signal.Signals, ...]) -> None:
    """Signal a process unless its number has passed to somebody else meanwhile."""
    try:
        pinned = os.pidfd_open(child)
    except ProcessLookupError:
        return
    except OSError:  # a kernel without pidfds
        for number in signals:
            send(child, number)
        return
    try:
        fields = stat_fields(child)
        # An orphan belongs to the caller by now, which is as good a parent.
        if fields is not None and int(fields[1]) in (parent, os.getpid()):
            for number in signals:
                signal.pidfd_send_signal(pinned, number)
    except OSError:
        return
    finally:
        os.close(pinned)


def kill_children(
    reap: Callable[[], bool], *, spared: Callable[[], set[int]] = set, patience_s: float
) -> list[int]:
    """Kill the caller's children, and those they leave to it, until none remains.

    Only direct children are killed: their numbers cannot pass to a stranger before the caller
    reaps them, and whatever they had started becomes the caller's child in turn.

    Args:
        reap: takes note of ended children; whether any child remains at all.
        spared: children that are none of the tree.
        patience_s: how long to try before giving up on processes that even SIGKILL cannot end.

    Returns:
        The processes that could not be ended: usually none.
    """
    deadline = time.monotonic() + patience_s
    pause_s = 0.0002
    while reap():
        victims = [pid for pid in children_of(os.getpid()) if pid not in spared()]
        if not victims and spared():
            break
        if time.monotonic() > deadline:
            return [pid for pid in victims if is_alive(pid)]
        for pid in victims:
            send(pid, signal.SIGKILL)
        time.sleep(pause_s)
        pause_s = min(pause_s * 1.5, 0.02)
    return []


def send(pid: int, number: signal.Signals) -> None:
    """Send a signal; nothing happens when the process is gone or is not ours to signal."""
    try:
        os.kill(pid, number)
    except OSError:
        return


def _children_by_scan(parent: int) -> list[int]:
    pids = [int(name) for name in _entries("/proc") if name.isdigit()]
    return [pid for pid in pids if (fields := stat_fields(pid)) and int(fields[1]) == parent]


def _entries(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _read(path: str, cap: int = sys.maxsize) -> bytes | None:
    # Without a file object: this is called for every process, over and over.
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        data = b""
        while len(data) < cap and (piece := os.read(descriptor, min(_PIECE, cap - len(data)))):
            data += piece
    except OSError:
        return None
    else:
        return data
    finally:
        os.close(descriptor)
