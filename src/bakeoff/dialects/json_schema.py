"""Makes JSON Schemas of border classes: the rules by which `shapes` reads YAML, for editors.

A text may be written as any single value, since the loader takes its source text; a key of
which nothing is needed may be empty. Rules that no JSON Schema can tell, such as whether a
file exists, are left to `bakeoff validate`.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic import AfterValidator, BaseModel, BeforeValidator
from pydantic.fields import FieldInfo

from bakeoff.dialects import field_types
from bakeoff.dialects.scalars import read_untyped
from bakeoff.dialects.shapes import Leftovers, Raw

Schema = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"

TEXT: Schema = {"type": ["string", "number", "boolean"]}
"""What the loader reads as text: the source text of any single value."""

_TRUTHS: Schema = {"enum": [True, False, "yes", "no", "on", "off"]}
_SOME_TEXT = {"pattern": r"\S"}
_OF_RULES: dict[object, Schema] = {
    field_types.check_id: {"pattern": r"^(?![.-])[^\s/\\,*?\[\]{}]{1,100}$"},
    field_types.check_command: _SOME_TEXT,
    field_types.check_text: _SOME_TEXT,
    field_types.check_one_line: {"pattern": r"^[^\n\r]*\S[^\n\r]*$"},
    field_types.check_glob: {"minLength": 1},
    field_types.check_regex: {"minLength": 1},
    field_types.check_inner_path: {"pattern": r"^(?!/|\.\./|\.\.?$).*\S"},
}
"""What the validators of fields demand, as far as a JSON Schema can say it."""


Override = Callable[["SchemaBuilder"], Schema]
"""Makes the schema of a key whose value a dialect reads itself."""


@dataclass(slots=True)
class SchemaBuilder:
    """Collects the definitions of all classes that one schema refers to.

    Attributes:
        overrides: class and key to what the schema of that key is, where a dialect reads the
            value itself.
        definitions: what `$defs` of the whole holds.
    """

    overrides: Mapping[tuple[type[BaseModel], str], Override] = field(default_factory=dict)
    definitions: dict[str, Schema] = field(default_factory=dict)

    def document(self, shape: type[BaseModel], title: str) -> Schema:
        """The schema of a whole file."""
        return self.finished(self.mapping(shape), title)

    def finished(self, schema: Schema, title: str) -> Schema:
        """A schema with its head and with the definitions that it refers to."""
        definitions = {"$defs": self.definitions} if self.definitions else {}
        return {"$schema": DRAFT, "title": title, **schema, **definitions}

    def reference(self, shape: type[BaseModel]) -> Schema:
        """A reference to the definition of a class, which is made when it is not there yet."""
        name = shape.__name__
        if name not in self.definitions:
            self.definitions[name] = {}  # a class may hold itself
            self.definitions[name] = self.mapping(shape)
        return {"$ref": f"#/$defs/{name}"}

    def mapping(self, shape: type[BaseModel]) -> Schema:
        """The schema of the mapping that a class is read from."""
        leftovers = [info for info in shape.model_fields.values() if _has(info.metadata, Leftovers)]
        properties = self.properties(shape)
        required = [
            info.alias or name
            for name, info in shape.model_fields.items()
            if info.is_required() and info not in leftovers
        ]
        return {
            "type": "object",
            "description": inspect.cleandoc(shape.__doc__ or ""),
            "properties": properties,
            **({"required": required} if required else {}),
            "additionalProperties": bool(leftovers) or shape.model_config.get("extra") == "allow",
        }

    def properties(self, shape: type[BaseModel]) -> dict[str, Schema]:
        """The schema of each key."""
        return {
            info.alias or name: self.key(shape, name)
            for name, info in shape.model_fields.items()
            if not _has(info.metadata, Leftovers)
        }

    def key(self, shape: type[BaseModel], name: str) -> Schema:
        """The schema of one key, with its description; empty is allowed where nothing is needed."""
        info = shape.model_fields[name]
        override = self.overrides.get((shape, info.alias or name))
        schema = override(self) if override else self.value(info.annotation, info.metadata)
        if not info.is_required():
            schema = _or_empty(schema)
        notes: Schema = {"description": info.description} if info.description else {}
        if isinstance(info.default, bool | int | float | str) and info.default != "":
            notes["default"] = info.default
        return {**schema, **notes}

    def value(self, annotation: Any, marks: Iterable[Any] = ()) -> Schema:
        """The schema of a value of a type with the marks that stand beside the type."""
        marks = list(_flat(marks))
        raw = [mark for mark in marks if isinstance(mark, Raw)]
        if raw:
            chosen = next((mark.alternatives for mark in reversed(raw) if mark.alternatives), ())
            return self.any_of(self.value(each) for each in chosen) if chosen else {}
        if _has(marks, BeforeValidator):
            return {}
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self.value(arguments[0], [*arguments[1:], *marks])
        if origin in {Union, types.UnionType}:
            inner = [each for each in arguments if each is not types.NoneType]
            return self.any_of(self.value(each, marks) for each in inner)
        return {**self._plain(annotation, origin, arguments), **_bounds(marks)}

    def any_of(self, schemas: Iterable[Schema]) -> Schema:
        """What fits any of some schemas."""
        each = list(schemas)
        return each[0] if len(each) == 1 else {"anyOf": each}

    def _plain(self, annotation: Any, origin: Any, arguments: tuple[Any, ...]) -> Schema:
        simple = {str: TEXT, Path: TEXT, bool: _TRUTHS, int: {"type": "integer"}, float: {"type": "number"}}
        if annotation is types.NoneType:
            return {"type": "null"}
        if annotation in simple:
            return dict(simple[annotation])
        if origin is Literal:
            return {"enum": [spelling for each in arguments for spelling in _spellings(str(each))]}
        if origin in {tuple, list}:
            return {"type": "array", "items": self.value(arguments[0])}
        if origin is dict:
            return {"type": "object", "additionalProperties": self.value(arguments[1])}
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            return self.reference(annotation)
        return {}


def _spellings(word: str) -> list[object]:
    """A word, and the number or truth that other readers of YAML take it for."""
    from bakeoff.dialects.nodes import Scalar
    from bakeoff.dialects.problems import Problems

    scalar = Scalar(file=Path("/"), line=1, column=1, text=word, plain=True)
    other = read_untyped(scalar, "", Problems(cwd=Path("/")))
    return [word] if other == word else [word, other]


def _or_empty(schema: Schema) -> Schema:
    if not schema:
        return schema
    if isinstance(schema.get("type"), str | list):
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return {**schema, "type": [*kinds, "null"]}
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    return {"anyOf": [schema, {"type": "null"}]}


def _has(marks: Iterable[Any], kind: type) -> bool:
    return any(isinstance(mark, kind) for mark in marks)


def _flat(marks: Iterable[Any]) -> Iterable[Any]:
    """The marks, with those that a field holds in its turn."""
    for mark in marks:
        if isinstance(mark, FieldInfo):
            yield from _flat(mark.metadata)
        else:
            yield mark


def _bounds(marks: Iterable[Any]) -> Schema:
    """The bounds that marks set."""
    found: Schema = {}
    for mark in marks:
        if isinstance(mark, annotated_types.Gt):
            found["exclusiveMinimum"] = mark.gt
        elif isinstance(mark, annotated_types.Ge):
            found["minimum"] = mark.ge
        elif isinstance(mark, annotated_types.Le):
            found["maximum"] = mark.le
        elif isinstance(mark, annotated_types.MinLen):
            found["minItems"] = found["minLength"] = mark.min_length
        elif isinstance(mark, AfterValidator):
            found |= _OF_RULES.get(mark.func, {})
    return found
