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
    """One file of `.ablate/tasks`."""

    id: Id
    description: str = ""
    base_commit: Title = "HEAD"
    setup: Command | None = None
    timeout_s: Seconds = 600
    prompt: Prompt
    config_path: InnerPath = "CLAUDE.md"
    hide: Globs = ()
    assert_: Annotated[tuple[RawNode, ...], Field(alias="assert", min_length=1)]
    weight: Annotated[float, Field(ge=0)] = 1.0
    tags: Tags = ()


class Assertion(Shape):
    """What every assertion has."""

    id: Id
    type: str
    required: bool = True


class ExitStatus(Assertion):
    """`exit_code` and `lint`: a shell command and the exit status that it must have."""

    run: Command
    expect: ExitCode = 0
    timeout_s: Seconds = 600


class ScriptRun(ExitStatus):
    """`script`: a command that is told where the trial's files are."""

    capture_json: bool = False


class TouchedFiles(Assertion):
    """`files_touched`: which paths the agent must, and must not, have changed."""

    must_include: Globs = ()
    must_not_include: Globs = ()

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

    pattern: Regex
    paths: Globs = ()
    in_: Annotated[Literal["diff", "files"], Field(alias="in")] = "diff"


ASSERTIONS: dict[str, type[Assertion]] = {
    "exit_code": ExitStatus,
    "files_touched": TouchedFiles,
    "present": PatternSearch,
    "absent": PatternSearch,
    "lint": ExitStatus,
    "script": ScriptRun,
}
"""The format's own six types; every other name is one of Bakeoff's checks."""
