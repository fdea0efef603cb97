"""Secret values never survive in what is written down."""

from __future__ import annotations

import io
import json
import stat
import tracemalloc
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.redact import Redactor

KEY = 'sk-ant/+"quoted"\\café\n'


@pytest.fixture
def redactor() -> Redactor:
    return Redactor({"KEY": "sk-ant-12345", "LONGER": "sk-ant-12345-and-more", "OTHER": "hunter2x"})


def test_every_occurrence_is_replaced(redactor: Redactor) -> None:
    text = "a sk-ant-12345 b hunter2x c sk-ant-12345"
    expected = "a [redacted:KEY#1] b [redacted:OTHER#1] c [redacted:KEY#1]"
    assert redactor.redact_text(text) == expected
    assert redactor.redact(text.encode()) == expected.encode()


def test_the_longer_of_two_values_goes_first(redactor: Redactor) -> None:
    assert redactor.redact_text("sk-ant-12345-and-more!") == "[redacted:LONGER#1]!"
    assert redactor.redact_text("sk-ant-12345-and-less!") == "[redacted:KEY#1]-and-less!"


def test_values_of_one_name_have_numbers() -> None:
    redactor = Redactor({"TOKEN": ("first-value", "second-value", "first-value")})
    assert redactor.redact_text("second-value first-value") == "[redacted:TOKEN#2] [redacted:TOKEN#1]"


def test_one_value_under_two_names_has_the_first() -> None:
    assert Redactor({"A": "same-value", "B": "same-value"}).redact_text("same-value") == "[redacted:A#1]"


def test_short_values_are_left_alone_and_named() -> None:
    redactor = Redactor({"SHORT": "12345", "EMPTY": "", "FINE": "123456"})
    assert redactor.ignored == ("SHORT", "EMPTY")
    assert redactor.redact_text("12345 123456") == "12345 [redacted:FINE#1]"


def test_without_secrets_nothing_changes() -> None:
    redactor = Redactor({})
    assert redactor.redact_text("any \ud800 text") == "any \ud800 text"
    assert redactor.redact(b"any \xff bytes") == b"any \xff bytes"
    out = io.BytesIO()
    redactor.redact_stream(io.BytesIO(b"any \xff bytes"), out)
    assert out.getvalue() == b"any \xff bytes"


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        json.dumps(KEY),
        json.dumps(KEY, ensure_ascii=False),
        json.dumps(json.dumps({"key": KEY})),
        json.dumps(json.dumps({"key": KEY}, ensure_ascii=False), ensure_ascii=False),
        json.dumps(KEY).replace("/", r"\/"),
        f"https://host/?key={quote(KEY)}",
        f"https://host/?key={quote(KEY, safe='')}",
        f"https://host/?key={quote_plus(KEY)}&x",
        f"https://host/?key={quote(KEY, safe='').lower()}",
    ],
)
def test_the_usual_encodings_are_recognised(written: str) -> None:
    redacted = Redactor({"KEY": KEY}).redact_text(written)
    assert "[redacted:KEY#1]" in redacted
    assert "sk-ant" not in redacted


def test_a_document_stays_a_document() -> None:
    redactor = Redactor({"KEY": KEY})
    document = {"a": [KEY, 1, None, True], KEY: {"b": f"x{KEY}y"}}
    expected = {"a": ["[redacted:KEY#1]", 1, None, True], "[redacted:KEY#1]": {"b": "x[redacted:KEY#1]y"}}
    assert json.loads(redactor.redact_text(json.dumps(document))) == expected
    assert redactor.redact_value(document) == expected
    assert redactor.redact_value((KEY, 1.5)) == ["[redacted:KEY#1]", 1.5]


def test_the_lines_of_a_private_key_are_recognised_one_by_one() -> None:
    key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\nshort\n-----END PRIVATE KEY-----"
    redacted = Redactor({"PEM": key}).redact_text(
        "+-----BEGIN PRIVATE KEY-----\n+AQEFAASCBKcwggSjAgEAAoIB\n+short\n"
    )
    assert redacted == "+-----BEGIN PRIVATE KEY-----\n+[redacted:PEM#1]\n+short\n"
    assert Redactor({"PEM": key}).redact_text(f"x{key}y") == "x[redacted:PEM#1]y"


def test_lone_surrogates_and_broken_bytes_survive(redactor: Redactor) -> None:
    assert redactor.redact_text("\ud800 hunter2x \udcff") == "\ud800 [redacted:OTHER#1] \udcff"
    assert redactor.redact(b"\xff hunter2x \x00") == b"\xff [redacted:OTHER#1] \x00"
    odd = Redactor({"ODD": "caf\udce9-secret"})
    assert odd.redact(b"caf\xe9-secret") == b"[redacted:ODD#1]"


class Pieces(io.RawIOBase):
    """An open file that gives its content in pieces of chosen sizes."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self._data = data
        self._sizes = sizes

    def read(self, size: int = -1, /) -> bytes:
        length = self._sizes.pop(0) if self._sizes else size
        piece, self._data = self._data[:length], self._data[length:]
        return piece


ABC = st.text(alphabet='abc"\\', min_size=6, max_size=9)


@given(st.lists(ABC, min_size=1, max_size=4), st.data())
def test_pieces_of_any_size_give_what_the_whole_gives(values: list[str], data: st.DataObject) -> None:
    redactor = Redactor({f"S{number}": value for number, value in enumerate(values)})
    parts = data.draw(
        st.lists(st.one_of(st.sampled_from(values), st.text(alphabet='abc"\\ ', max_size=5)), max_size=8)
    )
    whole = "".join(parts).encode()
    sizes = data.draw(st.lists(st.integers(1, 12), max_size=30))
    out = io.BytesIO()
    redactor.redact_stream(Pieces(whole, sizes), out)  # type: ignore[arg-type]  # only read() is used
    assert out.getvalue() == redactor.redact(whole)
    assert not any(value.encode() in out.getvalue() for value in values)


VALUE = st.text(min_size=4, max_size=12).map(lambda text: f"sk-{text}")


@given(st.lists(VALUE, min_size=1, max_size=3), st.text(max_size=10), st.text(max_size=10))
def test_no_value_is_left_in_a_json_document(values: list[str], before: str, after: str) -> None:
    redactor = Redactor({f"S{number}": value for number, value in enumerate(values)})
    for value in values:
        for ascii_only in (True, False):
            written = json.dumps({"t": before + value + after}, ensure_ascii=ascii_only)
            text = json.loads(redactor.redact_text(written))["t"]
            assert value not in text


def test_a_file_is_redacted_across_its_chunks(tmp_path: Path) -> None:
    secret = "s3cret-" + "x" * 40
    redactor = Redactor({"KEY": secret})
    megabyte = 1024 * 1024
    source, destination = tmp_path / "source", tmp_path / "destination"
    with source.open("wb") as file:
        for number in range(1, 4):
            file.write(b"." * (megabyte * number - 20 - file.tell()) + secret.encode())
    redactor.redact_file(source, destination)
    content = destination.read_bytes()
    assert content.count(b"[redacted:KEY#1]") == 3
    assert b"s3cret" not in content
    assert content == redactor.redact(source.read_bytes())


def test_a_redacted_file_is_private_and_complete_or_not_there(tmp_path: Path) -> None:
    redactor = Redactor({"KEY": "sk-ant-12345"})
    source = tmp_path / "source"
    source.write_text("sk-ant-12345")
    source.chmod(0o644)
    redactor.redact_file(source, source)
    assert source.read_text() == "[redacted:KEY#1]"
    assert stat.S_IMODE(source.stat().st_mode) == 0o600
    with pytest.raises(FileNotFoundError):
        redactor.redact_file(tmp_path / "missing", tmp_path / "destination")
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_a_large_file_needs_little_memory(tmp_path: Path) -> None:
    redactor = Redactor({"KEY": "sk-ant-12345"})
    source, destination = tmp_path / "source", tmp_path / "destination"
    with source.open("wb") as file:
        for _ in range(32):
            file.write(b"a line of output without anything\n" * 30_000)
    tracemalloc.start()
    redactor.redact_file(source, destination)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert destination.stat().st_size == source.stat().st_size > 30_000_000
    assert peak < 8_000_000
