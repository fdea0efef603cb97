"""Turns nodes into border classes: each value is read as its field's type expects, then validated.

A border class is a pydantic model whose fields are YAML keys. The types that it may use
are the ones below in `_reader`; a type that is not among them is a bug in Bakeoff.
"""

from __future__ import annotations

import difflib
import functools
import os
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, PlainValidator, ValidationError

from bakeoff.dialects.nodes import Entry, Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.scalars import (
    BROKEN,
    read_boolean,
    read_choice,
    read_number,
    read_text,
    read_untyped,
    read_whole_number,
    refuse_empty,
)
from bakeoff.dialects.wording import explained

Shape = TypeVar("Shape", bound=BaseModel)


class Raw:
    """Marks a field that keeps its node: the dialect reads it itself.

    Attributes:
        alternatives: the types of what may be written there; none means anything.
    """

    def __init__(self, *alternatives: object) -> None:
        self.alternatives = alternatives


def as_it_is(value: object) -> object:
    """The value of a field that pydantic does not look into."""
    return value


RawNode = Annotated[Node, PlainValidator(as_it_is), Raw()]


class Leftovers:
    """Marks the one field, a dict of nodes, that receives every key that no other field has."""


_Reader = Callable[[Node, str, Problems], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    """How one key of a shape is read."""

    key: str
    read: _Reader
    required: bool
    nullable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """How the keys of a shape are read."""

    fields: dict[str, _Field]
    leftovers: str | None


def read_shape(node: Node, shape: type[Shape], problems: Problems, name: str = "") -> Shape | None:
    """The node as an instance of `shape`; what is wrong with it is recorded.

    Where only optional fields are wrong, the instance has their defaults, so that the search
    for problems can go on; else it is None. `name` is what messages call the node.
    """
    if not isinstance(node, Mapping):
        hint = f"write its keys below it: {', '.join(list(_plan(shape).fields)[:6])}"
        what = f"`{name}`" if name else "the file"
        problems.error(node.where, f"{what} must be a mapping, not {node.kind}", hint)
        return None
    plan = _plan(shape)
    prefix = f"{name}." if name else ""
    values, broken = _read_entries(node, plan, prefix, problems)
    try:
        return shape.model_validate(values)
    except ValidationError as error:
        wrong = _report(error, node, broken, prefix, problems)
    # What is left still says enough to find further problems, in this file and in others.
    try:
        return shape.model_validate({key: value for key, value in values.items() if key not in wrong})
    except ValidationError:
        return None


def read_field(annotation: Any, node: Node, name: str, problems: Problems) -> object:
    """A single value as `annotation` expects it; by its looks where that says nothing about YAML."""
    try:
        read = _reader(annotation)
    except TypeError:
        read = read_untyped
    return read(node, name, problems)


def _read_entries(
    node: Mapping, plan: _Plan, prefix: str, problems: Problems
) -> tuple[dict[str, object], set[str]]:
    """The values that could be read, and the keys that could not."""
    values: dict[str, object] = {}
    broken: set[str] = set()
    leftovers: dict[str, Node] = {}
    for entry in node:
        key = entry.key.text
        known = plan.fields.get(key)
        if known is None:
            if plan.leftovers is None:
                _unknown_key(entry, plan.fields, prefix, problems)
                # One complaint about a key that is misspelt is enough: it is not missing as well.
                broken |= {key, *difflib.get_close_matches(key, plan.fields, n=1)}
            leftovers[key] = entry.value
        elif isinstance(entry.value, Scalar) and entry.value.is_null and not known.nullable:
            # A key with nothing behind it says nothing: the default holds.
            if known.required:
                refuse_empty(entry.value, prefix + key, problems)
                broken.add(key)
        else:
            value = known.read(entry.value, prefix + key, problems)
            if value is BROKEN:
                broken.add(key)
            else:
                values[key] = value
    if plan.leftovers is not None:
        values[plan.leftovers] = leftovers
    return values, broken


def _unknown_key(entry: Entry, known: Iterable[str], prefix: str, problems: Problems) -> None:
    key = entry.key.text
    problems.error(entry.key.where, f"unknown key {quoted(prefix + key)}", suggestion(key, known))


def _report(
    error: ValidationError, node: Mapping, broken: set[str], prefix: str, problems: Problems
) -> set[str]:
    """Record what pydantic found, except what was recorded before; the keys that are wrong."""
    wrong = set()
    items = error.errors(include_url=False)
    for item in items:
        path = item["loc"]
        key = str(path[0]) if path else ""
        wrong.add(key)
        if key in broken or (not path and broken):
            continue
        if item["type"] == "too_short" and any(path == other["loc"][:-1] for other in items):
            continue  # it has entries, which are wrong
        # What a validator of the whole mapping says names the fields itself.
        name = prefix + ".".join(str(part) for part in path if isinstance(part, str)) if path else ""
        problems.error(node.at(*path).where, *explained(cast("Any", item), name))
    return wrong


@functools.cache
def _plan(shape: type[BaseModel]) -> _Plan:
    fields: dict[str, _Field] = {}
    leftovers = None
    for field_name, info in shape.model_fields.items():
        key = info.alias or field_name
        if any(isinstance(mark, Leftovers) for mark in info.metadata):
            leftovers = key
            continue
        annotation: Any = info.annotation
        # Pydantic takes an annotation and its marks apart; this mark decides how to read.
        if any(isinstance(mark, Raw) for mark in info.metadata):
            annotation = RawNode
        fields[key] = _Field(
            key=key,
            read=_reader(annotation),
            required=info.is_required(),
            nullable=annotation in {Any, object},
        )
    return _Plan(fields=fields, leftovers=leftovers)


def _reader(annotation: Any) -> _Reader:
    """The function that reads values of a type."""
    simple: dict[Any, _Reader] = {
        str: read_text,
        bool: read_boolean,
        int: read_whole_number,
        float: read_number,
        Path: _read_path,
        Any: read_untyped,
        object: read_untyped,
    }
    if annotation in simple:
        return simple[annotation]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _marked_reader(arguments[0], arguments[1:])
    if origin in {Union, types.UnionType}:
        inner = [each for each in arguments if each is not types.NoneType]
        if len(inner) == 1:
            return _reader(inner[0])
    if origin is Literal:
        return functools.partial(_read_literal, tuple(str(each) for each in arguments))
    if origin in {tuple, list}:
        return functools.partial(_read_items, _reader(arguments[0]))
    if origin is dict:
        return functools.partial(_read_values, _reader(arguments[1]))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return functools.partial(_read_nested, annotation)
    msg = f"no YAML value is read as {annotation!r}"
    raise TypeError(msg)


def _marked_reader(annotation: Any, marks: tuple[object, ...]) -> _Reader:
    if any(isinstance(mark, Raw) for mark in marks):
        return _keep
    # What such a validator takes need not look like what it makes of it.
    return read_untyped if any(isinstance(mark, BeforeValidator) for mark in marks) else _reader(annotation)


def _keep(node: Node, _name: str, _problems: Problems) -> object:
    return node


def _read_path(node: Node, name: str, problems: Problems) -> object:
    """An absolute path; a relative one begins at the directory of its file."""
    text = read_text(node, name, problems)
    return Path(os.path.realpath(node.file.parent / text)) if isinstance(text, str) else text


def _read_literal(choices: tuple[str, ...], node: Node, name: str, problems: Problems) -> object:
    return read_choice(node, choices, name, problems)


def _read_items(read: _Reader, node: Node, name: str, problems: Problems) -> object:
    if not isinstance(node, Sequence):
        hint = "write one entry per line, each beginning with `- `"
        if isinstance(node, Scalar):
            hint = f"write `{name.rpartition('.')[2]}: [{node.text}]`"
        problems.error(node.where, f"`{name}` must be a list, not {node.kind}", hint)
        return BROKEN
    items = [read(item, name, problems) for item in node.items]
    return BROKEN if any(item is BROKEN for item in items) else tuple(items)


def _read_values(read: _Reader, node: Node, name: str, problems: Problems) -> object:
    if not isinstance(node, Mapping):
        problems.error(node.where, f"`{name}` must be a mapping, not {node.kind}")
        return BROKEN
    found = {entry.key.text: read(entry.value, f"{name}.{entry.key.text}", problems) for entry in node}
    return BROKEN if any(value is BROKEN for value in found.values()) else found


def _read_nested(shape: type[BaseModel], node: Node, name: str, problems: Problems) -> object:
    made = read_shape(node, shape, problems, name)
    return BROKEN if made is None else made
