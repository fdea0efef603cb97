"""The JSON Schemas of Bakeoff's own checks, by the keys that each has in every format."""

from __future__ import annotations

from bakeoff.checks import registry
from bakeoff.dialects.json_schema import Schema, SchemaBuilder
from bakeoff.model.check import Check

SHARED = tuple(Check.model_fields)
"""The keys of every check."""


def own_properties(kind: str, builder: SchemaBuilder) -> dict[str, Schema]:
    """The schema of each key that only this kind of check has."""
    check = registry.CHECKS[kind]
    own = [name for name in check.model_fields if name not in SHARED]
    return {check.model_fields[name].alias or name: builder.key(check, name) for name in own}


def own_required(kind: str) -> list[str]:
    """The keys of a kind of check that must be written."""
    fields = registry.CHECKS[kind].model_fields.items()
    return [info.alias or name for name, info in fields if info.is_required() and name not in SHARED]


def one_of_words(schema: Schema, kind: str) -> Schema:
    """A schema with the summary of a check as its description."""
    summary = (registry.CHECKS[kind].__doc__ or "").strip().partition("\n")[0]
    return {**schema, "description": summary}
