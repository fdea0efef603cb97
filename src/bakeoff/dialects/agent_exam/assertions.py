"""Translates the assertions of a task into checks."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Values
from collections.abc import Sequence as Nodes
from dataclasses import dataclass, replace

from bakeoff.checks import registry
from bakeoff.dialects.agent_exam.assertion_shapes import (
    ASSERTIONS,
    CODEX_TOOLS,
    JUDGES,
    LATER_TYPES,
    SHORTHANDS,
)
from bakeoff.dialects.agent_exam.harness_blocks import written_harness
from bakeoff.dialects.agent_exam.native_assertion import native_node
from bakeoff.dialects.field_types import Shape, check_text, nearest_id
from bakeoff.dialects.native_checks import read_check
from bakeoff.dialects.nodes import Entry, Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.scalars import read_text
from bakeoff.dialects.shapes import read_shape
from bakeoff.dialects.wording import Refusal
from bakeoff.harness import registry as harnesses
from bakeoff.model.check import Check
from bakeoff.model.suite import Unsupported

META = ("known_issue", "providers")
_LONGEST_NAME = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAssertions:
    """What the assertions of a task say.

    Attributes:
        checks: one for each assertion that can be evaluated.
        unsupported: the others, which `run` refuses.
        skills: the names of skills that they ask about, each with its place.
    """

    checks: tuple[Check, ...] = ()
    unsupported: tuple[Unsupported, ...] = ()
    skills: tuple[Scalar, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Meta:
    """What stands beside the type of an assertion."""

    known_issue: str | None = None
    providers: tuple[str, ...] = ()


def read_assertions(nodes: Nodes[Node], problems: Problems) -> ReadAssertions:
    """The checks of a task in order; what is wrong with an assertion is recorded."""
    checks: list[Check] = []
    unsupported: list[Unsupported] = []
    skills: list[Scalar] = []
    for node in nodes:
        entry = _type_entry(node, problems)
        if entry is None or not isinstance(node, Mapping):
            continue
        kind = entry.key.text
        meta = _read_meta(node, problems)
        if kind in LATER_TYPES:
            unsupported.append(Unsupported(field=f"assertions.{kind}", where=problems.shown(entry.key.where)))
        elif kind not in ASSERTIONS:
            checks += _native(entry, meta, _taken(checks), problems)
        else:
            shape = _read_shape(entry, problems)
            if shape is None:
                continue
            if kind in JUDGES:
                place = problems.shown(entry.key.where)
                unsupported.append(Unsupported(field=f"assertions.{kind}", where=place))
                continue
            _warn_of_codex(entry, shape, meta, problems)
            skills += _skill_places(entry, shape)
            checks.append(_check(kind, shape, meta, _taken(checks)))
    return ReadAssertions(checks=tuple(checks), unsupported=tuple(unsupported), skills=tuple(skills))


def _type_entry(node: Node, problems: Problems) -> Entry | None:
    """The one key of an assertion that says its type; None when there is none, which is recorded."""
    types = [*ASSERTIONS, *registry.CHECKS]
    if not isinstance(node, Mapping):
        hint = f"write `- {node.text}:`" if isinstance(node, Scalar) and node.text in types else ""
        problems.error(
            node.where,
            f"an assertion must be a mapping, not {node.kind}",
            hint or "write `- file_exists: dist/notes.md`",
        )
        return None
    entries = [entry for entry in node if entry.key.text not in META]
    known = [entry for entry in entries if entry.key.text in {*types, *LATER_TYPES}]
    for entry in entries:
        if entry in known[:1]:
            continue
        name = entry.key.text
        if known and entry in known:
            problems.error(
                entry.key.where,
                f"an assertion has one type, and this one has {quoted(known[0].key.text)} already",
                "begin another one with `- `",
            )
        elif known:
            problems.error(
                entry.key.where,
                f"unknown key {quoted(name)}",
                _beside_hint(name, known[0].key.text),
            )
        else:
            problems.error(
                entry.key.where, f"there is no assertion type {quoted(name)}", _type_hint(name, types)
            )
            return None
    if not known:
        problems.error(node.where, "the assertion has no type", f"one of {', '.join(ASSERTIONS)}")
        return None
    return known[0]


def _type_hint(name: str, types: list[str]) -> str:
    near = suggestion(name, types)
    return near if near.startswith("did you mean") else suggestion(name, [*ASSERTIONS])


def _beside_hint(name: str, kind: str) -> str:
    fields = ASSERTIONS[kind].model_fields if kind in ASSERTIONS else registry.CHECKS[kind].model_fields
    if name in fields:
        return f"indent it: it belongs below `{kind}:`"
    return suggestion(name, META)


def _read_meta(node: Mapping, problems: Problems) -> _Meta:
    return _Meta(known_issue=_known_issue(node, problems), providers=_providers(node, problems))


def _known_issue(node: Mapping, problems: Problems) -> str | None:
    if "known_issue" not in node:
        return None
    place = node.at("known_issue")
    text = read_text(place, "known_issue", problems)
    if not isinstance(text, str):
        return None
    try:
        return check_text(text)
    except Refusal as refusal:
        problems.error(place.where, f"`known_issue`: {refusal}", "say why the failure is expected")
        return None


def _providers(node: Mapping, problems: Problems) -> tuple[str, ...]:
    if "providers" not in node:
        return ()
    place = node.at("providers")
    if not isinstance(place, Sequence):
        hint = f"write `providers: [{place.text}]`" if isinstance(place, Scalar) and place.text else ""
        problems.error(place.where, f"`providers` must be a list of harnesses, not {place.kind}", hint)
        return ()
    if not place.items:
        problems.error(
            place.where,
            "`providers` is empty: the assertion would never be evaluated",
            "name a harness, or leave it out",
        )
    names = [written_harness(each, "providers", problems, harnesses.HARNESSES) for each in place.items]
    return tuple(dict.fromkeys(name for name in names if name is not None))


def _read_shape(entry: Entry, problems: Problems) -> Shape | None:
    """The fields of one of the format's own assertions, in either spelling."""
    kind, value = entry.key.text, entry.value
    if kind == "no_permission_errors":
        return _read_nothing(entry, problems)
    field = SHORTHANDS.get(kind)
    if isinstance(value, Mapping):
        return read_shape(value, ASSERTIONS[kind], problems, kind)
    if field is None:
        needed = ", ".join(ASSERTIONS[kind].model_fields)
        problems.error(value.where, f"`{kind}` must be a mapping, not {value.kind}", f"its keys: {needed}")
        return None
    if isinstance(value, Scalar) and value.is_null:
        problems.error(value.where, f"`{kind}` is empty", f"write its {field} behind it")
        return None
    # The value is read as the mapping with the one field would be, so that all rules are the same.
    key = replace(entry.key, text=field)
    written = Mapping(
        file=value.file,
        line=value.line,
        column=value.column,
        size=value.size + 1,
        entries={field: Entry(key=key, value=value)},
    )
    return read_shape(written, ASSERTIONS[kind], problems, kind)


def _read_nothing(entry: Entry, problems: Problems) -> Shape | None:
    value = entry.value
    is_empty = (isinstance(value, Scalar) and value.is_null) or (
        isinstance(value, Mapping) and not value.entries
    )
    if not is_empty:
        problems.error(
            value.where, "`no_permission_errors` takes no value", "write `- no_permission_errors:`"
        )
        return None
    return ASSERTIONS[entry.key.text]()


def _check(kind: str, shape: Shape, meta: _Meta, taken: set[str]) -> Check:
    # In the order of the fields: a set would name the check differently from one run to the next.
    fields = [name for name in type(shape).model_fields if name in shape.model_fields_set]
    values = {name: getattr(shape, name) for name in fields}
    told = next((str(value) for value in values.values() if isinstance(value, str)), "")
    name = check_name(kind, told, taken)
    return registry.CHECKS[kind](id=name, known_issue=meta.known_issue, providers=meta.providers, **values)


def _native(entry: Entry, meta: _Meta, taken: set[str], problems: Problems) -> Iterator[Check]:
    """One of Bakeoff's own checks, which a mapping or a bare value describes."""
    kind = entry.key.text
    node = native_node(entry, check_name(kind, "", taken), problems)
    check = read_check(node, registry.CHECKS[kind], problems, kind) if node is not None else None
    if check is not None:
        if check.id in taken:
            problems.error(
                entry.key.where,
                f"a second assertion is called {quoted(check.id)}",
                "give each assertion of a task its own id",
            )
        changes: Values[str, object] = {"known_issue": meta.known_issue, "providers": meta.providers}
        yield check.model_copy(update=dict(changes))


def _taken(checks: list[Check]) -> set[str]:
    return {check.id for check in checks}


def check_name(kind: str, told: str, taken: set[str]) -> str:
    """An id for an assertion, which the format has none for: its type and what it is about."""
    about = nearest_id(told)[:_LONGEST_NAME].rstrip("-.") if told else ""
    base = f"{kind}-{about}" if about else kind
    name, number = base, 2
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    return name


def _warn_of_codex(entry: Entry, shape: Shape, meta: _Meta, problems: Problems) -> None:
    name = getattr(shape, "name", None)
    if name in CODEX_TOOLS and meta.providers != ("codex_cli",):
        problems.warning(
            entry.key.where,
            f"the tool {quoted(str(name))} exists in the Codex CLI only",
            "add `providers: [codex_cli]`",
        )


def _skill_places(entry: Entry, shape: Shape) -> Iterator[Scalar]:
    if "skill" in type(shape).model_fields:
        place = entry.value.at("skill") if isinstance(entry.value, Mapping) else entry.value
        if isinstance(place, Scalar):
            yield place
