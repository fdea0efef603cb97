"""Steps that the scripted agent really carries out in the workspace."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from bakeoff.harness.fake.step import Plan, Seconds, Step, Threaded
from bakeoff.harness.option_fields import one_of

Path = Annotated[str, Field(min_length=1)]


class Write(Threaded):
    """`{write: path, content: ...}`: a file is written."""

    lead = "write"
    write: Path
    content: str = ""

    def plan(self) -> list[Plan]:
        """A real change, told as a call of Write."""
        given = {"path": self.write, "content": self.content, "thread": self.thread}
        return [{"do": "write", "how": "write", **given}]


class Append(Threaded):
    """`{append: path, content: ...}`: text is added at the end of a file."""

    lead = "append"
    append: Path
    content: str

    def plan(self) -> list[Plan]:
        """A real change, told as a call of Edit."""
        given = {"path": self.append, "content": self.content, "thread": self.thread}
        return [{"do": "write", "how": "append", **given}]


class Delete(Threaded):
    """`{delete: path}`: a file, link or directory is removed."""

    lead = "delete"
    delete: Path

    def plan(self) -> list[Plan]:
        """A real change, told as a call of Delete."""
        return [{"do": "write", "how": "delete", "path": self.delete, "thread": self.thread}]


class Overlay(Threaded):
    """`{overlay: solution}` or `{overlay: partial}`: the task's reference is copied over the workspace."""

    lead = "overlay"
    overlay: Annotated[str, one_of(("solution", "partial"))]

    def plan(self) -> list[Plan]:
        """Real changes, each told as a call of Write; the launch fills in the source."""
        return [{"do": "overlay", "which": self.overlay, "thread": self.thread}]


class Run(Threaded):
    """`{run: "shell command", timeout_s: 5}`: a command is really run in the workspace."""

    lead = "run"
    run: str
    timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)] | None = None

    def plan(self) -> list[Plan]:
        """A real command, told as a call of Bash with its output and exit code."""
        given = {"timeout_s": self.timeout_s, "thread": self.thread}
        return [{"do": "run", "command": self.run, **given}]


class Sleep(Step):
    """`{sleep_s: 0.5}`: nothing happens for a while."""

    lead = "sleep_s"
    sleep_s: Seconds

    def plan(self) -> list[Plan]:
        """A pause."""
        return [{"do": "sleep", "seconds": self.sleep_s}]


class Hang(Step):
    """`{hang: true}`: the harness does nothing for ever."""

    lead = "hang"
    hang: Literal[True]

    def plan(self) -> list[Plan]:
        """A pause without end."""
        return [{"do": "hang"}]


class Exit(Step):
    """`{exit: 3, stderr: ...}`: the harness exits at once, without a last word of its own."""

    lead = "exit"
    exit: Annotated[int, Field(ge=0, le=255, strict=True)]
    stderr: str = ""

    def plan(self) -> list[Plan]:
        """The end of the process."""
        return [{"do": "exit", "code": self.exit, "stderr": self.stderr}]
