"""The JSON Schemas of the files of an agent-exam project."""

from __future__ import annotations

import functools

from pydantic import BaseModel

from bakeoff.checks import registry
from bakeoff.dialects.agent_exam.assertion_shapes import ASSERTIONS, SHORTHANDS
from bakeoff.dialects.agent_exam.config_schema import PROVIDERS, ConfigFile, TagBlock
from bakeoff.dialects.agent_exam.harness_blocks import BLOCKS
from bakeoff.dialects.agent_exam.schema import ExecuteTask, Reason, SetupBlock, SuiteFile, TriggerTask
from bakeoff.dialects.check_schema import one_of_words, own_properties, own_required
from bakeoff.dialects.json_schema import TEXT, Override, Schema, SchemaBuilder

_EMPTY: Schema = {"type": "null"}


def task_schema() -> Schema:
    """What a task can hold: it is executed, or with `kind: trigger` tells which skill fires."""
    builder = _builder()
    execute, trigger = builder.mapping(ExecuteTask), builder.mapping(TriggerTask)
    execute["properties"]["kind"] = {"enum": ["execute", None]}
    trigger["properties"]["kind"] = {"const": "trigger"}
    trigger["required"] = ["kind"]
    return builder.finished({"anyOf": [execute, trigger]}, "An agent-exam task")


def config_schema() -> Schema:
    """What `evals/config.yaml` and `evals/config.local.yaml` can hold."""
    return _builder().document(ConfigFile, "The configuration of an agent-exam project")


def suite_schema() -> Schema:
    """What `suite.yml` can hold."""
    return _builder().document(SuiteFile, "A suite of an agent-exam project")


def _builder() -> SchemaBuilder:
    blocks: dict[tuple[type[BaseModel], str], Override] = {
        (shape, name): functools.partial(_block, block)
        for shape in (ExecuteTask, TriggerTask)
        for name, block in BLOCKS.items()
    }
    return SchemaBuilder(
        overrides={
            **blocks,
            (ExecuteTask, "assertions"): _assertions,
            (TriggerTask, "positive"): _prompts,
            (TriggerTask, "negative"): _prompts,
            (SetupBlock, "env"): _environment,
            (ConfigFile, "default_harness"): lambda _: {"enum": [*BLOCKS, "fake"]},
            (ConfigFile, "tags"): _tags,
            (ConfigFile, "providers"): _providers,
        }
    )


def _block(block: type[BaseModel], builder: SchemaBuilder) -> Schema:
    return builder.reference(block)


def _environment(_: SchemaBuilder) -> Schema:
    # Not any text: what stands there without quotes must be one for every reader of YAML.
    return {"type": "object", "additionalProperties": {"type": ["string", "null"]}}


def _prompts(_: SchemaBuilder) -> Schema:
    return {"type": "array", "items": dict(TEXT)}


def _tags(builder: SchemaBuilder) -> Schema:
    return {
        "type": "object",
        "additionalProperties": {"anyOf": [builder.reference(TagBlock), _EMPTY]},
    }


def _providers(builder: SchemaBuilder) -> Schema:
    return {
        "type": "object",
        "properties": {
            name: {"anyOf": [builder.reference(shape), _EMPTY]} for name, shape in PROVIDERS.items()
        },
        "additionalProperties": False,
    }


def _assertions(builder: SchemaBuilder) -> Schema:
    """The list of assertions: each is known by the one key that is its type."""
    meta: dict[str, Schema] = {
        "known_issue": builder.value(Reason),
        "providers": {"type": "array", "items": {"enum": [*BLOCKS, "fake"]}, "minItems": 1},
    }
    kinds = {kind: _own(kind, builder) for kind in ASSERTIONS}
    kinds |= {kind: _native(kind, builder) for kind in registry.CHECKS if kind not in ASSERTIONS}
    entries = [
        {
            "type": "object",
            "properties": {**meta, kind: schema},
            "required": [kind],
            "additionalProperties": False,
        }
        for kind, schema in kinds.items()
    ]
    return {"type": "array", "items": {"anyOf": entries}, "minItems": 1}


def _own(kind: str, builder: SchemaBuilder) -> Schema:
    shape = ASSERTIONS[kind]
    if not shape.model_fields:
        return {"anyOf": [_EMPTY, {"type": "object", "maxProperties": 0}]}
    reference = builder.reference(shape)
    if kind not in SHORTHANDS:
        return reference
    return {"anyOf": [builder.key(shape, SHORTHANDS[kind]), reference]}


def _native(kind: str, builder: SchemaBuilder) -> Schema:
    """One of Bakeoff's own checks with its keys below it, or the value of the one that it needs."""
    own, required = own_properties(kind, builder), own_required(kind)
    shared = {
        key: value for key, value in builder.properties(registry.CHECKS[kind]).items() if key not in own
    }
    for key in ("known_issue", "providers"):
        del shared[key]
    below: Schema = {"type": "object", "properties": {**shared, **own}, "additionalProperties": False}
    if required:
        below["required"] = required
    ways = [own[required[0]], below] if len(required) == 1 else [below]
    return one_of_words({"anyOf": ways}, kind)
