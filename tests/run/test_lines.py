"""Lines reach the parser whole, whatever the pieces they came in."""

from hypothesis import given
from hypothesis import strategies as st

from bakeoff.model.trajectory import Trajectory
from bakeoff.process.supervise import Watch
from bakeoff.run import lines
from bakeoff.run.lines import LineFeed


class Collecting:
    """A parser that remembers its lines and ends on request."""

    def __init__(self):
        self.lines = []

    def feed(self, line):
        self.lines.append(line)

    def feed_session(self, line):
        raise AssertionError("the stream is not a session file")

    @property
    def finished(self):
        return b"finished" in self.lines

    @property
    def stop_now(self):
        return b"stop" in self.lines

    def trajectory(self):
        return Trajectory()


@given(st.lists(st.binary(max_size=8)), st.integers(1, 5))
def test_cutting_does_not_depend_on_the_pieces(parts, size):
    stream = b"\n".join(part.replace(b"\n", b"") for part in parts)
    parser = Collecting()
    feed = LineFeed(parser)
    for start in range(0, len(stream), size):
        feed(stream[start : start + size])
    feed.close()
    expected = stream.split(b"\n")
    if not expected[-1]:
        expected.pop()
    assert parser.lines == expected


def test_what_the_parser_says_is_passed_on():
    feed = LineFeed(Collecting())
    assert feed(b"a\nb") is Watch.GO_ON
    assert feed(b"\nfinished\n") is Watch.FINISHED
    assert feed(b"stop\n") is Watch.STOP


def test_a_flood_of_lines_is_counted_and_not_read(monkeypatch):
    monkeypatch.setattr(lines, "MOST_LINES", 5)
    parser = Collecting()
    feed = LineFeed(parser)
    feed(b"1\n2\n3\npart")
    feed(b" 4\n5\n6\n7\n8")
    feed(b"9\n10\n")
    feed.close()
    assert parser.lines == [b"1", b"2", b"3", b"part 4", b"5"]
    assert feed.unread == 4


def test_a_line_without_end_needs_bounded_memory(monkeypatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 10)
    parser = Collecting()
    feed = LineFeed(parser)
    for _ in range(5):
        feed(b"abcd")
    feed(b"\nnext\n")
    assert parser.lines == [b"abcdabcdab", b"next"]
