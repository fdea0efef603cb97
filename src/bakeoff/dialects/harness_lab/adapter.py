"""Asks the adapter of a runner about options: which it has, how they are read, which values it takes."""

from __future__ import annotations

from collections.abc import Mapping as Options
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from bakeoff.dialects.harness_lab.options import HARNESSES, NOT_YET
from bakeoff.dialects.nodes import Mapping, Node
from bakeoff.dialects.problems import Problems
from bakeoff.dialects.shapes import read_field
from bakeoff.dialects.wording import explained
from bakeoff.harness import registry


def adapter_options(runner: str) -> type[BaseModel] | None:
    """The options class of a runner's adapter; None when that is a plugin's, or not built yet."""
    adapter = registry.HARNESSES.get(HARNESSES.get(runner, runner))
    return adapter.Options if adapter is not None else None


def has_option(runner: str, name: str) -> bool:
    """Whether the adapter has an option."""
    options = adapter_options(runner)
    return options is not None and name in options.model_fields


def read_option(runner: str, name: str, node: Node, problems: Problems) -> object:
    """The value of an option that the format itself does not know, as the adapter's class expects it."""
    options = adapter_options(runner)
    annotation = options.model_fields[name].annotation if options and has_option(runner, name) else Any
    return read_field(annotation, node, name, problems)


def check_values(runner: str, node: Mapping, values: Options[str, object], problems: Problems) -> None:
    """Record every value of the variant `node` that its adapter refuses."""
    options = adapter_options(runner)
    if options is None:
        return
    try:
        options.model_validate(
            {name: value for name, value in values.items() if name not in NOT_YET},
            context={"folder": node.file.parent},
        )
    except ValidationError as error:
        for item in error.errors(include_url=False):
            path = [part for part in item["loc"] if isinstance(part, str | int)]
            message, hint = explained(cast("Any", item), str(path[0]) if path else "")
            problems.error(node.at(*path).where, message, hint)
