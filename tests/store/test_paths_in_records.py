"""Paths in records are for people, and still lead back to the bytes that an agent chose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.identity import display_path, raw_path


@given(path=st.binary() | st.text().map(lambda text: text.encode("utf-8", "replace")))
def test_a_displayed_path_leads_back_to_its_bytes(path: bytes) -> None:
    assert raw_path(display_path(path)) == path


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (b"plain/path.py", "plain/path.py"),
        (b"caf\xe9", "caf\\xe9"),
        (b"a\nb", "a\\x0ab"),
        (b"a\\nb", "a\\\\nb"),
        (b"a\\xe9", "a\\\\xe9"),
        ("é".encode(), "é"),
    ],
)
def test_each_byte_is_shown_in_one_way(path: bytes, shown: str) -> None:
    assert display_path(path) == shown
    assert raw_path(shown) == path


@pytest.mark.parametrize("text", ["a\\", "a\\n", "a\\xE9", "a\\x9"])
def test_text_that_is_no_displayed_path_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a displayed path"):
        raw_path(text)
