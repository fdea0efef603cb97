"""Reads the checks of a native task: one key names the check, the keys of every check stand beside it."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping as Values
from collections.abc import Sequence as Nodes
from dataclasses import replace
from typing import get_origin

from bakeoff.checks import registry
from bakeoff.checks.text import Search
from bakeoff.dialects.field_types import check_id, check_text
from bakeoff.dialects.native.harness_names import Harnesses
from bakeoff.dialects.native_checks import read_check
from bakeoff.dialects.nodes import Entry, Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.wording import Refusal
from bakeoff.model.check import Check
from bakeoff.patterns import compile_regex

SHARED = tuple(Check.model_fields)
"""The keys of every check."""

_LONGEST_NAME = 48
_NOT_A_WORD = re.compile(r"[^\w.]+")


@functools.cache
def own_keys(kind: str) -> Values[str, bool]:
    """The keys that only this kind of check has, and whether each must be written."""
    fields = registry.CHECKS[kind].model_fields
    return {info.alias or name: info.is_required() for name, info in fields.items() if name not in SHARED}


@functools.cache
def main_key(kind: str) -> str | None:
    """The key that a value behind the name of a check stands for; None when there is not just one."""
    required = [key for key, is_required in own_keys(kind).items() if is_required]
    return required[0] if len(required) == 1 else None


def takes_list(kind: str, key: str) -> bool:
    """Whether a key of a check holds a list, in place of which its one entry may stand."""
    fields = registry.CHECKS[kind].model_fields.items()
    return any(get_origin(info.annotation) is tuple for name, info in fields if key in {name, info.alias})


def read_checks(nodes: Nodes[Node], harnesses: Harnesses, problems: Problems) -> tuple[Check, ...]:
    """One check for each entry that can be read; what is wrong with the others is recorded."""
    written = [_written_id(node) for node in nodes]
    first: dict[str, Scalar] = {}
    for name in written:
        if name is not None and name.text in first:
            problems.error(
                name.where,
                f"a second check is called {quoted(name.text)}; the first is in line {first[name.text].line}",
                "give each check of a task its own id, or leave it out",
            )
        elif name is not None:
            first[name.text] = name
    taken = set(first)
    checks = []
    for node in nodes:
        check = _read_entry(node, taken, harnesses, problems)
        if check is not None:
            checks.append(check)
    return tuple(checks)


def _written_id(node: Node) -> Scalar | None:
    found = node.get("id") if isinstance(node, Mapping) else None
    return found if isinstance(found, Scalar) else None


def _read_entry(node: Node, taken: set[str], harnesses: Harnesses, problems: Problems) -> Check | None:
    node = _as_mapping(node)
    if not isinstance(node, Mapping):
        problems.error(
            node.where, f"a check must be a mapping, not {node.kind}", "write `- command: pytest -q`"
        )
        return None
    entry = _kind_entry(node, problems)
    if entry is None:
        return None
    kind = entry.key.text
    keys = _keys(node, entry, problems)
    if keys is None:
        return None
    before = problems.error_count
    _check_shared(node, kind, harnesses, problems)
    if "id" not in node:
        keys = {"id": _generated(node, entry, kind, keys, taken), **keys}
    check = read_check(replace(node, entries=keys), registry.CHECKS[kind], problems, kind)
    if check is not None and problems.error_count == before:
        _warn_of_anything(check, replace(node, entries=keys), problems)
    return check


def _as_mapping(node: Node) -> Node:
    """A check that needs no keys may be its name alone."""
    if isinstance(node, Scalar) and node.text in registry.CHECKS:
        nothing = replace(node, text="", plain=True)
        entry = Entry(key=node, value=nothing)
        return Mapping(file=node.file, line=node.line, column=node.column, entries={node.text: entry})
    return node


def _kind_entry(node: Mapping, problems: Problems) -> Entry | None:
    """The one key that names the check; None when there is none or more, which is recorded."""
    found = [entry for entry in node if entry.key.text in registry.CHECKS and entry.key.text not in SHARED]
    for entry in found:
        others = {other.key.text for other in found if other is not entry}
        if others <= set(own_keys(entry.key.text)):
            return entry
    if found:
        problems.error(
            found[1].key.where,
            f"an entry is one check, and this one is {quoted(found[0].key.text)} already",
            "begin another one with `- `",
        )
        return None
    unknown = [entry for entry in node if entry.key.text not in SHARED]
    if not unknown:
        problems.error(node.where, "no key names the check", f"one of {', '.join(sorted(registry.CHECKS))}")
        return None
    name = unknown[0].key
    if name.text == "type":
        hint = "the name of a check is a key: write `- command: pytest -q`"
    else:
        hint = suggestion(name.text, sorted(registry.CHECKS))
    problems.error(name.where, f"there is no check {quoted(name.text)}", hint)
    return None


def _keys(node: Mapping, entry: Entry, problems: Problems) -> dict[str, Entry] | None:
    """The keys of the check, whether they stand below its name or beside it."""
    kind, value = entry.key.text, entry.value
    beside = {name: each for name, each in node.entries.items() if each is not entry}
    if not isinstance(value, Mapping):
        main = _main_entry(entry, beside, problems)
        return None if main is None else {**main, **beside}
    own = own_keys(kind)
    for name, each in beside.items():
        if name not in SHARED:
            hint = f"indent it: it belongs below `{kind}:`" if name in own else suggestion(name, SHARED)
            problems.error(each.key.where, f"unknown key {quoted(name)}", hint)
    for name, each in value.entries.items():
        if name in SHARED:
            problems.error(
                each.key.where,
                f"`{name}` stands below `{kind}`",
                f"write it beside `{kind}:`, as in every check",
            )
    below = {name: each for name, each in value.entries.items() if name not in SHARED}
    return {**{name: each for name, each in beside.items() if name in SHARED}, **below}


def _main_entry(entry: Entry, beside: dict[str, Entry], problems: Problems) -> dict[str, Entry] | None:
    """What the bare value of a check stands for; None when it can stand for nothing."""
    kind, value = entry.key.text, entry.value
    main = main_key(kind)
    is_empty = isinstance(value, Scalar) and value.is_null
    if main is not None and not is_empty and main not in beside:
        if isinstance(value, Scalar) and takes_list(kind, main):
            value = Sequence(file=value.file, line=value.line, column=value.column, items=(value,))
        return {main: Entry(key=replace(entry.key, text=main), value=value)}
    own = own_keys(kind)
    if is_empty and not any(own.values()):
        return {}
    names = ", ".join(own)
    if main is not None:
        what = "is empty" if is_empty else f"says `{main}`, and so does the key of that name"
        problems.error(value.where, f"`{kind}` {what}", f"write `{kind}: {main.upper()}`")
    elif own:
        problems.error(value.where, f"`{kind}` must be a mapping, not {value.kind}", f"its keys: {names}")
    else:
        problems.error(value.where, f"`{kind}` takes no value", f"write `- {kind}`")
    return None


def _check_shared(node: Mapping, kind: str, harnesses: Harnesses, problems: Problems) -> None:
    """Record an id, a reason or a harness that cannot be meant."""
    for key, rule in (("id", check_id), ("known_issue", check_text)):
        found = node.get(key)
        if isinstance(found, Scalar):
            try:
                rule(found.text)
            except Refusal as refusal:
                problems.error(found.where, f"`{kind}.{key}`: {refusal}", refusal.hint)
    providers = node.get("providers")
    for each in providers.items if isinstance(providers, Sequence) else ():
        if isinstance(each, Scalar):
            harnesses.check(each.text, each.where, "providers", problems)


def _generated(node: Mapping, entry: Entry, kind: str, keys: dict[str, Entry], taken: set[str]) -> Entry:
    """An id that depends on nothing but the check itself, so that others can come and go."""
    main = main_key(kind)
    told = _first_text(keys[main].value) if main is not None and main in keys else ""
    about = _NOT_A_WORD.sub("-", told).strip("-.")[:_LONGEST_NAME].rstrip("-.")
    base = f"{kind}-{about}" if about else kind
    name, number = base, 2
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    taken.add(name)
    word = Scalar(file=node.file, line=entry.key.line, column=entry.key.column, text=name, plain=False)
    return Entry(key=replace(word, text="id"), value=word)


def _first_text(node: Node) -> str:
    if isinstance(node, Scalar):
        return node.text
    return _first_text(node.items[0]) if isinstance(node, Sequence) and node.items else ""


def _warn_of_anything(check: Check, node: Mapping, problems: Problems) -> None:
    if isinstance(check, Search) and compile_regex(check.pattern).search("") is not None:
        problems.warning(
            node.at("pattern").where,
            f"the pattern {quoted(check.pattern)} matches even where there is no text",
            f"this check always {'passes' if check.type_name == 'present' else 'fails'}",
        )
