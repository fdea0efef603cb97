"""A line is read whatever is in it, and what comes back can be stored."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.harness import json_line
from bakeoff.harness.json_line import DEEPEST, TOO_DEEP, Unreadable, read_json
from bakeoff.model.storable import storable

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_json_comes_back(value: object) -> None:
    assert read_json(json.dumps(value).encode()) == value


@given(st.binary())
def test_any_bytes_are_read_or_refused(line: bytes) -> None:
    try:
        value = read_json(line)
    except Unreadable:
        return
    storable(value)


@pytest.mark.parametrize("line", [b"", b"nope", b"{", b'{"a":}', b"\xff\xfe{\x00", b"[1", b"1" * 5000])
def test_what_is_no_json_is_refused(line: bytes) -> None:
    with pytest.raises(Unreadable):
        read_json(line)


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e999"])
def test_numbers_that_are_not_finite_become_unknown(number: bytes) -> None:
    assert read_json(b'{"x": ' + number + b"}") == {"x": None}


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    assert read_json(b'"caf\xe9"') == "caf\ufffd"


def test_raw_control_characters_and_a_mark_at_the_start_are_allowed() -> None:
    assert read_json(b'\xef\xbb\xbf"a\x00\tb"') == "a\0\tb"


def test_lone_surrogates_survive() -> None:
    assert read_json(b'"\\ud800"') == "\ud800"


def test_deep_nesting_is_cut() -> None:
    value = read_json(b"[" * 200 + b"]" * 200)
    depth = 0
    while isinstance(value, list):
        value = value[0] if value else None
        depth += 1
    assert (depth, value) == (DEEPEST, TOO_DEEP)


def test_absurd_nesting_is_refused_or_cut() -> None:
    line = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    with pytest.raises(Unreadable):
        read_json(line)


@pytest.mark.parametrize(
    ("reader", "good", "bad"),
    [
        (json_line.count, [0, 5, 7.0, 2**53], [-1, 1.5, True, "5", None, [], 2**53 + 1]),
        (json_line.amount, [0, 0.5, 3], [-0.1, True, "1", None, {}]),
        (json_line.text, ["", "x"], [1, None, [], {}]),
        (json_line.label, ["x", 5], ["", None, True, 1.5, [], 10**30]),
        (json_line.flag, [True, False], [0, 1, "true", None]),
    ],
)
def test_readers_answer_none_for_another_type(reader: object, good: list[object], bad: list[object]) -> None:
    assert callable(reader)
    assert all(reader(value) is not None for value in good)
    assert all(reader(value) is None for value in bad)


def test_names_are_texts_or_the_names_of_objects() -> None:
    assert json_line.names(["a", {"name": "b", "x": 1}, {"x": 1}, None, 3]) == ("a", "b", "3")
    assert json_line.names("a") is None


def test_a_count_is_whole() -> None:
    assert json_line.count(7.0) == 7
    assert isinstance(json_line.count(7.0), int)
    assert math.isclose(json_line.amount(3) or 0, 3.0)
