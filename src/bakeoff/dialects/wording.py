"""Says in words a person understands what a value does that its schema does not allow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bakeoff.dialects.problems import quoted

_TYPES = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "float_parsing": "a number",
    "bool_parsing": "true or false",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
}
"""What pydantic's errors of type ask for; the values of options of adapters are not read by type."""


class Refusal(ValueError):
    """A value is refused; raised by the validators of border classes.

    Attributes:
        hint: what to write instead.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def explained(error: Mapping[str, Any], name: str) -> tuple[str, str]:
    """Message and hint for one pydantic error of the field `name`; empty: of the whole mapping."""
    kind, context, value = error["type"], error.get("ctx") or {}, error.get("input")
    if kind == "missing":
        return f"`{name}` is missing", ""
    bounds = {
        "greater_than": ("gt", "more than"),
        "greater_than_equal": ("ge", "at least"),
        "less_than_equal": ("le", "at most"),
        "less_than": ("lt", "less than"),
    }
    if kind in bounds:
        key, words = bounds[kind]
        return f"`{name}` must be {words} {_number(context[key])}, not {_number(value)}", ""
    if kind == "too_short":
        return f"`{name}` needs at least {_count(context['min_length'], 'entry', 'entries')}", ""
    if kind == "string_too_short":
        return f"`{name}` is empty", ""
    if kind == "value_error":
        refusal = context["error"]
        return f"{_prefix(name)}{refusal}", getattr(refusal, "hint", "")
    expected = _TYPES.get(kind)
    if expected is not None:
        return f"`{name}` must be {expected}, not {quoted(str(value))}", ""
    return f"{_prefix(name)}{error['msg'][:1].lower()}{error['msg'][1:]}", ""


def _prefix(name: str) -> str:
    return f"`{name}`: " if name else ""


def _number(value: object) -> str:
    return (
        f"{value:,}"
        if isinstance(value, int)
        else quoted(str(value))
        if isinstance(value, str)
        else f"{value:g}"
    )


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
