"""The trajectory as a file: JSON lines, first what holds for the whole, then one line for each step.

The file is strict JSON in ASCII. What JSON cannot hold is written as text: NaN and infinity
by name, and arguments nested beyond 100 levels as a note that they were.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any

from bakeoff.model.trajectory import (
    ApiError,
    Denial,
    Finish,
    Message,
    Provenance,
    Retry,
    Roster,
    Step,
    Subagent,
    ToolCall,
    Trajectory,
    Usage,
)

SCHEMA = "bakeoff.trajectory"
VERSION = 1
_DEEPEST = 100
_KINDS: Mapping[str, type[Message | ToolCall]] = {"message": Message, "tool_call": ToolCall}

RedactText = Callable[[str], str]


class UnreadableTrajectory(ValueError):
    """The bytes are not a trajectory that this version can read."""


def dump_trajectory(trajectory: Trajectory, redact: RedactText | None = None) -> bytes:
    """The file's content; `redact` is applied to every text before it is escaped for JSON."""
    keep = redact or str
    whole = {"schema": SCHEMA, "version": VERSION, **_fields(trajectory, keep, leave_out="steps")}
    steps = [{"step": _kind_of(step), **_fields(step, keep)} for step in trajectory.steps]
    return b"".join(_line(line) for line in (whole, *steps))


def parse_trajectory(data: bytes) -> Trajectory:
    """The trajectory of a file's content; UnreadableTrajectory when it is none."""
    try:
        whole, *steps = [json.loads(line) for line in data.splitlines() if line.strip()]
        return _trajectory(whole, steps)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UnreadableTrajectory(f"not a trajectory of version {VERSION}: {error}") from error


def _trajectory(whole: dict[str, Any], steps: Iterable[dict[str, Any]]) -> Trajectory:
    if whole.pop("schema", None) != SCHEMA or whole.pop("version", None) != VERSION:
        raise UnreadableTrajectory("its first line names another format or version")
    read: dict[str, Callable[[Any], Any]] = {
        "finish": lambda value: None if value is None else Finish(value),
        "usage": lambda value: Usage(**value),
        "usage_source": Provenance,
        "usage_by_model": lambda value: {model: Usage(**usage) for model, usage in value.items()},
        "cost_source": Provenance,
        "roster": lambda value: None if value is None else _roster(value),
        "denials": lambda value: tuple(Denial(**item) for item in value),
        "retries": lambda value: tuple(Retry(**item) for item in value),
        "api_error": lambda value: None if value is None else ApiError(**value),
        "subagents": lambda value: tuple(Subagent(**item) for item in value),
    }
    fields = {name: read[name](value) if name in read else _frozen(value) for name, value in whole.items()}
    return Trajectory(steps=tuple(_step(step) for step in steps), **fields)


def _roster(value: dict[str, Any]) -> Roster:
    fields: dict[str, Any] = {name: _frozen(item) for name, item in value.items()}
    return Roster(**fields)


def _frozen(value: Any) -> Any:
    """A list as the tuple it was: the model has no lists."""
    return tuple(value) if isinstance(value, list) else value


def _step(line: dict[str, Any]) -> Step:
    return _KINDS[line.pop("step")](**line)


def _kind_of(step: Step) -> str:
    return next(name for name, kind in _KINDS.items() if isinstance(step, kind))


def _line(line: Mapping[str, object]) -> bytes:
    return json.dumps(line, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"


def _fields(value: Any, redact: RedactText, *, leave_out: str = "", depth: int = 0) -> dict[str, object]:
    return {
        item.name: _plain(getattr(value, item.name), redact, depth + 1)
        for item in dataclasses.fields(value)
        if item.name != leave_out
    }


def _plain(value: object, redact: RedactText, depth: int) -> object:
    """`value` as what strict JSON holds, every text redacted."""
    if depth > _DEEPEST:
        return "(nested too deeply to be kept)"
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return redact(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {redact(str(key)): _plain(item, redact, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, redact, depth + 1) for item in value]
    return _fields(value, redact, depth=depth)
