"""What fuzzing has in common: how many inputs, how long one may take, and how real ones are spoilt."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "0"))
"""Inputs for each test; 0: the few of an ordinary run. `tools/fuzz.py` sets it."""

MOST_CPU_S = 20.0
"""No input may take more of the processor's time; a busy machine does not count."""


class TookTooLong(BaseException):
    """An input that took more time than any may; nothing that catches exceptions swallows it."""


def examples(usual: int) -> settings:
    """So many inputs in an ordinary run, more under `make fuzz`."""
    return settings(
        max_examples=EXAMPLES or usual,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@contextmanager
def bounded_time(seconds: float = MOST_CPU_S) -> Iterator[None]:
    """Raise TookTooLong where the block takes more of the processor's time than that."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TookTooLong(f"more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


texts = st.text(max_size=12) | st.sampled_from(
    ["", " ", "~", "null", "no", "on", "0", "00", "-1", "1e9", ".nan", ".inf", "a b", "..", "../x", "/", "*", "[", "{",
     "!", "\0", "\n", "(", "a/b", "x" * 300, "HEAD^{tree}", "--help", "é", "\u202e", "*.py", "${x}", "{a,b}", "~/x",
     "(a+)+$", "**/**", "fake", "claude_code", "Bash(git *)", "2024-01-01", "0x10", "1_000", "<<", "a::b"]
)  # fmt: skip
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
changes = st.lists(st.tuples(st.integers(0, 400), values), min_size=1, max_size=3)
"""Places of a value by number, and what is to stand there."""


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place below a value, itself included."""
    found = [path]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += paths_of(inner, (*path, key))
    return found


def with_changes(value: Any, changed: list[tuple[int, Any]]) -> Any:
    """A copy of a value in which the places with these numbers hold something else."""
    places = paths_of(value)
    wanted = {places[number % len(places)]: new for number, new in changed}

    def rebuilt(inner: Any, path: tuple[Any, ...]) -> Any:
        if path in wanted:
            return wanted[path]
        if isinstance(inner, dict):
            return {key: rebuilt(each, (*path, key)) for key, each in inner.items()}
        if isinstance(inner, list):
            return [rebuilt(each, (*path, number)) for number, each in enumerate(inner)]
        return inner

    return rebuilt(value, ())


Spoil = Callable[[bytes], bytes]


@st.composite
def spoilings(draw: st.DrawFn) -> Spoil:
    """One thing to do to bytes: cut, repeat, move, replace, flip or put in, somewhere."""
    at, length, to = draw(st.integers(0, 1 << 20)), draw(st.integers(1, 40)), draw(st.integers(0, 1 << 20))
    kind = draw(st.sampled_from(["cut", "cut off", "repeat", "move", "replace", "flip"]))
    put = draw(
        st.binary(max_size=8)
        | st.sampled_from([b"\t", b"- ", b": ", b"{", b"}", b"[", b"]", b"&x ", b"*x", b"<<: ", b"!!int ", b"|\n"])
        | st.sampled_from([b"---\n", b"\n", b"\r", b"#", b"'", b'"', b"\\", b"null", b"1e999", b"\xff", b"\0", b"{}"])
    )  # fmt: skip

    def spoil(data: bytes) -> bytes:
        begin, target = at % (len(data) + 1), to % (len(data) + 1)
        end = min(len(data), begin + length)
        piece = data[begin:end]
        if kind == "cut off":
            return data[:begin]
        if kind == "repeat":
            return data[:end] + piece * (1 + to % 30) + data[end:]
        if kind == "move":
            rest = data[:begin] + data[end:]
            return rest[:target] + piece + rest[target:]
        if kind == "flip":
            return data[:begin] + bytes(byte ^ (1 << to % 8) for byte in piece[:1]) + data[begin + 1 :]
        return data[:begin] + (put if kind == "replace" else b"") + data[end:]

    return spoil


spoiled = st.lists(spoilings(), min_size=1, max_size=4)
"""A few things to do to bytes, one after the other."""


def spoil_all(data: bytes, ways: list[Spoil]) -> bytes:
    """The bytes after all of that."""
    for spoil in ways:
        data = spoil(data)
    return data
