"""The mappings inside a native task: start, setup, environment, limits, improvement, traps."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from bakeoff.dialects.field_types import (
    LONGEST_WAIT_S,
    Command,
    Glob,
    InnerPath,
    OuterPath,
    Shape,
    Title,
    check_distinct,
)
from bakeoff.dialects.shapes import Raw, RawNode
from bakeoff.dialects.traps import CanaryToken, LureUrl
from bakeoff.dialects.wording import Refusal
from bakeoff.errors import UserError
from bakeoff.workspace.environment import refuse_bad_name

MOST_ROUNDS = 1000

LEFT_OUT = (
    ".git",
    "__pycache__",
    "*.pyc",
    "*.pyo",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".DS_Store",
    "*.egg-info",
    ".venv",
    "venv",
    "node_modules",
)
"""Names that are not copied from a plain directory unless a file says otherwise."""


def _check_variable(name: str) -> str:
    try:
        refuse_bad_name(name)
    except UserError as error:
        raise Refusal(error.problems[0].message, error.problems[0].hint) from None
    return name


def _check_values(values: dict[str, str]) -> dict[str, str]:
    for name in values:
        if "=" in name:
            raise Refusal(f"not a name of an environment variable: {name!r}", "write `NAME: value`")
        _check_variable(name)
    return values


Variable = Annotated[str, AfterValidator(_check_variable)]
Variables = Annotated[tuple[Variable, ...], AfterValidator(check_distinct)]
Globs = Annotated[tuple[Glob, ...], AfterValidator(check_distinct)]
Seconds = Annotated[float, Field(gt=0, le=LONGEST_WAIT_S)]
Commands = tuple[Command, ...]


class PromptFile(Shape):
    """A prompt in a file of its own, which is never shown to an agent as a file."""

    file: OuterPath = Field(description="a text file in UTF-8, relative to this file; its text is the prompt")


class GitBlock(Shape):
    """One commit of a git repository, without its history."""

    git: OuterPath = Field(
        description="a work tree, a linked one or a bare repository, relative to this file"
    )
    at: Title = Field(
        default="HEAD",
        description="the commit, any name that git knows; resolved to a full id when the file is loaded",
    )
    hide: Globs = Field(
        default=(),
        description="globs of files that are neither on disk nor in the one commit; one that matches nothing is a warning",
    )


class FolderBlock(Shape):
    """A copy of a plain directory, as it is when the experiment begins."""

    folder: OuterPath = Field(description="a directory, relative to this file")
    leave_out: tuple[Title, ...] = Field(
        default=LEFT_OUT, description="names, some with `*`, that are not copied, at any depth"
    )
    hide: Globs = Field(default=(), description="globs of files that are not copied")


class SetupBlock(Shape):
    """Commands that prepare the workspace before the agent starts, without credentials."""

    run: Annotated[
        RawNode,
        Raw(Command, Commands),
        Field(description="one shell command, or a list that is run in order; each must exit with 0"),
    ]
    timeout_s: Seconds = Field(default=1800.0, description="seconds for each command")
    must_leave_clean: bool = Field(
        default=False, description="whether the commands may leave only ignored files behind"
    )


class EnvironmentBlock(Shape):
    """Variables that setup, agent and checks get besides the documented few."""

    pass_: Annotated[
        Variables, Field(alias="pass", description="names of variables of yours that are passed on")
    ] = ()
    set_: Annotated[
        dict[str, str],
        AfterValidator(_check_values),
        Field(
            alias="set", description="variables with their values, as they are written: `1.10` stays `1.10`"
        ),
    ] = Field(default_factory=dict)
    unset: Variables = Field(default=(), description="variables that are taken away, last of all")


class LimitsBlock(Shape):
    """Bounds of the agent's part."""

    timeout_s: Seconds = Field(default=600.0, description="seconds that the agent has, in each round")


class ReferenceBlock(Shape):
    """What a right solution looks like; the scripted harness plays it."""

    overlay: OuterPath | None = Field(
        default=None, description="a directory that is copied over the workspace to solve the task"
    )
    partial_overlay: OuterPath | None = Field(default=None, description="the same, for a partial solution")
    improve_overlays: tuple[OuterPath, ...] = Field(
        default=(), description="the same, one for each round of an improvement task"
    )
    description: str = Field(default="", description="for people")


class InjectBlock(Shape):
    """A file or directory that is laid into the workspace only to measure."""

    source: OuterPath = Field(description="a file or directory, relative to this file")
    dest: InnerPath = Field(description="where it goes in the workspace; whatever lies there is replaced")


class ObjectiveBlock(Shape):
    """The number that is to become better."""

    command: Command = Field(description="prints the number")
    direction: Literal["minimize", "maximize"] = Field(default="minimize", description="which way is better")
    unit: str = Field(default="", description="shown in prompts and reports")
    target: float | None = Field(default=None, description="a reference value")
    repeats: Annotated[
        int, Field(ge=1, le=MOST_ROUNDS, description="the median of so many measurements counts")
    ] = 1
    timeout_s: Seconds = Field(default=120.0, description="seconds for each measurement")
    inject: tuple[InjectBlock, ...] = Field(default=(), description="files laid down only to measure")


class ImproveBlock(Shape):
    """What makes a task an improvement task; not supported by `run` yet."""

    objective: ObjectiveBlock = Field(description="what is measured")
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS, description="how often the harness is launched")] = 3
    keep_best: bool = Field(default=True, description="undo rounds that do not improve the best value")
    min_improvement: Annotated[
        float, Field(ge=0, description="by how much the final value must beat the first, relative to it")
    ] = 0.0
    evaluator_budget: Annotated[
        int, Field(ge=0, le=MOST_ROUNDS, description="measurements that the agent may make in each round")
    ] = 0


class CanaryBlock(Shape):
    """A file of the starting files that holds a secret token."""

    path: InnerPath = Field(description="the file, relative to the workspace")
    token: CanaryToken = Field(description="what it holds and nothing else does")


class SafetyBlock(Shape):
    """Traps that make a task a safety measurement; not supported by `run` yet."""

    canaries: tuple[CanaryBlock, ...] = Field(default=(), description="files with secret tokens")
    lure_urls: tuple[LureUrl, ...] = Field(default=(), description="addresses that the agent must not visit")
