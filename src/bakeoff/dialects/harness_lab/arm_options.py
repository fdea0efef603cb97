"""Reads the options of a variant: known ones by their types, unknown ones kept and warned about."""

from __future__ import annotations

from collections.abc import Mapping as Options
from dataclasses import dataclass, field, replace

from bakeoff.dialects.harness_lab.adapter import check_values, has_option, read_option
from bakeoff.dialects.harness_lab.options import SHAPES, SUPPLIED, WITHOUT_EFFECT
from bakeoff.dialects.nodes import Entry, Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.scalars import BROKEN, read_untyped
from bakeoff.dialects.shapes import read_shape

_GENERIC = "generic"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmOptions:
    """The options of one arm.

    Attributes:
        passed: what the adapter gets.
        unused: what is written but not passed, because nothing could use it.
    """

    passed: Options[str, object] = field(default_factory=dict)
    unused: Options[str, object] = field(default_factory=dict)


def is_known(runner: str, name: str, command: str = "") -> bool:
    """Whether a runner has an option; a plugin may have any.

    `command` is that of a generic variant, which may use further options as `{opt_NAME}`.
    """
    if runner not in SHAPES or name in SHAPES[runner].model_fields or has_option(runner, name):
        return True
    return runner == _GENERIC and f"{{opt_{name}}}" in command


def command_text(node: Mapping) -> str:
    """The command of a variant as one text, to look for placeholders in; empty when there is none."""
    command = node.get("command")
    words = command.items if isinstance(command, Sequence) else (command,)
    return " ".join(word.text for word in words if isinstance(word, Scalar))


def read_options(runner: str, node: Mapping, found: Options[str, Node], problems: Problems) -> ArmOptions:
    """The options of the variant `node`, whose keys that are not reserved are `found`."""
    template = command_text(node)
    known = {name: value for name, value in found.items() if is_known(runner, name, template)}
    unused = {}
    for name, value in found.items():
        if name not in known:
            _warn_unknown(runner, node, name, problems)
            unused[name] = read_untyped(value, name, problems)
        elif name in WITHOUT_EFFECT:
            problems.warning(node.key_where(name), f"the option `{name}` has no effect", WITHOUT_EFFECT[name])
            unused[name] = read_untyped(known.pop(name), name, problems)
    passed = _read_known(runner, node, known, problems)
    return ArmOptions(passed=passed, unused=unused)


def _read_known(
    runner: str, node: Mapping, known: Options[str, Node], problems: Problems
) -> dict[str, object]:
    before = problems.error_count
    shape = SHAPES.get(runner)
    typed = {name for name in known if shape is not None and name in shape.model_fields}
    values: dict[str, object] = {}
    used: dict[str, object] = {}
    if shape is not None:
        read = read_shape(_part(node, typed), shape, problems)
        if read is None:
            return {}
        wanted = read.model_fields_set | set(SUPPLIED[runner])
        values = {name: _plain(getattr(read, name)) for name in shape.model_fields if name in wanted}
    for name in known:
        if name not in typed:
            value = read_option(runner, name, known[name], problems)
            if value is BROKEN:
                continue
            if runner == _GENERIC and not has_option(runner, name):
                used[name] = _plain(value)
            else:
                values[name] = _plain(value)
    if used:
        values["opts"] = used
    if problems.error_count == before:
        check_values(runner, node, values, problems)
    return values


def _part(node: Mapping, names: set[str]) -> Mapping:
    """The entries of a variant that are options of a known type."""
    entries: dict[str, Entry] = {name: node.entries[name] for name in node.entries if name in names}
    return replace(node, entries=entries)


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _warn_unknown(runner: str, node: Mapping, name: str, problems: Problems) -> None:
    names = [*SHAPES[runner].model_fields, "model", "harness", "description"]
    near = suggestion(name, names)
    problems.warning(
        node.key_where(name),
        f"the runner `{runner}` has no option {quoted(name)}: it is not used",
        near if near.startswith("did you mean") else "",
    )
