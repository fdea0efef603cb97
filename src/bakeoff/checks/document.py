"""JSON that a command printed: strict reading, and the numbers in it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping

_DEEPEST = 50
_MOST_NUMBERS = 1000
_MOST_BROKEN_STARTS = 10_000


class Unreadable(ValueError):
    """The text is not what it should be; the message says how, for people."""


def read_document(data: bytes, *, truncated: bool = False) -> object:
    """The one JSON document that `data` holds, white space around it allowed.

    Raises Unreadable for anything else: nothing at all, text that is not UTF-8, more than
    one document, NaN, infinity, a key twice in one object, nesting beyond 50 levels; and
    when the data are only the beginning of what was written.
    """
    _refuse_truncated(truncated=truncated)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        msg = f"not UTF-8: {error.reason} at byte {error.start}"
        raise Unreadable(msg) from None
    if not text.strip():
        msg = "nothing was printed"
        raise Unreadable(msg)
    value = _strictly(text)
    _refuse_depth(value)
    return value


def last_object(data: bytes, *, truncated: bool = False) -> Mapping[str, object]:
    """The last JSON object that stands in an output among other text.

    Objects inside objects do not count. Raises Unreadable when there is none, or when the
    output ends in the middle of one or is only the beginning of what was written.
    """
    _refuse_truncated(truncated=truncated)
    text = data.decode("utf-8", "replace")
    found = ""
    for start, end in _object_spans(text):
        found = text[start:end]
    if not found:
        msg = "no JSON object in the output"
        raise Unreadable(msg)
    value = _strictly(found)
    _refuse_depth(value)
    assert isinstance(value, dict), "the text begins with a brace"
    return value


def _refuse_truncated(*, truncated: bool) -> None:
    if truncated:
        msg = "more was printed than is kept"
        raise Unreadable(msg)


def _object_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the outermost JSON objects in a text begin and end."""
    lenient = json.JSONDecoder()
    position, broken = text.find("{"), 0
    while position >= 0:
        try:
            _, end = lenient.raw_decode(text, position)
            yield position, end
        except json.JSONDecodeError as error:
            if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
                msg = "the output ends inside a JSON object"
                raise Unreadable(msg) from None
            broken, end = broken + 1, position + 1
        except (ValueError, RecursionError) as error:
            msg = f"an unusable JSON object in the output: {error}"
            raise Unreadable(msg) from None
        if broken > _MOST_BROKEN_STARTS:
            msg = "too much text in the output that only looks like JSON"
            raise Unreadable(msg)
        position = text.find("{", end)


def _strictly(text: str) -> object:
    decoder = json.JSONDecoder(
        object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite_float
    )
    try:
        return decoder.decode(text)
    except Unreadable:
        raise
    except (ValueError, RecursionError) as error:
        msg = f"not one JSON document: {error}"
        raise Unreadable(msg) from None


def numbers_in(document: object, name: str) -> dict[str, float]:
    """The numbers of a document by name, `a.b` for a number inside nested objects.

    A document that is itself a number is called `name`. Lists, texts and booleans hold no
    numbers. Raises Unreadable for more than 1,000 numbers or one too large for a float.
    """
    if _is_number(document):
        return {name: finite(document, name)}
    numbers: dict[str, float] = {}
    for key, value in _leaves(document, ""):
        if _is_number(value):
            if key in numbers:
                msg = f"two numbers have the name {key!r}"
                raise Unreadable(msg)
            numbers[key] = finite(value, key)
        if len(numbers) > _MOST_NUMBERS:
            msg = f"more than {_MOST_NUMBERS} numbers in one document"
            raise Unreadable(msg)
    return numbers


def finite(value: object, name: str) -> float:
    """`value` as a float; Unreadable when it is not a finite number. Booleans are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"{name} must be a number, not {json.dumps(value)[:100]}"
        raise Unreadable(msg)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        msg = f"{name} is not a finite number"
        raise Unreadable(msg)
    return number


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _leaves(value: object, prefix: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, f"{prefix}.{key}" if prefix else str(key))
    elif prefix:
        yield prefix, value


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = counts.most_common(1)[0][0]
        msg = f"the key {twice!r} stands twice in one JSON object"
        raise Unreadable(msg)
    return result


def _refuse_constant(word: str) -> object:
    msg = f"{word} is not JSON and not a finite number"
    raise Unreadable(msg)


def _finite_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        msg = f"{digits} is not a finite number"
        raise Unreadable(msg)
    return number


def _refuse_depth(document: object) -> None:
    level: list[object] = [document]
    for _ in range(_DEEPEST):
        level = [inner for value in level for inner in _inner(value)]
        if not level:
            return
    msg = f"nested more than {_DEEPEST} levels deep"
    raise Unreadable(msg)


def _inner(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, list) else []
