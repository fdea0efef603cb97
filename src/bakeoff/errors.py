"""Every exception that Bakeoff raises on purpose.

    BakeoffError
    ├── UserError             a file, flag or machine is not as it must be: exit 2, no traceback
    │   └── ProblemsFound     many such problems at once, each with its place
    └── TrialError            one trial went wrong: stored as data, the other trials go on
        ├── SetupFailed       setup commands failed before the launch (void)
        ├── HostFailed        the machine failed: disk, memory, a lost supervisor (void)
        ├── CheckBroken       a check cannot be evaluated: its verdict is `error`
        └── Interrupted       the user asked for the end: the trial leaves no record

Anything else that escapes is a bug in Bakeoff: exit 3, and the traceback goes to a log file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, order=True)
class Where:
    """A place in a file; lines and columns count from 1, 0 means the whole file."""

    file: Path
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        """`file:line:column`, without the numbers that are unknown."""
        if not self.line:
            return str(self.file)
        if not self.column:
            return f"{self.file}:{self.line}"
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something wrong with a file, told in the words of the person who wrote it.

    Attributes:
        where: the place; None when there is no file.
        message: what is wrong and what was expected, without a final full stop.
        hint: what to do about it; empty when there is nothing to add.
        severity: "error" stops everything; "warning" is shown and recorded.
    """

    where: Where | None
    message: str
    hint: str = ""
    severity: str = "error"

    def __str__(self) -> str:
        """The problem as it is printed: place, severity, message, and a hint on a line of its own."""
        place = f"{self.where}: " if self.where else ""
        kind = "" if self.severity == "error" else f"{self.severity}: "
        text = f"{place}{kind}{self.message}"
        return f"{text}\n\n  hint: {self.hint}\n" if self.hint else text


class BakeoffError(Exception):
    """The root of all exceptions raised on purpose."""


class UserError(BakeoffError):
    """Something the user can mend: shown without a traceback, exit code 2."""

    def __init__(self, message: str, *, where: Where | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.problems: tuple[Problem, ...] = (Problem(where=where, message=message, hint=hint),)

    def __str__(self) -> str:
        """All problems, in order, one below the other."""
        return "\n".join(str(problem) for problem in self.problems)


class ProblemsFound(UserError):
    """Several problems of one or more files, reported together and in order."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(f"{len(problems)} problems")
        self.problems = problems


@dataclass(slots=True)
class TrialError(BakeoffError):
    """Something that went wrong in one trial; becomes data in its record.

    Attributes:
        message: one sentence for people.
        detail: output or other evidence, possibly long.
    """

    message: str
    detail: str = field(default="")

    def __str__(self) -> str:
        """The sentence for people."""
        return self.message


class SetupFailed(TrialError):
    """A setup command failed or left the tree dirty before the agent was launched."""


class HostFailed(TrialError):
    """The machine, not the agent, made the trial impossible."""


class CheckBroken(TrialError):
    """A check could not be evaluated; its verdict is `error` and never `passed`."""


class Interrupted(TrialError):
    """The user or the system asked for the end: the trial leaves no record."""
