"""The JSON Schema of ablate tasks."""

from __future__ import annotations

from bakeoff.checks import registry
from bakeoff.dialects.ablate.schema import ASSERTIONS, AblateTask
from bakeoff.dialects.check_schema import own_properties, own_required
from bakeoff.dialects.json_schema import Schema, SchemaBuilder
from bakeoff.model.check import Check


def task_schema() -> Schema:
    """What a file of `.ablate/tasks` can hold."""
    builder = SchemaBuilder(overrides={(AblateTask, "assert"): _assertions})
    return builder.document(AblateTask, "An ablate task")


def _assertions(builder: SchemaBuilder) -> Schema:
    """The list of assertions: `type` says which keys stand beside it."""
    entries = [_of_type(name, builder.mapping(shape)) for name, shape in ASSERTIONS.items()]
    entries += [
        _of_type(kind, _of_check(kind, builder)) for kind in registry.CHECKS if kind not in ASSERTIONS
    ]
    return {"type": "array", "items": {"anyOf": entries}, "minItems": 1}


def _of_type(name: str, schema: Schema) -> Schema:
    return {
        **schema,
        "properties": {**schema["properties"], "type": {"const": name}},
        "required": list(dict.fromkeys([*schema.get("required", ()), "type"])),
    }


def _of_check(kind: str, builder: SchemaBuilder) -> Schema:
    return {
        "type": "object",
        "properties": {**builder.properties(Check), **own_properties(kind, builder)},
        "required": ["id", *own_required(kind)],
        "additionalProperties": False,
    }
