"""The YAML of Harness Lab suites, experiments and variants: fields, defaults and bounds."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, PlainValidator

from bakeoff.dialects.field_types import Id, OuterPath, Shape, Title
from bakeoff.dialects.nodes import Node
from bakeoff.dialects.shapes import Leftovers, RawNode, as_it_is
from bakeoff.model.bounds import MOST_AT_ONCE, MOST_REPETITIONS

Nodes = Annotated[dict[str, Node], PlainValidator(as_it_is), Leftovers()]


class SuiteFile(Shape):
    """A suite: tasks, and the variants to run them under."""

    name: Title = Field(description="what people call it")
    description: str = Field(default="", description="for people")
    plugins: tuple[Title, ...] = Field(
        default=(),
        description="Python modules to import before a run; `validate` does not import them, `run` does not support them yet",
    )
    tasks: Annotated[
        tuple[OuterPath, ...], Field(min_length=1, description="task files, relative to this file")
    ]
    variants: tuple[RawNode, ...] = Field(
        default=(),
        description="variants, or ids of built-in ones (`fake-reference`, `fake-noop`, `codex-default`, `claude-default`); they run unless an experiment or the command line selects others, and `fake-reference` when there are none",
    )
    defaults: dict[str, RawNode] = Field(
        default_factory=dict,
        description="runner, or `*` for all, to options that its variants leave out; those of the runner come first",
    )


class ExperimentFile(Shape):
    """An experiment: a suite, with what this experiment changes about it."""

    suite: OuterPath = Field(
        description="a suite file, relative to this file, or the name of a bundled suite"
    )
    name: Title | None = Field(default=None, description="what people call it")
    description: str = Field(default="", description="for people")
    repetitions: Annotated[
        int, Field(ge=1, le=MOST_REPETITIONS, description="trials of each task under each variant")
    ] = 1
    parallelism: Annotated[int, Field(ge=1, le=MOST_AT_ONCE, description="trials at once")] = 1
    variants: tuple[RawNode, ...] = Field(
        default=(),
        description="as in a suite; they take the place of the suite's selection, and of variants with the same id",
    )
    tasks: Annotated[tuple[Id, ...], Field(min_length=1)] | None = Field(
        default=None, description="ids of the tasks to run; all when it is left out"
    )
    keep_worktrees: bool = Field(default=False, description="leave the workspaces on disk")
    plugins: tuple[Title, ...] = Field(default=(), description="added to those of the suite")


class VariantBlock(Shape):
    """A variant: a runner with a model, and every other key an option of the runner.

    An option that a built-in runner does not know is a warning: it is recorded, and not used.
    """

    id: Id = Field(description="unique; may be that of a built-in variant, which it replaces")
    runner: Id = Field(description="`fake`, `generic`, `codex`, `claude`, or the name that a plugin gives")
    model: Title | None = Field(default=None, description="the model to ask for")
    description: str = Field(default="", description="for people")
    harness: OuterPath | None = Field(
        default=None,
        description="a harness bundle: a directory, relative to this file; not supported by `run` yet",
    )
    harness_version: Title | None = Field(default=None, description="recorded only")
    model_provider: Title | None = Field(default=None, description="recorded only")
    context_policy: Any = Field(default=None, description="recorded only")
    tool_policy: Any = Field(default=None, description="recorded only")
    skill_version: Title | None = Field(default=None, description="recorded only")
    options: Nodes
