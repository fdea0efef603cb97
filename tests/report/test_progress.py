"""Progress: plain lines where nobody watches, a bar on a real terminal, and never a crash."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import pytest
from support.records import a_trial, a_void_trial

from bakeoff.model.trial import Progress, TrialRecord
from bakeoff.report.progress import Reporter, told

PLANNED = Progress(planned=12)


def progress(finished: int = 1, **fields: object) -> Progress:
    return Progress(planned=12, finished=finished, **fields)  # type: ignore[arg-type]  # fields of Progress


def lines(*records: TrialRecord, **fields: object) -> list[str]:
    stream = io.StringIO()
    reporter = Reporter(planned=12, name="demo", stream=stream, environ={})
    reporter.start(PLANNED)
    for number, record in enumerate(records, 1):
        reporter.update(record, progress(number, **fields))
    reporter.stop()
    return stream.getvalue().splitlines()


def test_a_line_for_each_trial_and_one_at_the_end() -> None:
    found = lines(
        a_trial(),
        a_trial(task="other", outcome="fail", detail="check hidden\nfailed \x1b[2J"),
        a_void_trial(agent_s=None, detail="the API answered 429"),
        outcomes={"pass": 1, "fail": 1, "void": 1},
        spent_usd=0.1,
        unpriced=1,
        elapsed_s=75.0,
    )
    assert found == [
        "demo: 12 trials",
        "[ 1/12] ✓ pass      fix-bug::right::1  12.5 s  $0.05",
        "[ 2/12] ✗ fail      other::right::1  12.5 s  $0.05  check hidden\\nfailed \\x1b[2J",
        "[ 3/12] ∅ void (rate limit)  fix-bug::right::1  unknown  the API answered 429",
        "3 of 12 trials in 1 min 15 s: 1 pass, 1 fail, 1 void · $0.10+",
    ]


def test_whoever_waits_for_others_is_told_so() -> None:
    stream = io.StringIO()
    reporter = Reporter(planned=12, name="demo", stream=stream, environ={})
    reporter.start(PLANNED)
    reporter.wait(("live \x1b account",))
    reporter.wait(("a", "b"))
    reporter.stop()
    hold = "waiting: other runs on this store hold all places of the concurrency"
    assert stream.getvalue().splitlines()[1:3] == [f"{hold} group live \\x1b account", f"{hold} groups a, b"]


def test_what_was_recorded_earlier_is_told_at_the_start() -> None:
    stream = io.StringIO()
    reporter = Reporter(planned=12, name="demo", stream=stream, environ={})
    reporter.start(progress(5))
    reporter.stop()
    assert stream.getvalue().startswith("demo: 12 trials, 5 recorded earlier\n")


def test_money_is_told_when_any_is_known() -> None:
    assert told(progress(2, outcomes={"pass": 2}, unpriced=2)) == "2 pass"
    assert told(progress(2, outcomes={"pass": 2})) == "2 pass · $0.00"
    assert told(PLANNED) == ""


def test_silence_is_broken_by_a_sign_of_life() -> None:
    stream = io.StringIO()
    reporter = Reporter(planned=12, name="demo", stream=stream, environ={}, heartbeat_s=0.05)
    reporter.start(PLANNED)
    deadline = time.monotonic() + 20
    while stream.getvalue().count("still running") < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    reporter.stop()
    assert "[0/12] still running, no news for 0.05 s\n" in stream.getvalue()
    told_so_far = stream.getvalue()
    time.sleep(0.2)
    assert stream.getvalue() == told_so_far


def test_many_threads_write_whole_lines() -> None:
    stream = io.StringIO()
    reporter = Reporter(planned=400, name="demo", stream=stream, environ={})
    reporter.start(PLANNED)

    def update() -> None:
        for number in range(50):
            reporter.update(a_trial(), progress(number))

    threads = [threading.Thread(target=update) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    reporter.stop()
    body = stream.getvalue().splitlines()[1:-1]
    assert len(body) == 400
    assert all(
        re.fullmatch(r"\[ ?\d+/12\] ✓ pass      fix-bug::right::1  12\.5 s  \$0\.05", line) for line in body
    )


def test_stopping_twice_or_without_a_start_is_no_harm() -> None:
    stream = io.StringIO()
    reporter = Reporter(planned=1, name="demo", stream=stream, environ={})
    reporter.stop()
    assert stream.getvalue() == ""
    reporter.start(PLANNED)
    reporter.stop()
    once = stream.getvalue()
    reporter.stop()
    assert stream.getvalue() == once


def test_a_reader_that_went_away_does_not_end_the_experiment() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    # Unbuffered, so that closing it has nothing left to write.
    stream = io.TextIOWrapper(io.FileIO(writing, "w"), write_through=True)
    reporter = Reporter(planned=1, name="demo", stream=stream, environ={})
    reporter.start(PLANNED)
    reporter.update(a_trial(), progress())
    reporter.stop()
    with pytest.raises(BrokenPipeError):
        stream.write("the pipe is really broken")
    stream.close()


class Terminal:
    """A pseudo-terminal, and everything that was written to it."""

    def __init__(self, stream: TextIO, controller: int) -> None:
        self.stream = stream
        self._controller = controller
        self._read = bytearray()
        self._reader = threading.Thread(target=self._collect, daemon=True)
        self._reader.start()

    def _collect(self) -> None:
        while True:
            try:
                data = os.read(self._controller, 65_536)
            except OSError:
                return
            if not data:
                return
            self._read += data

    def text(self) -> str:
        """What has arrived once the other end is closed."""
        self.stream.close()
        self._reader.join(10)
        return self._read.decode("utf-8")


@contextmanager
def terminal() -> Iterator[Terminal]:
    controller, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    found = Terminal(os.fdopen(other, "w", encoding="utf-8"), controller)
    try:
        yield found
    finally:
        found.stream.close()
        os.close(controller)


def on_terminal(environ: dict[str, str]) -> str:
    with terminal() as found:
        reporter = Reporter(planned=12, name="demo", stream=found.stream, environ=environ)
        reporter.start(PLANNED)
        reporter.update(a_trial(), progress(1, outcomes={"pass": 1}, spent_usd=0.05))
        failed = a_trial(task="other", outcome="fail", detail="why \x1b]0;title\x07[bold]x")
        reporter.update(failed, progress(2, outcomes={"pass": 1, "fail": 1}, spent_usd=0.1))
        reporter.stop()
        return found.text()


def test_a_terminal_gets_a_bar_with_outcomes_money_and_time() -> None:
    text = on_terminal({"TERM": "xterm-256color"})
    assert "\x1b[" in text
    last = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text).replace("\r", "\n")
    assert "demo" in last
    assert "2/12" in last
    assert "1 pass, 1 fail · $0.10" in last
    assert re.search(r"\d:\d\d:\d\d", last)
    # What failed leaves a line above the bar; what passed does not.
    assert "✗ fail  other::right::1  why \\x1b]0;title\\x07[bold]x" in last
    assert "fix-bug" not in last


def test_no_color_leaves_the_bar_without_colour() -> None:
    text = on_terminal({"TERM": "xterm-256color", "NO_COLOR": "1"})
    assert "2/12" in text
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", text)


@pytest.mark.parametrize("environ", [{"TERM": "dumb"}, {"CI": "true", "TERM": "xterm"}])
def test_a_dumb_terminal_and_ci_get_lines(environ: dict[str, str]) -> None:
    text = on_terminal(environ)
    assert "[ 1/12]" in text
    assert "\x1b[2K" not in text
