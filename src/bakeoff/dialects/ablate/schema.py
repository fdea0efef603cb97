"""The YAML of an ablate task: its fields, defaults and bounds."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from bakeoff.dialects.field_types import (
    Command,
    ExitCode,
    Glob,
    Id,
    InnerPath,
    Prompt,
    Regex,
    Seconds,
    Shape,
    Tags,
    Title,
    check_distinct,
)
from bakeoff.dialects.shapes import RawNode
from bakeoff.dialects.wording import Refusal

Globs = Annotated[tuple[Glob, ...], AfterValidator(check_distinct)]


class AblateTask(Shape):
    """One file of `.ablate/tasks`, with the ending `.yaml` or `.yml`.

    Trials start from a commit of the git checkout around the project; changes that are not
    committed are not part of it, which is a warning. Unless the command line names an arm,
    they run under `claude-code`: Claude Code with `permission_mode: acceptEdits`, the tools
    Bash, Read, Edit, Write, Glob and Grep, and 40 turns. A trial passes when every required
    assertion does. A mean over fewer than 8 tasks has no interval. Ids have at most 100
    characters, without white space, slashes, commas, `::` and glob characters.

    The agent cannot read its suite: what the commit holds below `.ablate/`, or the task's file
    when it lies elsewhere, is neither on disk nor in history, which is a warning. Setup and
    assertions do not find it in the workspace either.

    A path of `unchanged` that matches no file of the commit is a warning, and so is one of
    `files_touched` that names a directory (`src` where `src/**` is meant).
    """

    id: Id = Field(
        description="unique among the tasks of the directory; a file with another name is a warning"
    )
    description: str = Field(default="", description="for people, never shown to an agent")
    base_commit: Title = Field(
        default="HEAD",
        description="the commit to start from, any name that git knows; resolved to a full id when the file is loaded",
    )
    setup: Command | None = Field(
        default=None,
        description="a shell command that prepares the workspace, at most 1,800 s, before the agent starts",
    )
    timeout_s: Seconds = Field(
        default=600, description="seconds that the agent has; a trial that runs out of them never passes"
    )
    prompt: Prompt = Field(description="what the agent is told, verbatim")
    config_path: InnerPath = Field(
        default="CLAUDE.md", description="where an instruction file is placed, relative to the workspace"
    )
    hide: Globs = Field(
        default=(),
        description="globs of files that are neither on disk nor in history; one that matches nothing is a warning",
    )
    assert_: Annotated[
        tuple[RawNode, ...], Field(alias="assert", min_length=1, description="the checks; at least one")
    ]
    weight: Annotated[
        float,
        Field(ge=0, description="of this task in every mean; with 0 it never counts, which is a warning"),
    ] = 1.0
    tags: Tags = Field(default=(), description="free words to select tasks by")


class Assertion(Shape):
    """What every assertion has."""

    id: Id = Field(description="unique within the task")
    type: str = Field(
        description="one of the types below, or the name of any of Bakeoff's checks with its own keys beside it"
    )
    required: bool = Field(default=True, description="`false`: shown, but neither passes nor fails the trial")


class ExitStatus(Assertion):
    """`exit_code` and `lint`: a shell command and the exit status that it must have."""

    run: Command = Field(description="run by `/bin/sh -c` in the workspace, without credentials")
    expect: ExitCode = Field(default=0, description="the exit status that passes")
    timeout_s: Seconds = Field(
        default=600, description="seconds; a command that runs out of them fails, whatever `expect` says"
    )


class ScriptRun(ExitStatus):
    """`script`: a command that is told where the trial's files are."""

    capture_json: bool = Field(
        default=False,
        description="standard output must be one JSON document; it is recorded and its numbers become metrics",
    )


class TouchedFiles(Assertion):
    """`files_touched`: which paths the agent must, and must not, have changed."""

    must_include: Globs = Field(default=(), description="each glob must match a changed path")
    must_not_include: Globs = Field(default=(), description="no changed path may match")

    @model_validator(mode="after")
    def _not_vacuous(self) -> Self:
        if not self.must_include and not self.must_not_include:
            raise Refusal(
                "`files_touched` has neither `must_include` nor `must_not_include`: it would always pass",
                "name at least one glob",
            )
        both = set(self.must_include) & set(self.must_not_include)
        if both:
            raise Refusal(
                f"`{min(both)}` stands in `must_include` and in `must_not_include`: it would always fail",
                "remove it from one of the two",
            )
        return self


class PatternSearch(Assertion):
    """`present` and `absent`: one search over the diff or over the files."""

    pattern: Regex = Field(description="a regular expression in Python's syntax, with MULTILINE")
    paths: Globs = Field(default=(), description="globs that limit what is searched; none means all")
    in_: Annotated[
        Literal["diff", "files"],
        Field(alias="in", description="the whole unified diff, or the text files as they are in the end"),
    ] = "diff"


ASSERTIONS: dict[str, type[Assertion]] = {
    "exit_code": ExitStatus,
    "files_touched": TouchedFiles,
    "present": PatternSearch,
    "absent": PatternSearch,
    "lint": ExitStatus,
    "script": ScriptRun,
}
"""The format's own six types; every other name is one of Bakeoff's checks."""
