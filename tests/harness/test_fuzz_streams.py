"""Recorded streams, spoilt: every parser survives them in time, and what it tells can be stored."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest
from harness.test_contract import check, options_of, streams
from hypothesis import given
from hypothesis import strategies as st
from support.fuzzing import Spoil, bounded_time, changes, examples, spoil_all, spoiled, with_changes

from bakeoff.harness.protocol import Harness
from bakeoff.harness.registry import HARNESSES
from bakeoff.run.lines import LineFeed

LARGEST = 150_000
"""Bytes of one recorded stream that are spoilt; what comes after them is like them."""

SESSIONS = sorted((Path(__file__).parents[1] / "recorded" / "claude").glob("*/session/**/*.jsonl"))

every_harness = pytest.mark.parametrize("harness", HARNESSES.values(), ids=list(HARNESSES))


@functools.cache
def recorded_streams(name: str) -> list[bytes]:
    return [stream[:LARGEST] for stream in streams(name)]


def play(harness: Harness, stream: bytes, pieces: int, session: bytes = b"") -> None:
    """Feed a stream in pieces as a watcher gets it, then a session file; look at what was learned."""
    with bounded_time():
        parser = harness.parser(options_of(harness))
        feed = LineFeed(parser)
        size = max(1, len(stream) // pieces)
        for begin in range(0, len(stream), size):
            feed(stream[begin : begin + size])
        feed.close()
        for line in session.split(b"\n"):
            parser.feed_session(line)
        told = parser.trajectory()
    check(told)


@every_harness
@examples(40)
@given(number=st.integers(0, 1000), ways=spoiled, pieces=st.integers(1, 50))
def test_any_bytes_of_a_stream(harness: Harness, number: int, ways: list[Spoil], pieces: int) -> None:
    recorded = recorded_streams(harness.name)
    play(harness, spoil_all(recorded[number % len(recorded)], ways), pieces)


@every_harness
@examples(40)
@given(number=st.integers(0, 1000), first=st.integers(0, 1000), changed=st.lists(changes, max_size=6))
def test_any_events_in_a_stream(
    harness: Harness, number: int, first: int, changed: list[list[tuple[int, object]]]
) -> None:
    recorded = recorded_streams(harness.name)
    lines = [line for line in recorded[number % len(recorded)].split(b"\n") if line.startswith(b"{")]
    for offset, change in enumerate(changed):
        at = (first + offset * 7) % (len(lines) or 1)
        try:
            event = json.loads(lines[at])
        except (ValueError, IndexError):
            continue  # the last line, which was cut, or a stream without events
        lines[at] = json.dumps(with_changes(event, change)).encode()
    play(harness, b"\n".join(lines), 3)


@every_harness
@examples(20)
@given(number=st.integers(0, 1000), ways=spoiled)
def test_any_bytes_of_a_session_file(harness: Harness, number: int, ways: list[Spoil]) -> None:
    recorded = recorded_streams(harness.name)
    session = SESSIONS[number % len(SESSIONS)].read_bytes()[:LARGEST]
    play(harness, recorded[number % len(recorded)], 1, spoil_all(session, ways))
