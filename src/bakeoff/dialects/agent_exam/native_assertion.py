"""Reads Bakeoff's own checks where they stand among the assertions of an agent-exam task."""

from __future__ import annotations

from dataclasses import replace

from bakeoff.checks import registry
from bakeoff.dialects.nodes import Entry, Mapping, Node, Scalar
from bakeoff.dialects.problems import Problems
from bakeoff.model.check import Check

_BESIDE = ("known_issue", "providers")


def native_node(entry: Entry, name: str, problems: Problems) -> Mapping | None:
    """The native keys of a check; None when they cannot be read, which is then recorded.

    `name` is its id unless it says one itself.
    """
    kind, value = entry.key.text, entry.value
    if not isinstance(value, Mapping):
        field = _main_field(kind)
        if field is None or (isinstance(value, Scalar) and value.is_null):
            keys = ", ".join(list(registry.CHECKS[kind].model_fields)[:8])
            problems.error(value.where, f"`{kind}` must be a mapping, not {value.kind}", f"its keys: {keys}")
            return None
        value = _mapping(value, field)
    for key in _BESIDE:
        if key in value:
            problems.error(
                value.key_where(key), f"`{key}` stands below `{kind}`", f"write it beside `{kind}:`"
            )
            return None
    if "id" in value:
        return value
    word = Scalar(file=value.file, line=value.line, column=value.column, text=name, plain=False)
    identity = Entry(key=replace(word, text="id"), value=word)
    return replace(value, entries={"id": identity, **value.entries})


def _main_field(kind: str) -> str | None:
    """The field that a bare value stands for: the only one that must be written; None without such a one."""
    fields = registry.CHECKS[kind].model_fields
    required = [
        info.alias or name
        for name, info in fields.items()
        if info.is_required() and name not in Check.model_fields
    ]
    return required[0] if len(required) == 1 else None


def _mapping(value: Node, field: str) -> Mapping:
    key = Scalar(file=value.file, line=value.line, column=value.column, text=field, plain=True)
    return Mapping(
        file=value.file,
        line=value.line,
        column=value.column,
        size=value.size + 1,
        entries={field: Entry(key=key, value=value)},
    )
