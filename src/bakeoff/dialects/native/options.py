"""Reads the options of a harness as its adapter's class expects them."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import NoneType
from typing import Any, cast, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from bakeoff.dialects.nodes import Mapping, Node, Scalar
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.scalars import BROKEN, read_untyped
from bakeoff.dialects.shapes import read_field
from bakeoff.dialects.wording import explained
from bakeoff.harness import registry
from bakeoff.model.suite import Unsupported


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """Options that could be read, and those of them that `run` cannot honour yet."""

    values: dict[str, object] = field(default_factory=dict)
    unsupported: tuple[Unsupported, ...] = ()


def read_options(harness: str, node: Node | None, name: str, problems: Problems) -> ReadOptions:
    """The options below `node`; everything that the adapter refuses is recorded at its place.

    Those of a harness that is not built yet, or that a plugin has, are taken by their looks.
    """
    if node is None:
        return ReadOptions()
    if not isinstance(node, Mapping):
        problems.error(node.where, f"`{name}` must be a mapping of options, not {node.kind}")
        return ReadOptions()
    adapter = registry.HARNESSES.get(harness)
    shape = adapter.Options if adapter is not None else None
    before = problems.error_count
    values: dict[str, object] = {}
    later = []
    for entry in node:
        key = entry.key.text
        known = shape.model_fields.get(key) if shape is not None else None
        if shape is not None and known is None and shape.model_config.get("extra") != "allow":
            hint = suggestion(key, [each for each, info in shape.model_fields.items() if not _is_later(info)])
            problems.error(entry.key.where, f"{harness} has no option {quoted(key)}", hint)
            continue
        value = _read(known, entry.value, f"{name}.{key}", problems)
        if value is BROKEN:
            continue
        values[key] = list(value) if isinstance(value, tuple) else value
        if known is not None and _is_later(known) and value is not None:
            later.append(Unsupported(field=key, where=problems.shown(entry.key.where)))
    if shape is not None and problems.error_count == before:
        refused = {item.field for item in later}
        accepted = {key: value for key, value in values.items() if key not in refused}
        _check(shape, node, accepted, name, problems)
    return ReadOptions(values=values, unsupported=tuple(later))


def _is_later(info: FieldInfo) -> bool:
    """Whether an adapter knows the option, but refuses every value."""
    return info.annotation in {None, NoneType}


def _read(info: FieldInfo | None, node: Node, name: str, problems: Problems) -> object:
    annotation: Any = info.annotation if info is not None and not _is_later(info) else Any
    if isinstance(node, Scalar) and node.is_null and NoneType in get_args(annotation):
        return None
    if info is not None and info.metadata:
        # A validator of the field itself may take what does not look like its type.
        return (
            read_untyped(node, name, problems)
            if _takes_anything(info)
            else read_field(annotation, node, name, problems)
        )
    return read_field(annotation, node, name, problems)


def _takes_anything(info: FieldInfo) -> bool:
    return any(type(mark).__name__ == "BeforeValidator" for mark in info.metadata)


def _check(
    shape: type[BaseModel], node: Mapping, values: dict[str, object], name: str, problems: Problems
) -> None:
    try:
        shape.model_validate(values, context={"folder": node.file.parent})
    except ValidationError as error:
        for item in error.errors(include_url=False):
            path = [part for part in item["loc"] if isinstance(part, str | int)]
            shown = f"{name}.{path[0]}" if path else ""
            problems.error(node.at(*path).where, *explained(cast("Any", item), shown))
