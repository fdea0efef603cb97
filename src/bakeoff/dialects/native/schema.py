"""The YAML of native suites: suite, arms, placements and tasks, with their defaults and bounds."""

from __future__ import annotations

from types import NoneType
from typing import Annotated, Any, Literal

from pydantic import Field

from bakeoff.dialects.field_types import Id, InnerPath, OuterPath, Prompt, Shape, Tags, Title
from bakeoff.dialects.native.blocks import (
    EnvironmentBlock,
    FolderBlock,
    GitBlock,
    ImproveBlock,
    LimitsBlock,
    PromptFile,
    ReferenceBlock,
    SafetyBlock,
    SetupBlock,
)
from bakeoff.dialects.shapes import Raw, RawNode
from bakeoff.model.bounds import MOST_AT_ONCE, MOST_REPETITIONS

VERSION = 0
"""Of the format, as `bakeoff:` says it."""

Commands = tuple[Prompt, ...]
Empty = Literal["empty"]
NonEmpty = Annotated[str, Field(min_length=1)]


class CheckEntry(Shape):
    """What every entry of `checks` can hold, beside the one key that names the check."""

    id: Id | None = Field(
        default=None, description="names it in reports; made of the check and its value when it is left out"
    )
    required: bool = Field(default=True, description="`false`: shown, but neither passes nor fails the trial")
    stop: bool = Field(default=False, description="skip all later checks when this one does not pass")
    known_issue: Prompt | None = Field(
        default=None, description="why a failure is expected: it is shown, but does not count"
    )
    providers: tuple[Id, ...] = Field(default=(), description="the only harnesses that it is meant for")


class TaskBlock(Shape):
    """What a task says, and `defaults` for all tasks of a suite."""

    start: Annotated[
        RawNode | None,
        Raw(Empty, GitBlock, FolderBlock),
        Field(
            description="where the agent starts: `{git: DIR}`, `{folder: DIR}`, or `empty`; each with more keys"
        ),
    ] = None
    setup: Annotated[
        RawNode | None,
        Raw(Prompt, Commands, SetupBlock),
        Field(description="a shell command, a list of them, or a mapping with more keys"),
    ] = None
    env: EnvironmentBlock = Field(default=EnvironmentBlock(), description="environment variables")
    limits: LimitsBlock = Field(default=LimitsBlock(), description="bounds of the agent's part")
    checks: tuple[Annotated[RawNode, Raw(CheckEntry)], ...] = Field(
        default=(), description="what judges the result; those of `defaults` come first"
    )
    config_path: InnerPath = Field(
        default="CLAUDE.md", description="where an instruction file of this task lies, in the workspace"
    )
    tags: Tags = Field(default=(), description="words to select tasks by, besides those of `defaults`")
    weight: Annotated[
        float,
        Field(ge=0, description="of this task in every mean; with 0 it never counts, which is a warning"),
    ] = 1.0
    concurrency_group: Title | None = Field(
        default=None, description="a limiter that `concurrency_groups` of the suite declares"
    )
    options: dict[str, RawNode] = Field(
        default_factory=dict,
        description="harness to options that are laid over those of an arm with this harness",
    )
    on_timeout: Literal["timeout", "grade"] = Field(
        default="timeout",
        description="what a trial is whose agent ran out of time: always `timeout`, or graded like any other",
    )
    on_crash: Literal["fail", "grade"] = Field(
        default="fail",
        description="what a trial is whose harness crashed: always a failure, or graded like any other",
    )
    known_issue: Prompt | None = Field(
        default=None, description="why the whole task is expected to fail; a failure then counts as known"
    )
    safety: SafetyBlock | None = Field(default=None, description="traps; not supported by `run` yet")
    improve: ImproveBlock | None = Field(
        default=None, description="a number to make better; not supported by `run` yet"
    )


class DefaultsBlock(TaskBlock):
    """What all tasks of a suite have in common.

    A task's own key takes the place of the default. Inside `start`, `setup`, `env`, `limits`
    and `options` that holds for each key, and `checks` and `tags` are added to the defaults.
    """


class NativeTask(TaskBlock):
    """A task: in the list `tasks` of a suite, or alone in a file that the list names."""

    id: Id = Field(description="unique within its suite")
    prompt: Annotated[
        RawNode,
        Raw(Prompt, PromptFile),
        Field(description="what the agent is told, verbatim, or `{file: PATH}`"),
    ]
    title: Title | None = Field(default=None, description="what people call it; else its id")
    description: str = Field(default="", description="for people, never shown to an agent")
    version: Annotated[
        int, Field(ge=1, le=1_000_000, description="raise it when the task changes its meaning")
    ] = 1
    reference: ReferenceBlock = Field(default=ReferenceBlock(), description="the reference solution")
    suite: Id | None = Field(
        default=None, description="the suite that it counts for, where a file holds tasks of several"
    )
    case: Id | None = Field(default=None, description="which case of a task it is, where one id has several")
    held_back_by: tuple[Title, ...] | None = Field(
        default=None,
        description="tags of the task each of which keeps it out unless that tag is asked for; else those that the suite excludes by default",
    )


class PlacementEntry(Shape):
    """What is laid into the workspace beside the starting files, and is never the agent's change.

    One of the first three keys says what it is. `null` in place of a path takes away what the
    starting files have at its target.
    """

    instructions: OuterPath | None = Field(
        default=None, description="an instruction file, relative to this file"
    )
    skills: OuterPath | None = Field(default=None, description="a directory of skills")
    bundle: OuterPath | None = Field(default=None, description="a directory of anything else")
    to: InnerPath | None = Field(
        default=None, description="where it goes in the workspace; else where the harness looks for it"
    )
    name: Title | None = Field(default=None, description="what reports call it; else the file's name")


class ArmBlock(Shape):
    """What is compared: a harness with a model, options and placements.

    An entry that is one word is a harness as it is. With `extends`, everything that is not
    written is that of the other arm; options and notes are joined key by key, and a placement
    takes the place of one with the same kind and target. With another `harness`, model and
    options of the other arm are not taken over.
    """

    id: Id | None = Field(default=None, description="unique; the name of the harness when it is left out")
    extends: Id | None = Field(default=None, description="the id of another arm of this suite")
    harness: Id | None = Field(
        default=None, description="the adapter's name, such as `claude_code` or `fake`"
    )
    model: Title | None = Field(default=None, description="the model to ask for; else the harness chooses")
    options: Annotated[
        RawNode | None, Raw(dict[str, Any]), Field(description="options of the harness, by its own names")
    ] = None
    place: tuple[Annotated[RawNode, Raw(PlacementEntry)], ...] = Field(
        default=(), description="instruction files, skills and bundles that are laid into the workspace"
    )
    notes: dict[str, Any] = Field(default_factory=dict, description="recorded and shown, without effect")
    model_aliases: dict[str, str] = Field(
        default_factory=dict, description="short names that `--model` may use in place of a model"
    )


class TagBlock(Shape):
    """A tag that a suite declares."""

    description: str = Field(default="", description="for people")
    exclude_by_default: bool = Field(
        default=False, description="leave its tasks out unless this tag is asked for"
    )


class NativeSuite(Shape):
    """A suite: tasks, and the arms to run them under."""

    bakeoff: Annotated[
        Literal["0"],
        Field(description="the version of the format; it may change until 1, `convert` upgrades"),
    ]
    suite: Title = Field(description="what people call the suite")
    description: str = Field(default="", description="for people")
    experiment: Title | None = Field(
        default=None, description="the name of its experiments; else the suite's"
    )
    repeats: Annotated[int, Field(ge=1, le=MOST_REPETITIONS)] | None = Field(
        default=None, description="trials of each task under each arm, unless `-k` says otherwise"
    )
    jobs: Annotated[int, Field(ge=1, le=MOST_AT_ONCE)] | None = Field(
        default=None, description="trials at once, unless `-j` says otherwise"
    )
    keep_workspaces: bool = Field(default=False, description="leave the workspaces on disk")
    min_tasks_for_interval: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        default=None, description="below so many tasks a mean has no interval"
    )
    plugins: tuple[Title, ...] = Field(
        default=(), description="Python modules to import before a run; not supported by `run` yet"
    )
    tags: dict[str, Annotated[RawNode, Raw(TagBlock, NoneType)]] = Field(
        default_factory=dict,
        description="tag to what is said of it; when any is declared, tasks can have no other",
    )
    concurrency_groups: dict[str, Annotated[int, Field(ge=1, le=MOST_AT_ONCE)]] = Field(
        default_factory=dict, description="name to how many trials of such tasks may run at once"
    )
    arms: Annotated[
        tuple[Annotated[RawNode, Raw(Id, ArmBlock)], ...],
        Field(min_length=1, description="arms, or names of harnesses"),
    ]
    default_arms: Annotated[tuple[Id, ...], Field(min_length=1)] | None = Field(
        default=None, description="ids of the arms that run unless `--arm` names others; all when left out"
    )
    defaults: Annotated[
        RawNode | None, Raw(DefaultsBlock), Field(description="what all tasks have in common")
    ] = None
    tasks: Annotated[
        tuple[Annotated[RawNode, Raw(NonEmpty, NativeTask)], ...],
        Field(min_length=1, description="tasks, or paths and globs of task files, relative to this file"),
    ]
