"""Turning values that a record is made from into what strict JSON holds without loss."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from enum import Enum

from bakeoff.identity import plain

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_DEEPEST = 100


def storable(value: object, *, depth: int = 0) -> object:
    r"""`value` with what JSON cannot hold made explicit, so that a record reads back as it was.

    Lone surrogates, which harnesses do send, become the text `\udc80`; tuples become
    lists, enums their values. NaN, infinity and nesting beyond 100 levels are a ValueError.
    Records inside stay what they are.
    """
    if isinstance(value, Enum):
        return storable(value.value, depth=depth)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return escape_surrogates(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"not a finite number: {value!r}")
        return value
    return _storable_collection(value, depth)


def _storable_collection(value: object, depth: int) -> object:
    if depth >= _DEEPEST:
        raise ValueError(f"nested more than {_DEEPEST} levels deep")
    if isinstance(value, Mapping):
        return {escape_surrogates(str(key)): storable(item, depth=depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable(item, depth=depth + 1) for item in value]
    if hasattr(value, "model_fields_set"):
        return value
    return storable(plain(value), depth=depth + 1)


def escape_surrogates(text: str) -> str:
    r"""`text` with each lone surrogate written as `\udc80`, six characters of ASCII."""
    if text.isascii():
        return text
    return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
