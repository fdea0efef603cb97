"""A Python that imports Bakeoff and nothing else: no site directories, no user's variables.

So nothing of a project under test is imported, and it starts at once.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def bare_command(module: str, arguments: Sequence[str]) -> list[str]:
    """The argument vector that calls `begin()` of a module, which finds the arguments in `sys.argv[2:]`."""
    package_root = str(Path(__file__).resolve().parents[2])
    code = f"import sys; sys.path.append(sys.argv[1]); from {module} import begin; begin()"
    return [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", code, package_root, *arguments]


def bare_environment() -> dict[str, str]:
    """Only what the interpreter may need to find its libraries; the user's secrets stay out of it."""
    names = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
    return {name: os.environ[name] for name in names if name in os.environ}


def start_detached(module: str, arguments: Sequence[str]) -> None:
    """Call `begin()` of a module in a process that goes on when Bakeoff has ended; nobody waits for it.

    OSError when it cannot be started.
    """
    child = subprocess.Popen(
        bare_command(module, arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # A session of its own gets no Ctrl-C and no end of a terminal.
        start_new_session=True,
        cwd=os.sep,
        env=bare_environment(),
    )
    # Python would complain that it still runs when this object goes.
    child.returncode = 0
