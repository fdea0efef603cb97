"""How a reader can start Bakeoff again: the first word of every command that a report prints."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

NAME = "bakeoff"


def program(environ: Mapping[str, str]) -> str:
    """`bakeoff` where the PATH has it, else the way in which this process was started."""
    if shutil.which(NAME, path=environ.get("PATH")):
        return NAME
    started = Path(sys.argv[0])
    if started.name == NAME:
        return shlex.quote(_short(started))
    if started.name == "__main__.py" and started.parent.name == NAME:
        return f"{shlex.quote(_short(Path(sys.executable)))} -m {NAME}"
    return NAME


def _short(path: Path) -> str:
    """The path, relative to the current directory where that is shorter."""
    absolute = os.path.abspath(path)
    return min(os.path.relpath(absolute), absolute, key=len)
