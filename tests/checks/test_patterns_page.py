"""The page about globs and regular expressions says what the code does."""

from __future__ import annotations

import re

import pytest
from support.machine import CHECKOUT

from bakeoff.patterns import compile_glob, compile_regex

PAGE = (CHECKOUT / "docs" / "concepts" / "patterns.md").read_text(encoding="utf-8")


def test_every_glob_of_the_table_can_be_used() -> None:
    rows = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    globs = [glob for row in rows for glob in re.findall(r"`([^`]+)`", row)]
    assert len(globs) >= 9
    for glob in globs:
        compile_glob(glob)


@pytest.mark.parametrize("pattern", [r"\p{L}"])
def test_what_only_the_library_has_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="bad escape"):
        compile_regex(pattern)


def test_the_differences_that_remain_are_those_named() -> None:
    assert compile_regex(r"a{e<=1}").search("a{e<=1}")
    for character in map(chr, range(0x80)):
        for pattern in (r"\w", r"\d", r"\s", r".", r"(?i)k"):
            same = bool(re.search(pattern, character)) == bool(compile_regex(pattern).search(character))
            assert same or ("\x1c" <= character <= "\x1f" and pattern == r"\s")
    assert compile_regex(r"\w").search("\u0301")
    assert not re.search(r"\w", "\u0301")
