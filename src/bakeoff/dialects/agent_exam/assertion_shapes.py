"""The assertion types of the format: their fields, and the one that a bare value stands for.

An assertion is a mapping with one type, which a bare value may follow (`file_exists: a.txt`) or
a mapping of its fields. Beside the type, `known_issue` says why a failure is expected: it
is shown, and does not count; `providers` names the only harnesses for which it is evaluated.
Every [check](checks.md) of Bakeoff may stand there too, with its own keys:
`command: pytest -q`. Its id is its type and what it is about, which `--check` of `show` takes.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from bakeoff.dialects.field_types import InnerPath, Prompt, Shape, Title, check_regex
from bakeoff.dialects.wording import Refusal

Count = Annotated[int, Field(ge=0, le=1_000_000_000)]


class Judge(Shape):
    """`judge` and `judge_agent`: a model judges by a criterion; not supported by `run` yet.

    `judge_agent` may read the files that the agent left, `judge` sees what it said and did.
    """

    criterion: Prompt = Field(description="what must hold, in plain words")
    include_trajectory: bool = Field(
        default=True, description="whether the judge sees all that the agent did, or its last answer only"
    )


class FileExists(Shape):
    """`file_exists`: a regular file lies there in the end."""

    path: InnerPath = Field(description="relative to the working directory")


class FileContains(Shape):
    """`file_contains`: a file holds a text; a file that is missing fails."""

    path: InnerPath = Field(description="relative to the working directory")
    pattern: Annotated[str, Field(min_length=1)] = Field(
        description="the text, or with `regex: true` a regular expression in Python's syntax, with MULTILINE"
    )
    regex: bool = Field(default=False, description="whether `pattern` is a regular expression")

    @model_validator(mode="after")
    def _compiles(self) -> Self:
        if self.regex:
            check_regex(self.pattern)
        return self


class ToolName(Shape):
    """`tool_called` and `tool_not_called`: whether a tool was used, by subagents too."""

    name: Title = Field(description="as its harness calls it, exactly; `providers` beside it is wise")


class ToolCount(Shape):
    """`tool_count`: how often a tool was used, by subagents too."""

    name: Title = Field(description="as its harness calls it, exactly")
    exactly: Count | None = Field(default=None, description="so often; not beside `min` and `max`")
    min: Count | None = Field(default=None, description="at least so often")
    max: Count | None = Field(default=None, description="at most so often")

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.exactly is None and self.min is None and self.max is None:
            raise Refusal(
                "`tool_count` has no bound: it would always pass", "write `exactly`, `min` or `max`"
            )
        if self.exactly is not None and (self.min is not None or self.max is not None):
            raise Refusal("`exactly` stands beside `min` or `max`", "keep one of the two")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise Refusal(f"`min` is {self.min} and `max` {self.max}: no count is both")
        if self.min == 0 and self.max is None:
            raise Refusal("`min: 0` alone always passes", "write `max`, `exactly`, or a higher `min`")
        return self


class SkillName(Shape):
    """`first_skill`, `skill_invoked` and `skill_not_invoked`: which skills were used.

    `first_skill` is the earliest of all, subagents included. Names are equal when they are
    after `plugin:` is taken from the front.
    """

    skill: Title = Field(description="the name of the skill")


class NoPermissionErrors(Shape):
    """`no_permission_errors`: no tool call was blocked by the harness; it takes no value."""


ASSERTIONS: dict[str, type[Shape]] = {
    "judge": Judge,
    "judge_agent": Judge,
    "file_exists": FileExists,
    "file_contains": FileContains,
    "tool_called": ToolName,
    "tool_not_called": ToolName,
    "tool_count": ToolCount,
    "first_skill": SkillName,
    "skill_invoked": SkillName,
    "skill_not_invoked": SkillName,
    "no_permission_errors": NoPermissionErrors,
}
"""The format's own eleven types; every other name is one of Bakeoff's checks."""

SHORTHANDS = {
    "judge": "criterion",
    "judge_agent": "criterion",
    "file_exists": "path",
    "tool_called": "name",
    "tool_not_called": "name",
    "first_skill": "skill",
    "skill_invoked": "skill",
    "skill_not_invoked": "skill",
}
"""The field that a bare value stands for; the other types need a mapping."""

JUDGES = frozenset({"judge", "judge_agent"})
LATER_TYPES = frozenset({"first_mcp_tool", "mcp_tool_called", "mcp_tool_not_called"})
"""Types of a later version of the tool."""

CODEX_TOOLS = frozenset({"command_execution", "image_generation", "spawn_agent"})
"""Names that only the Codex CLI has."""
