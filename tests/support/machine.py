"""What this machine offers to tests: a sandbox, network namespaces, real agent programs.

Tests carry a mark for what they need beyond Python and git. Where it is missing they are
skipped with a reason, or they fail when `BAKEOFF_REQUIRE` names the mark, as in CI.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

AGENT_CLIS_VARIABLE = "BAKEOFF_AGENT_CLIS"
"""Names a folder that holds `node_modules/.bin/`; else `.agent-clis/` of the checkout is used."""

REQUIRE_VARIABLE = "BAKEOFF_REQUIRE"
"""Comma-separated marks whose needs must be met: their tests fail instead of being skipped."""

UV = CHECKOUT / ".agent-clis" / "python" / "bin" / "uv"
"""The package installer that the published ablate example calls."""

SETUP_STORE = CHECKOUT / ".agent-clis" / "store"
"""A store whose cache holds what that example installs."""

# Read once, when the run starts: each test sees an environment without these variables.
_AGENT_CLIS = Path(os.environ.get(AGENT_CLIS_VARIABLE) or CHECKOUT / ".agent-clis")
_REQUIRED = frozenset(filter(None, os.environ.get(REQUIRE_VARIABLE, "").replace(",", " ").split()))


def unmet_need(mark: str) -> str | None:
    """Why tests with this mark cannot run here, with a hint; None when they can."""
    need = NEEDS.get(mark)
    return need() if need else None


def is_required(mark: str) -> bool:
    """Whether a missing need of this mark is a failure."""
    return mark in _REQUIRED


@functools.cache
def sandbox_problem() -> str | None:
    """Why bubblewrap cannot be used, asked by really starting it."""
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed (hint: apt-get install bubblewrap)"
    argv = [
        program,
        "--ro-bind",
        "/",
        "/",
        "--unshare-user",
        "--unshare-pid",
        "--proc",
        "/proc",
        "--",
        "true",
    ]
    return _trouble_with(argv, "bubblewrap does not work here")


@functools.cache
def namespace_command() -> tuple[str, ...] | None:
    """The beginning of a command line that runs the rest in a network namespace of its own."""
    program = shutil.which("unshare")
    if program is None:
        return None
    for options in (("-n",), ("-Urn",)):
        if _trouble_with([program, *options, "true"], "") is None:
            return (program, *options)
    return None


def claude_executable() -> Path | None:
    """The installed Claude Code program, None when there is none."""
    program = _AGENT_CLIS / "node_modules" / ".bin" / "claude"
    return program if os.access(program, os.X_OK) else None


def real_cli_problem() -> str | None:
    """Why the real agent programs cannot be run offline here."""
    if claude_executable() is None:
        return f"no agent programs in {_AGENT_CLIS} (hint: make agent-clis)"
    if namespace_command() is None:
        return "network namespaces do not work here (hint: run as root, or allow user namespaces)"
    return None


def setup_cache_problem() -> str | None:
    """Why the published example cannot be set up without a network here."""
    if UV.exists() and (SETUP_STORE / "cache").is_dir():
        return None
    return "what the published example installs was not downloaded beforehand (hint: make agent-clis)"


NEEDS: dict[str, Callable[[], str | None]] = {
    "sandbox": sandbox_problem,
    "real_cli": real_cli_problem,
    "setup_cache": setup_cache_problem,
}


def _trouble_with(argv: list[str], what: str) -> str | None:
    try:
        end = subprocess.run(argv, capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{what}: {error}"
    if end.returncode == 0:
        return None
    first_line = end.stderr.decode(errors="replace").strip().partition("\n")[0]
    return f"{what}: {first_line or f'exit code {end.returncode}'}"


def python_environment() -> dict[str, str]:
    """What a child Python needs besides the environment to import `bakeoff` and `support`."""
    return {"PYTHONPATH": os.pathsep.join((str(CHECKOUT / "src"), str(CHECKOUT / "tests"))), "PATH": _path()}


def _path() -> str:
    return os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
