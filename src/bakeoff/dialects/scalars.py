"""Reads single values as what the schema expects: text, true or false, a number."""

from __future__ import annotations

import math
import re
from enum import Enum

from bakeoff.dialects.nodes import Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems, quoted, suggestion


class Broken(Enum):
    """What a reader returns in place of a value, after it has recorded why there is none."""

    BROKEN = "broken"


BROKEN = Broken.BROKEN

_TRUTHS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_OLD_TRUTHS = {"yes": True, "on": True, "no": False, "off": False}
_WHOLE = re.compile(r"[-+]?[0-9]+(?:_[0-9]+)*")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9_]+")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:_[0-9]+)*\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.?(?:inf|nan|infinity)", re.IGNORECASE)
_UNTYPED_WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_UNTYPED_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")
_UNTYPED_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_MOST_DIGITS = 18


def read_text(node: Node, name: str, problems: Problems) -> str | Broken:
    """The source text: `0123456`, `12e4567`, `no` and `1.10` stay what was written."""
    if not isinstance(node, Scalar):
        hint = "put quotes around a text that begins with `{` or `[` or holds `: `"
        if isinstance(node, Sequence) and len(node.items) == 1 and isinstance(node.items[0], Scalar):
            hint = f"write `{_last(name)}: {node.items[0].text}`, without a list"
        problems.error(node.where, f"`{name}` must be text, not {node.kind}", hint)
        return BROKEN
    if node.is_null:
        refuse_empty(node, name, problems)
        return BROKEN
    if "\0" in node.text:
        problems.error(node.where, f"`{name}` holds a NUL character", "no command or file can hold one")
        return BROKEN
    return node.text


def refuse_empty(node: Scalar, name: str, problems: Problems) -> None:
    """Record that a value is needed where none, or `null`, is written."""
    hint = f'write `"{node.text}"` if the word itself is meant' if node.text else ""
    problems.error(node.where, f"`{name}` is empty", hint)


def read_boolean(node: Node, name: str, problems: Problems) -> bool | Broken:
    """True or false; the older yes, no, on and off with a warning."""
    if isinstance(node, Scalar):
        if node.plain and node.text in _TRUTHS:
            return _TRUTHS[node.text]
        old = _OLD_TRUTHS.get(node.text.lower()) if node.plain else None
        if old is not None:
            right = "true" if old else "false"
            problems.warning(node.where, f"`{name}: {node.text}` is read as {right}", f"write `{right}`")
            return old
    hint = f"write `{_last(name)}: true` or `{_last(name)}: false`, without quotes"
    problems.error(node.where, f"`{name}` must be true or false, not {_shown(node)}", hint)
    return BROKEN


def read_whole_number(node: Node, name: str, problems: Problems) -> int | Broken:
    """A whole number in decimal digits."""
    text = node.text if isinstance(node, Scalar) else ""
    if isinstance(node, Scalar) and node.plain and _WHOLE.fullmatch(text):
        if _LEADING_ZERO.fullmatch(text):
            # The older YAML reads these as octal, the newer as decimal.
            hint = f"write `{_last(name)}: {text.replace('_', '').lstrip('+-0') or '0'}`"
            problems.error(node.where, f"`{name}` begins with a zero", hint)
            return BROKEN
        if len(text) > _MOST_DIGITS:
            problems.error(node.where, f"`{name}` is too large a number: {quoted(text)}")
            return BROKEN
        return int(text)
    hint = f"write `{_last(name)}: {text}`, without quotes" if _WHOLE.fullmatch(text) else ""
    if not hint and _NUMBER.fullmatch(text) and float(text).is_integer():
        hint = f"write `{_last(name)}: {float(text):.0f}`"
    problems.error(node.where, f"`{name}` must be a whole number, not {_shown(node)}", hint)
    return BROKEN


def read_number(node: Node, name: str, problems: Problems) -> float | Broken:
    """A finite number."""
    text = node.text if isinstance(node, Scalar) else ""
    if isinstance(node, Scalar) and node.plain and _NUMBER.fullmatch(text):
        number = float(text)
        if math.isfinite(number):
            return number
        problems.error(node.where, f"`{name}` is too large a number: {quoted(text)}")
        return BROKEN
    if isinstance(node, Scalar) and _NOT_FINITE.fullmatch(text):
        problems.error(node.where, f"`{name}` must be a finite number, not {text}")
        return BROKEN
    hint = f"write `{_last(name)}: {text}`, without quotes" if _NUMBER.fullmatch(text) else ""
    problems.error(node.where, f"`{name}` must be a number, not {_shown(node)}", hint)
    return BROKEN


def read_choice(node: Node, choices: tuple[str, ...], name: str, problems: Problems) -> str | Broken:
    """One of a few words."""
    text = read_text(node, name, problems)
    if text is BROKEN or text in choices:
        return text
    assert isinstance(text, str)
    message = f"`{name}` must be one of {', '.join(choices)}, not {quoted(text)}"
    near = suggestion(text, choices)
    problems.error(node.where, message, near if near.startswith("did you mean") else "")
    return BROKEN


def read_untyped(node: Node, name: str, problems: Problems) -> object:
    """A value of which nobody has said what it must be: null, boolean, number, text or a collection."""
    if isinstance(node, Mapping):
        found = {entry.key.text: read_untyped(entry.value, name, problems) for entry in node}
        return BROKEN if any(value is BROKEN for value in found.values()) else found
    if isinstance(node, Sequence):
        items = [read_untyped(item, name, problems) for item in node.items]
        return BROKEN if any(item is BROKEN for item in items) else items
    assert isinstance(node, Scalar)
    return _untyped_scalar(node, name, problems)


def _untyped_scalar(node: Scalar, name: str, problems: Problems) -> object:
    text = node.text
    if node.is_null:
        return None
    if not node.plain:
        return read_text(node, name, problems)
    if text in _TRUTHS:
        return _TRUTHS[text]
    if _UNTYPED_WHOLE.fullmatch(text):
        return read_whole_number(node, name, problems)
    if _UNTYPED_NUMBER.fullmatch(text) or _UNTYPED_NOT_FINITE.fullmatch(text):
        return read_number(node, name, problems)
    if text.lower() in _OLD_TRUTHS:
        hint = f'write true or false, or `"{text}"` if the word is meant'
        problems.warning(node.where, f"`{name}: {text}` is read as the word {text!r}", hint)
    return text


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _shown(node: Node) -> str:
    """The value as a message shows it, where something else was expected."""
    if not isinstance(node, Scalar) or node.is_null:
        return node.kind
    return quoted(node.text) if node.plain else f"the text {quoted(node.text)}"
