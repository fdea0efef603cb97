"""What of a command is looked at and opened before anything is started."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from bakeoff.errors import HostFailed
from bakeoff.process.supervise import Command


def problem_with(command: Command) -> str | None:
    """Why no system could run the command, as its arguments or variables are impossible."""
    if not command.argv or not command.argv[0]:
        return "no program is named"
    try:
        texts = [
            os.fsencode(text) for text in (*command.argv, *command.env, *command.env.values(), command.cwd)
        ]
    except UnicodeEncodeError as error:
        return f"an argument or a variable holds a character that cannot be passed on: {error.reason}"
    if any(b"\0" in text for text in texts):
        return "an argument or a variable holds a NUL byte"
    if bad := [name for name in command.env if not name or "=" in name]:
        return f"not the name of a variable: {bad[0]!r}"
    return None


def encoded(env: Mapping[str, str]) -> dict[bytes, bytes]:
    """An environment as the system takes it."""
    return {os.fsencode(name): os.fsencode(text) for name, text in env.items()}


def open_files(command: Command, stack: ExitStack) -> dict[str, int]:
    """The descriptors of the streams that have a file: stdout, perhaps stderr and stdin.

    They stay open until `stack` closes them. What is written can be read back through them: by
    its path, a program without a sandbox may have put something else in the place of a file.
    Raises HostFailed when one cannot be opened.
    """
    paths: dict[str, Path] = {"stdout": command.stdout}
    if command.stderr is not None and command.stderr != command.stdout:
        paths["stderr"] = command.stderr
    if command.stdin is not None:
        paths["stdin"] = command.stdin
    files: dict[str, int] = {}
    for stream, path in paths.items():
        is_input = stream == "stdin"
        files[stream] = _open(path, os.O_RDONLY if is_input else os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        stack.callback(os.close, files[stream])
    return files


def _open(path: Path, flags: int) -> int:
    try:
        return os.open(path, flags | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise HostFailed(f"{path} cannot be opened: {error.strerror}") from error
