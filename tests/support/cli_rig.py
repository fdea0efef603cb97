"""Starts real agent programs, and Bakeoff with them, offline against a scripted model."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from support import machine
from support.model_script import Script
from support.namespace import MODEL_URL, OfflineRun, run_offline

DUMMY_KEY = "sk-ant-dummy-" + "0" * 32
MODEL = "claude-sonnet-4-5"
"""A model that the pinned program has list prices for: 3, 15, 0.30 and 3.75 dollars per million
tokens of input, output, cache read and cache write."""


def claude_environment(home: Path) -> dict[str, str]:
    """The whole environment of a Claude Code that runs offline and keeps to `home`."""
    temporary = home / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "ANTHROPIC_BASE_URL": MODEL_URL,
        "ANTHROPIC_API_KEY": DUMMY_KEY,
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        # Without it the program leaves sockets and folders in /tmp.
        "CLAUDE_CODE_TMPDIR": str(temporary),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        # It refuses to skip permissions as root unless told that it is in a sandbox.
        "IS_SANDBOX": "1",
    }


def run_claude(
    program: Path,
    prompt: str,
    *,
    script: Script,
    work: Path,
    home: Path,
    options: Sequence[str] = ("--permission-mode", "bypassPermissions"),
    timeout_s: float = 60.0,
) -> OfflineRun:
    """One headless session of Claude Code in `work`, its stream on stdout."""
    argv = [str(program), "-p", "--output-format", "stream-json", "--verbose", "--model", MODEL, *options]
    return run_offline(
        argv,
        script=script,
        env=claude_environment(home),
        cwd=work,
        stdin=prompt.encode(),
        timeout_s=timeout_s,
    )


def run_bakeoff(
    arguments: Sequence[str],
    *,
    script: Script,
    cwd: Path,
    home: Path,
    env: Mapping[str, str] | None = None,
    programs: Sequence[Path] = (),
    timeout_s: float = 240.0,
) -> OfflineRun:
    """The whole command line in the namespace: its agents, sandboxed or not, reach the model server.

    The environment is that of a user with a key; `env` is laid over it, the folders of
    `programs` come first on the PATH.
    """
    program = machine.claude_executable()
    assert program is not None, "mark the test real_cli"
    # The virtual environment comes first, so that checks find a python with pytest.
    folders = [*programs, Path(sys.prefix) / "bin", program.parent, "/usr/local/bin", "/usr/bin", "/bin"]
    user = {
        "PATH": os.pathsep.join(map(str, folders)),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "ANTHROPIC_BASE_URL": MODEL_URL,
        "ANTHROPIC_API_KEY": DUMMY_KEY,
    }
    argv = [sys.executable, "-m", "bakeoff", *arguments]
    return run_offline(argv, script=script, env=user | dict(env or {}), cwd=cwd, timeout_s=timeout_s)
