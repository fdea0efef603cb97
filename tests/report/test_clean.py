"""Nothing that an agent wrote can steer a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.report.clean import clean, clean_line

any_text = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("größer ✓ 日本 👩‍💻", "größer ✓ 日本 👩‍💻"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("a\rb", "a\\x0db"),
        ("a\r\nb", "a\nb"),
        ("\x00\x08\x7f\x9b", "\\x00\\x08\\x7f\\x9b"),
        ("file\u202egpj.exe", "file\\u202egpj.exe"),
        (
            "\u2066\u2069\u200e\u200f\u061c\ufeff\u2028\u2029",
            "\\u2066\\u2069\\u200e\\u200f\\u061c\\ufeff\\u2028\\u2029",
        ),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_controls_become_visible(text: str, expected: str) -> None:
    assert clean(text) == expected


@given(text=any_text)
def test_no_control_is_left(text: str) -> None:
    left = {
        unicodedata.category(character) for character in clean(text) if character not in "\n\t\u200c\u200d"
    }
    assert not left & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(text=any_text)
def test_one_line_is_one_line(text: str) -> None:
    line = clean_line(text)
    assert line.splitlines() in ([], [line])
    assert "\t" not in line
    assert len(clean_line(text, limit=10)) <= 10


@given(text=any_text)
def test_cleaning_again_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


def test_a_cut_line_says_so() -> None:
    assert clean_line("abcdefghij", limit=10) == "abcdefghij"
    assert clean_line("abcdefghijk", limit=10) == "abcdefg..."
    assert clean_line("  a\nb\tc \n") == "a\\nb c"
