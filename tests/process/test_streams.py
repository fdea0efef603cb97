"""Copies and feeds move what can be moved now, and never wait."""

from __future__ import annotations

import os
import select
import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bakeoff.process.streams import CappedCopy, Feed


@given(pieces=st.lists(st.binary(min_size=1, max_size=200), max_size=8), cap=st.integers(0, 600))
def test_a_copy_keeps_the_first_bytes_and_counts_the_rest(pieces: list[bytes], cap: int) -> None:
    reading, writing = os.pipe()
    kept = os.memfd_create("kept") if hasattr(os, "memfd_create") else os.open("/dev/null", os.O_RDWR)
    copy = CappedCopy(reading, kept, cap)
    for piece in pieces:
        os.write(writing, piece)
        assert copy.step()
    os.close(writing)
    assert not copy.step()
    whole = b"".join(pieces)
    assert os.pread(kept, 10_000, 0) == whole[:cap]
    assert copy.dropped == max(0, len(whole) - cap)
    assert copy.head == whole[:4096]
    os.close(reading)
    os.close(kept)


def test_draining_does_not_wait_for_somebody_who_holds_the_pipe(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with (tmp_path / "kept").open("wb") as file:
        copy = CappedCopy(reading, file.fileno(), 100)
        os.write(writing, b"last words")
        copy.drain()
        assert copy.step()
    assert (tmp_path / "kept").read_bytes() == b"last words"
    os.close(writing)
    os.close(reading)


def test_draining_ends_although_somebody_writes_for_ever(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with (tmp_path / "kept").open("wb") as file:
        copy = CappedCopy(reading, file.fileno(), 100)
        with subprocess.Popen(["yes"], stdout=writing) as endless:
            try:
                assert select.select([reading], [], [], 10)[0]
                copy.drain()
            finally:
                endless.kill()
    assert (tmp_path / "kept").read_bytes() == b"y\n" * 50
    os.close(writing)
    os.close(reading)


def test_a_feed_gives_what_is_taken(tmp_path: Path) -> None:
    data = os.urandom(500_000)
    (tmp_path / "input").write_bytes(data)
    reading, writing = os.pipe()
    source = os.open(tmp_path / "input", os.O_RDONLY)
    feed = Feed(source, writing)
    taken = b""
    while feed.step():
        taken += os.read(reading, 100_000)
    os.close(writing)
    while piece := os.read(reading, 100_000):
        taken += piece
    assert taken == data
    os.close(source)
    os.close(reading)


def test_a_feed_ends_when_nobody_reads(tmp_path: Path) -> None:
    (tmp_path / "input").write_bytes(b"x")
    reading, writing = os.pipe()
    os.close(reading)
    source = os.open(tmp_path / "input", os.O_RDONLY)
    assert not Feed(source, writing).step()
    os.close(source)
    os.close(writing)
