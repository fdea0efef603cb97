"""The files and directories that a file names, relative to itself: they must exist when it is loaded."""

from __future__ import annotations

import os
from pathlib import Path

from bakeoff.dialects.nodes import Node
from bakeoff.dialects.problems import Problems


def existing_directory(text: str, node: Node, name: str, problems: Problems) -> Path | None:
    """The directory that `text` names, relative to its file; None when there is none."""
    path = Path(os.path.realpath(node.file.parent / text))
    if os.path.isdir(path):
        return path
    what = "is not a directory" if os.path.exists(path) else "does not exist"
    problems.error(node.where, f"`{name}`: {path} {what}", "the path is relative to this file")
    return None


def existing_path(text: str, node: Node, name: str, problems: Problems) -> Path | None:
    """The file or directory that `text` names, relative to its file; None when there is none."""
    path = Path(os.path.realpath(node.file.parent / text))
    if os.path.exists(path):
        return path
    problems.error(node.where, f"`{name}`: {path} does not exist", "the path is relative to this file")
    return None
