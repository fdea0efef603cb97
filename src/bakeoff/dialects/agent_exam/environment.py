"""Reads `setup.env`: text sets a variable, `null` takes one away."""

from __future__ import annotations

import re

from bakeoff.dialects.nodes import Entry, Mapping, Node, Scalar
from bakeoff.dialects.problems import Problems, quoted
from bakeoff.dialects.scalars import read_untyped
from bakeoff.model.suite import Environment

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAME_RULE = "letters, digits and `_` only, not beginning with a digit"


def read_environment(node: Node | None, problems: Problems) -> Environment:
    """The variables of a task; a value that is not text is recorded."""
    if node is None:
        return Environment()
    if not isinstance(node, Mapping):
        problems.error(node.where, f"`setup.env` must be a mapping, not {node.kind}", 'write `NAME: "value"`')
        return Environment()
    values: dict[str, str] = {}
    unset = []
    for entry in node:
        name = entry.key.text
        if not _NAME.fullmatch(name):
            problems.error(
                entry.key.where, f"`setup.env`: {quoted(name)} is no name of a variable", _NAME_RULE
            )
        elif isinstance(entry.value, Scalar) and entry.value.is_null:
            unset.append(name)
        else:
            text = _text(entry, problems)
            if text is not None:
                values[name] = text
    return Environment(set=values, unset=tuple(unset))


def _text(entry: Entry, problems: Problems) -> str | None:
    name, value = f"setup.env.{entry.key.text}", entry.value
    if not isinstance(value, Scalar):
        problems.error(value.where, f"`{name}` must be text, not {value.kind}", "write it in quotes")
        return None
    if "\0" in value.text:
        problems.error(value.where, f"`{name}` holds a NUL character", "no variable can hold one")
        return None
    if value.plain and not isinstance(_looks_like(value), str):
        # What would reach the agent depends on who reads it: 1.10 or 1.1, 010 or 8, yes or True.
        problems.error(
            value.where,
            f"`{name}` must be text, and {value.text} is not, without quotes",
            f'write `{entry.key.text}: "{value.text}"`',
        )
        return None
    return value.text


def _looks_like(value: Scalar) -> object:
    """What YAML's older or newer rules make of a word without quotes; text when both say so."""
    text = value.text
    if text.lower() in {"yes", "no", "on", "off", "y", "n"}:
        return True
    if re.fullmatch(r"[-+]?(?:0[xob]?[0-9a-fA-F_]+|[0-9][0-9_]*(?::[0-5]?[0-9])+)", text):
        return 0
    return read_untyped(value, "", Problems(cwd=value.file.parent))
