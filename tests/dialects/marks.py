"""A mark in a text shows where a test expects a problem."""

from __future__ import annotations


def unmarked(text: str) -> tuple[str, str]:
    """A text without its mark `¦`, and the line and column where that stood."""
    before, _, after = text.partition("¦")
    line, column = before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1
    return before + after, f"{line}:{column}"
