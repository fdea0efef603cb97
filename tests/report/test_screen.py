"""What a report is drawn on: a terminal's own width and colour, and the same everywhere else."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import termios
from collections.abc import Iterator
from typing import TextIO

import pytest

from bakeoff.report.screen import PLAIN_WIDTH, Page, Screen, screen_for, write


@pytest.fixture
def terminal() -> Iterator[TextIO]:
    controller, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 91, 0, 0))
    with os.fdopen(other, "w", encoding="utf-8") as stream:
        yield stream
    os.close(controller)


def resize(stream: TextIO, columns: int) -> None:
    fcntl.ioctl(stream.fileno(), termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))


def test_a_terminal_has_its_own_width_and_colour(terminal: TextIO) -> None:
    assert screen_for(terminal, {"TERM": "xterm"}) == Screen(width=91, colour=True, unicode=True)


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_can_be_declined(terminal: TextIO, environ: dict[str, str]) -> None:
    assert not screen_for(terminal, environ).colour
    assert screen_for(terminal, {"NO_COLOR": ""}).colour


def test_a_width_that_cannot_be_true_is_not_believed(terminal: TextIO) -> None:
    resize(terminal, 0)
    assert screen_for(terminal, {}).width == PLAIN_WIDTH
    resize(terminal, 3)
    assert screen_for(terminal, {}).width == 40


@pytest.mark.parametrize(
    ("encoding", "expected"), [("utf-8", True), ("UTF8", True), ("ascii", False), ("latin-1", False)]
)
def test_signs_beyond_ascii_need_an_encoding_that_has_them(encoding: str, expected: bool) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    assert screen_for(stream, {"TERM": "xterm"}) == Screen(width=PLAIN_WIDTH, colour=False, unicode=expected)


def test_what_an_encoding_lacks_is_escaped() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="latin-1")
    write(stream, "é ✓ \ud800")
    assert raw.getvalue() == b"\xe9 \\u2713 \\ud800"


def test_paragraphs_wrap_and_blocks_do_not() -> None:
    page = Page(Screen(width=40))
    page.paragraph("word " * 20, indent=2)
    page.block("x" * 100 + "\n\n  [red]kept[/red] :smile:", indent=4)
    lines = page.text().splitlines()
    assert all(len(line) <= 40 for line in lines[:3])
    assert lines[3:] == ["    " + "x" * 100, "", "      [red]kept[/red] :smile:"]


@pytest.mark.parametrize(
    ("told", "width"), [("72", 72), ("7", 40), ("0", PLAIN_WIDTH), ("-5", PLAIN_WIDTH), ("wide", PLAIN_WIDTH)]
)
def test_columns_are_honoured_where_nobody_watches(told: str, width: int) -> None:
    assert screen_for(io.StringIO(), {"COLUMNS": told}).width == width


def test_columns_go_before_what_a_terminal_says(terminal: TextIO) -> None:
    assert screen_for(terminal, {"COLUMNS": "120"}).width == 120
    assert screen_for(terminal, {"COLUMNS": ""}).width == 91
