"""What a benchmark should say of the machine that it ran on, since figures are worth nothing without it."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
"""Where Linux has a file system in memory: the floor of what files can cost."""

ROOM_NEEDED = 4 << 30
"""Bytes that must be free there before a benchmark uses it."""


def describe() -> str:
    """One line on processor, system, Python, git and how busy the machine is."""
    git = subprocess.run(["git", "version"], capture_output=True, text=True, check=True).stdout.split()[2]
    return (
        f"{os.cpu_count()} x {_processor()}, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, git {git}; {load()}"
    )


def load() -> str:
    """How many processes wanted a processor lately; above their number, trust CPU time alone."""
    minute, _, quarter = os.getloadavg()
    busy = " (busy: wall-clock times are too long)" if minute > (os.cpu_count() or 1) else ""
    return f"load {minute:.1f} in the last minute, {quarter:.1f} in the last 15{busy}"


def _processor() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def file_system(place: Path) -> str:
    """The type of the file system that holds a directory, with what is known to make it slow."""
    found = "unknown file system"
    longest = -1
    place = place.resolve()
    try:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return found
    for line in lines:
        left, _, right = line.partition(" - ")
        point = Path(left.split()[4])
        if place.is_relative_to(point) and len(point.parts) > longest:
            kind, source = right.split()[:2]
            longest, found = len(point.parts), kind
            if kind == "ext4" and not any(Path("/proc/fs/jbd2").glob(f"{Path(source).name}-*")):
                # Such a file system looks past every inode that was freed in the last minutes.
                found = "ext4 without a journal: slow at making files soon after many were removed"
    return found


def places() -> dict[str, Path]:
    """Where to measure, by name: the directory for temporary files, and memory where there is one."""
    found = {"disk": Path(tempfile.gettempdir())}
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK):
        status = os.statvfs(MEMORY)
        if status.f_bavail * status.f_frsize > ROOM_NEEDED:
            found["memory"] = MEMORY
    if found["disk"].resolve().is_relative_to(MEMORY):
        del found["disk"]
    return found
