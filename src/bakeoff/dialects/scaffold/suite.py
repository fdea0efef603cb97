"""A first suite in the making: its files, what is left to fill in, and what to do with it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bakeoff.dialects.unfinished import blanks_in
from bakeoff.errors import UserError, Where

TASK = "first-task"
PROMPT = "<fill in: what the agent is told to do>"
DONE = "<fill in: a command that fails before the work and succeeds after it>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaffold:
    """A suite that is not written yet.

    Attributes:
        folder: the directory that the files lie below.
        files: path below it to content.
        suite: what `bakeoff validate` and `run` are given, from `folder`.
        idle: the arguments of `run` that start an agent which does nothing.
        real: the arguments of `run` that start a real agent.
        uses_tests: its task runs the project's own tests.
    """

    folder: Path
    files: Mapping[str, str]
    suite: str
    idle: str
    real: str
    uses_tests: bool = True

    @property
    def blanks(self) -> tuple[tuple[Where, str], ...]:
        """Every place that is left to fill in, and what goes there."""
        return tuple(
            (Where(self.folder / name, line), blank)
            for name, text in self.files.items()
            for line, blank in blanks_in(text)
        )


def write(scaffold: Scaffold) -> None:
    """Write all files; UserError, and nothing is written, when one of them exists."""
    paths = {scaffold.folder / name: text for name, text in scaffold.files.items()}
    there = [str(path) for path in paths if os.path.lexists(path)]
    if there:
        others = [str(path) for path in paths if str(path) not in there]
        also = f" It would also write {', '.join(others)}." if others else ""
        raise UserError(
            f"these files exist already, and nothing was written: {', '.join(there)}",
            hint=f"give another directory: `bakeoff init DIR`; or move them away.{also}",
        )
    try:
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
        for path, text in paths.items():
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        raise UserError(
            f"{path} cannot be written: {os.strerror(error.errno or 0)}", hint="give another directory"
        ) from error


def quoted(text: str) -> str:
    """A text as YAML takes it in any place."""
    return json.dumps(text, ensure_ascii=False)


def failing(blank: str) -> str:
    """A shell command that says what is missing, and fails."""
    return f"echo '{blank}' >&2; exit 1"
