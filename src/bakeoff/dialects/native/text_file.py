"""Reads a text that a suite keeps in a file of its own, such as a prompt."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from bakeoff.dialects.nodes import Node
from bakeoff.dialects.problems import Problems

MOST_BYTES = 5_000_000


def read_text_file(path: Path, node: Node, name: str, problems: Problems) -> str | None:
    """The text of a file, byte for byte; None when it cannot be a text, which is recorded at `node`."""
    try:
        # Without O_NONBLOCK, opening a named pipe would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as opened:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                problems.error(node.where, f"`{name}`: {path} is not a regular file")
                return None
            data = opened.read(MOST_BYTES + 1)
    except OSError as error:
        what = "does not exist" if isinstance(error, FileNotFoundError) else os.strerror(error.errno or 0)
        problems.error(node.where, f"`{name}`: {path} {what}", "the path is relative to this file")
        return None
    if len(data) > MOST_BYTES:
        problems.error(node.where, f"`{name}`: {path} is larger than {MOST_BYTES // 1_000_000} MB")
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        problems.error(node.where, f"`{name}`: byte {error.start} of {path} is not UTF-8", "save it as UTF-8")
        return None
    if "\0" in text:
        problems.error(node.where, f"`{name}`: {path} holds a NUL character", "is it a text?")
        return None
    return text
