"""The YAML of Harness Lab suites, experiments and variants: fields, defaults and bounds."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, PlainValidator

from bakeoff.dialects.field_types import Id, OuterPath, Shape, Title
from bakeoff.dialects.nodes import Node
from bakeoff.dialects.shapes import Leftovers, RawNode, as_it_is

MOST_REPETITIONS = 10_000
MOST_AT_ONCE = 1_000

Nodes = Annotated[dict[str, Node], PlainValidator(as_it_is), Leftovers()]


class SuiteFile(Shape):
    """A suite: tasks, and the variants to run them under."""

    name: Title
    description: str = ""
    plugins: tuple[Title, ...] = ()
    tasks: Annotated[tuple[OuterPath, ...], Field(min_length=1)]
    variants: tuple[RawNode, ...] = ()
    defaults: dict[str, RawNode] = Field(default_factory=dict)


class ExperimentFile(Shape):
    """An experiment: a suite, with what this experiment changes about it."""

    suite: OuterPath
    name: Title | None = None
    description: str = ""
    repetitions: Annotated[int, Field(ge=1, le=MOST_REPETITIONS)] = 1
    parallelism: Annotated[int, Field(ge=1, le=MOST_AT_ONCE)] = 1
    variants: tuple[RawNode, ...] = ()
    tasks: Annotated[tuple[Id, ...], Field(min_length=1)] | None = None
    keep_worktrees: bool = False
    plugins: tuple[Title, ...] = ()


class VariantBlock(Shape):
    """A variant: a runner with a model, and every other key an option of the runner."""

    id: Id
    runner: Id
    model: Title | None = None
    description: str = ""
    harness: OuterPath | None = None
    harness_version: Title | None = None
    model_provider: Title | None = None
    context_policy: Any = None
    tool_policy: Any = None
    skill_version: Title | None = None
    options: Nodes
