"""Whether two suites mean the same, wherever and in whatever format they are written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path

from pydantic import BaseModel

from bakeoff.dialects.native.agent_paths import located_options
from bakeoff.harness import registry
from bakeoff.model.check import Check
from bakeoff.model.suite import RUNNER, Arm, FolderStart, GitStart, Suite, Task, Unsupported

_WHERE_IT_STANDS = frozenset({"where", "path", "other_paths", "dialect", "warnings"})


def differences(one: Suite, other: Suite) -> tuple[str, ...]:
    """The names of everything that differs; empty when both mean the same.

    A start of `other` may hide more: a file hides itself where it is part of the starting files.
    """
    return tuple(_differing(_meaning(one), _meaning(other), ""))


def _differing(one: object, other: object, name: str) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys([*one, *other]):
            below = f"{name}.{key}" if name else str(key)
            yield from _differing(one.get(key), other.get(key), below)
    elif isinstance(one, list) and isinstance(other, list):
        if name.endswith(".hide"):
            other = other[: len(one)]
        if len(one) != len(other):
            yield name
        for index, (mine, its) in enumerate(zip(one, other, strict=False)):
            yield from _differing(mine, its, f"{name}[{index}]")
    elif type(one) is not type(other) or one != other:
        yield name


def _meaning(value: object) -> object:
    """A value as dicts, lists and single values, without places."""
    if isinstance(value, BaseModel) or (is_dataclass(value) and not isinstance(value, type)):
        return _of_object(value)
    if isinstance(value, Path):
        return os.path.realpath(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): _meaning(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_meaning(item) for item in value]
    return value


def _of_object(value: object) -> object:
    if isinstance(value, Check):
        return {"check": value.type_name, **_of_model(value)}
    if isinstance(value, BaseModel):
        return _of_model(value)
    if isinstance(value, Arm):
        options = _meaning(located_options(value))
        return {**_of_dataclass(value), "options": options, "unsupported": _later_options(value)}
    if isinstance(value, Task):
        # They are told in the order of their places.
        return {**_of_dataclass(value), "unsupported": sorted(item.field for item in value.unsupported)}
    if isinstance(value, GitStart | FolderStart):
        return {"kind": type(value).__name__, **_of_dataclass(value)}
    return value.field if isinstance(value, Unsupported) else _of_dataclass(value)


def _of_model(model: BaseModel) -> dict[str, object]:
    return {name: _meaning(getattr(model, name)) for name in type(model).model_fields}


def _of_dataclass(value: object) -> dict[str, object]:
    assert is_dataclass(value)
    return {
        item.name: _meaning(getattr(value, item.name))
        for item in fields(value)
        if item.name not in _WHERE_IT_STANDS
    }


def _later_options(arm: Arm) -> object:
    """The options that `run` refuses; of a harness that cannot be run at all, nothing is asked."""
    if arm.harness not in registry.HARNESSES:
        return []
    return sorted(item.field for item in arm.unsupported if item.field != RUNNER)
