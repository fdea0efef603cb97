r"""Making text that an agent wrote harmless for a terminal: controls become visible escapes.

A terminal obeys what it is sent: cursor movements hide lines, title sequences run through
shells, bidirectional controls make a path read backwards. Everything that could steer it is
shown as `\x1b` or `\u202e` instead.
"""

from __future__ import annotations

import re
import unicodedata

_HARMLESS_FORMATS = frozenset("\u200c\u200d")
"""Joiners that words and emoji of some scripts need; they move nothing."""

_STEERING_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_PLAIN = re.compile(r"[\x20-\x7e\n\t]*")


def clean(text: str) -> str:
    """`text` with every control character escaped; line breaks and tabs stay.

    The two characters of a Windows line break count as one line break.
    """
    if _PLAIN.fullmatch(text):
        return text
    return "".join(_escape(character) for character in text.replace("\r\n", "\n"))


def clean_line(text: str, *, limit: int | None = None) -> str:
    r"""`text` as one line: line breaks become `\n`, tabs spaces; cut with `...` at `limit` characters."""
    line = clean(text.strip()).replace("\n", "\\n").replace("\t", " ")
    return line if limit is None or len(line) <= limit else line[: max(limit - 3, 0)] + "..."


def _escape(character: str) -> str:
    if character in "\n\t" or character in _HARMLESS_FORMATS:
        return character
    if unicodedata.category(character) not in _STEERING_CATEGORIES:
        return character
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
