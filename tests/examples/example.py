"""What an example is: files of a format, a made-up repository around them, and edits of an agent."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

Edit = Mapping[str, str | None]
"""Path in the workspace to the content that an agent writes there; None removes the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """An example that was written to disk.

    Attributes:
        spec: what the command line is given.
        task: the id of its one task, or of the first.
        solution: an edit after which every check of the task passes.
        breaking: check id to an edit after which that check alone does not pass.
        unsupported: fields that `run` refuses, in the order in which they are listed.
    """

    spec: Path
    task: str
    solution: Edit
    breaking: Mapping[str, Edit] = field(default_factory=dict)
    unsupported: tuple[str, ...] = ()


def as_shell(edit: Edit) -> str:
    """Shell commands that make an edit; a scripted agent runs them in its workspace."""
    lines = ["set -e"]
    for path, content in edit.items():
        if content is None:
            lines.append(f"rm -f {shlex.quote(path)}")
            continue
        lines.append(f'mkdir -p "$(dirname {shlex.quote(path)})"')
        lines.append(f"printf %s {shlex.quote(content)} > {shlex.quote(path)}")
    return "\n".join(lines) + "\n"


def apply(edit: Edit, workspace: Path) -> None:
    """Make an edit in a directory."""
    for path, content in edit.items():
        target = workspace / path
        if content is None:
            target.unlink(missing_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)
