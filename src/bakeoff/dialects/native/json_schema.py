"""The JSON Schemas of native suites and task files."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from bakeoff.checks import registry
from bakeoff.dialects.check_schema import one_of_words, own_properties, own_required
from bakeoff.dialects.field_types import Command
from bakeoff.dialects.json_schema import Override, Schema, SchemaBuilder
from bakeoff.dialects.native.blocks import Commands, FolderBlock, GitBlock, SetupBlock
from bakeoff.dialects.native.checks import takes_list
from bakeoff.dialects.native.schema import ArmBlock, CheckEntry, DefaultsBlock, Empty, NativeSuite, NativeTask
from bakeoff.harness import registry as registry_of_harnesses

_NULL: Schema = {"type": "null"}


def suite_schema() -> Schema:
    """What a native suite can hold."""
    return _builder().document(NativeSuite, "A native Bakeoff suite")


def task_schema() -> Schema:
    """What a file that a native suite lists can hold; `start` and `checks` may come from its defaults."""
    return _builder().document(NativeTask, "A task of a native Bakeoff suite")


def _builder() -> SchemaBuilder:
    keys = {"checks": _checks, "start": _start, "setup": _setup, "options": _options}
    overrides: dict[tuple[type[BaseModel], str], Override] = {
        (shape, key): override for shape in (NativeTask, DefaultsBlock) for key, override in keys.items()
    }
    return SchemaBuilder(overrides={**overrides, (NativeSuite, "arms"): _arms})


def _arms(builder: SchemaBuilder) -> Schema:
    """The list of arms: a word is a harness, and `harness` says which options there are."""
    arm = builder.reference(ArmBlock)
    chosen = [
        {
            "if": {"properties": {"harness": {"const": name}}, "required": ["harness"]},
            "then": {"properties": {"options": {"anyOf": [builder.reference(adapter.Options), _NULL]}}},
        }
        for name, adapter in registry_of_harnesses.HARNESSES.items()
    ]
    return {
        "type": "array",
        "items": {"anyOf": [{"type": "string"}, {**arm, "allOf": chosen}]},
        "minItems": 1,
    }


def _options(builder: SchemaBuilder) -> Schema:
    """Options by harness."""
    known = registry_of_harnesses.HARNESSES.items()
    return {
        "type": "object",
        "properties": {
            name: {"anyOf": [builder.reference(adapter.Options), _NULL]} for name, adapter in known
        },
        "additionalProperties": {"type": ["object", "null"]},
    }


def _start(builder: SchemaBuilder) -> Schema:
    """Where a task starts; a task may say but a part of it, and its suite's defaults the rest."""
    properties = {**builder.properties(FolderBlock), **builder.properties(GitBlock)}
    mapping = {"type": "object", "properties": properties, "additionalProperties": False}
    return {"anyOf": [builder.value(Empty), mapping]}


def _setup(builder: SchemaBuilder) -> Schema:
    """Commands, or a mapping; its commands may come from the defaults."""
    mapping = {
        "type": "object",
        "properties": builder.properties(SetupBlock),
        "additionalProperties": False,
    }
    return {"anyOf": [builder.value(Command), builder.value(Commands), mapping]}


def _checks(builder: SchemaBuilder) -> Schema:
    """The list of checks: each is known by the one key that names it."""
    if "checks" not in builder.definitions:
        builder.definitions["checks"] = {}
        bare = [
            kind for kind in registry.CHECKS if not own_required(kind) and not own_properties(kind, builder)
        ]
        entries = [entry for kind in registry.CHECKS for entry in _entries(kind, builder)]
        builder.definitions["checks"] = {
            "type": "array",
            "items": {"anyOf": [*entries, *([{"enum": bare}] if bare else [])]},
        }
    return {"$ref": "#/$defs/checks"}


def _entries(kind: str, builder: SchemaBuilder) -> Iterator[Schema]:
    """One check: with its keys below its name, or in the short form with its keys beside."""
    own, required = own_properties(kind, builder), own_required(kind)
    below: Schema = {"type": "object", "properties": own, "additionalProperties": False}
    if required:
        below["required"] = required
    yield _entry(kind, below, {}, builder)
    if len(required) == 1:
        main = required[0]
        beside = {key: value for key, value in own.items() if key != main}
        value = own[main]
        if takes_list(kind, main):
            value = {"anyOf": [value["items"], value]}
        yield _entry(kind, value, beside, builder)
    elif not required:
        yield _entry(kind, {"type": "null"}, own, builder)


def _entry(kind: str, value: Schema, beside: dict[str, Schema], builder: SchemaBuilder) -> Schema:
    # A key beside may have the name of another check; the one that names this one wins.
    builder.reference(CheckEntry)
    shared = {key: {"$ref": f"#/$defs/CheckEntry/properties/{key}"} for key in CheckEntry.model_fields}
    properties = {**beside, **shared, kind: one_of_words(value, kind)}
    return {"type": "object", "properties": properties, "required": [kind], "additionalProperties": False}
