"""The JSON Schemas of Harness Lab files."""

from __future__ import annotations

from bakeoff.dialects.harness_lab.schema import HarnessLabTask
from bakeoff.dialects.harness_lab.suite_schema import ExperimentFile, SuiteFile, VariantBlock
from bakeoff.dialects.json_schema import Schema, SchemaBuilder


def suite_schema() -> Schema:
    """What a suite can hold."""
    builder = SchemaBuilder(overrides={(SuiteFile, "variants"): _variants})
    return builder.document(SuiteFile, "A Harness Lab suite")


def experiment_schema() -> Schema:
    """What an experiment can hold."""
    builder = SchemaBuilder(overrides={(ExperimentFile, "variants"): _variants})
    return builder.document(ExperimentFile, "A Harness Lab experiment")


def task_schema() -> Schema:
    """What a task can hold."""
    return SchemaBuilder().document(HarnessLabTask, "A Harness Lab task")


def _variants(builder: SchemaBuilder) -> Schema:
    """Variants, or ids of those that exist."""
    name = builder.key(VariantBlock, "id")
    return {"type": "array", "items": {"anyOf": [name, builder.reference(VariantBlock)]}}
