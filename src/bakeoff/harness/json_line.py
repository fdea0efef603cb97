"""Reading one line of a harness's output as JSON, whatever an agent put into it.

What comes back can always be stored: numbers are finite and nesting is bounded. The small
readers below take values of any type and answer None where the type is not the one meant,
because a vendor's stream is allowed to change and must never stop the reading.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

DEEPEST = 64
"""Levels of nesting that are kept; what lies deeper is replaced by a short text."""

TOO_DEEP = "[nested too deep]"
LARGEST_COUNT = 2**53
"""A larger count of tokens is not believed."""

NOTHING: Mapping[str, object] = {}


class Unreadable(Exception):
    """The line is not JSON."""


def read_json(line: bytes) -> object:
    """The value of one line.

    Bytes that are not UTF-8 are replaced, raw control characters inside strings are
    allowed, NaN and infinity become None. Raises Unreadable for anything else.
    """
    text = line.decode("utf-8", "replace").removeprefix("\ufeff")
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(type(error).__name__) from error
    _prune(value)
    return value


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


# Made once: there are streams with a million lines.
_DECODER = json.JSONDecoder(strict=False, parse_float=_finite, parse_constant=lambda _: None)


def _prune(value: object) -> None:
    """Cut what is nested deeper than DEEPEST, without recursion."""
    waiting: list[tuple[object, int]] = [(value, 1)]
    while waiting:
        item, depth = waiting.pop()
        if isinstance(item, dict | list):
            pairs = list(item.items() if isinstance(item, dict) else enumerate(item))
            for key, child in pairs:
                if isinstance(child, dict | list):
                    if depth >= DEEPEST:
                        item[key] = TOO_DEEP
                    else:
                        waiting.append((child, depth + 1))


def fields(value: object) -> Mapping[str, object]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else NOTHING


def items(value: object) -> Sequence[object]:
    """`value` if it is an array, else an empty one."""
    return value if isinstance(value, list) else ()


def text(value: object) -> str | None:
    """`value` if it is a text, else None."""
    return value if isinstance(value, str) else None


def label(value: object) -> str | None:
    """A name or id: a text that is not empty, or an integer as text; else None."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) <= LARGEST_COUNT else None
    return value if isinstance(value, str) and value else None


def names(value: object) -> tuple[str, ...] | None:
    """The texts of an array, or the `name` of each object in it; None if it is no array."""
    if not isinstance(value, list):
        return None
    found = (label(fields(item).get("name")) if isinstance(item, dict) else label(item) for item in value)
    return tuple(name for name in found if name)


def count(value: object) -> int | None:
    """`value` if it is a whole number that can be a count, else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and 0 <= value <= LARGEST_COUNT else None


def amount(value: object) -> float | None:
    """`value` as a number that is not negative, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST_COUNT:
        return None
    return float(value)


def flag(value: object) -> bool | None:
    """`value` if it is true or false, else None."""
    return value if isinstance(value, bool) else None
