"""Reads a YAML file into nodes that know their places; whatever the bytes are, never a traceback."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from bakeoff.dialects.document import Document, Misplaced
from bakeoff.dialects.nodes import Node, Scalar
from bakeoff.dialects.problems import Problems
from bakeoff.errors import Where

MOST_BYTES = 5_000_000
"""A file of tasks that is larger was not written by hand."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_BYTE_ORDER_MARK = "\ufeff"


def read_yaml(file: Path, problems: Problems) -> Node | None:
    """The one document of a file; None when there is a problem, which is then recorded."""
    problems.open(file)
    text = _read_text(file, problems)
    return None if text is None else parse_yaml(text, file, problems)


def parse_yaml(text: str, file: Path, problems: Problems) -> Node | None:
    """The one document of a text, which messages say stands in `file`."""
    document = Document(file=file, problems=problems)
    try:
        for event in _events(text):
            document.take(event)
    except yaml.MarkedYAMLError as error:
        problems.error(*_explained(file, text, error))
        return None
    except yaml.YAMLError as error:
        problems.error(Where(file), f"is not valid YAML: {error}")
        return None
    except Misplaced as error:
        problems.error(error.where, error.message, error.hint)
        return None
    root = document.root
    if root is None or (isinstance(root, Scalar) and root.is_null):
        problems.error(Where(file), "is empty", "write the task or suite into it, or remove the file")
        return None
    return root


def _read_text(file: Path, problems: Problems) -> str | None:
    data = _read_bytes(file, problems)
    if data is None:
        return None
    if data.startswith(_UTF16_MARKS):
        problems.error(Where(file, 1, 1), "is written in UTF-16", "save it as UTF-8")
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        problems.error(
            _where(file, before), f"byte 0x{data[error.start]:02x} is not UTF-8", "save the file as UTF-8"
        )
        return None
    if text.startswith(_BYTE_ORDER_MARK):
        problems.warning(Where(file, 1, 1), "begins with a byte order mark, which is ignored")
        text = text[1:]
    forbidden = _FORBIDDEN.search(text)
    if forbidden:
        problems.error(
            _where(file, text[: forbidden.start()]),
            f"the character U+{ord(forbidden[0]):04X} is not allowed in YAML",
            "remove it, or write it as an escape in double quotes",
        )
        return None
    return text


def _read_bytes(file: Path, problems: Problems) -> bytes | None:
    try:
        # Without O_NONBLOCK, opening a named pipe would wait for ever.
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as opened:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                problems.error(Where(file), "is not a regular file")
                return None
            data = opened.read(MOST_BYTES + 1)
    except OSError as error:
        problems.error(Where(file), f"cannot be read: {os.strerror(error.errno or 0)}")
        return None
    if len(data) > MOST_BYTES:
        problems.error(
            Where(file),
            f"is larger than {MOST_BYTES // 1_000_000} MB ({status.st_size:,} bytes)",
            "is this the file you meant? A task is a short text",
        )
        return None
    return data


def _where(file: Path, before: str) -> Where:
    """The place that follows `before`."""
    return Where(file, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)


def _events(text: str) -> Iterator[Any]:
    # Events, not `compose`: that one recurses in C, so deep nesting would end the process.
    loader = _LOADER(text)
    try:
        while (event := loader.get_event()) is not None:
            yield event
    finally:
        loader.dispose()


_WORDS = (
    ("mapping values are not allowed", "a text that holds `: ` must stand in quotes, or below `key: |`"),
    ("cannot start any token", "put quotes around a text that begins with this character"),
    ("could not find expected ':'", "every line of a mapping is `key: value`; check the indentation"),
    ("while parsing a block mapping", "check the indentation: keys of one mapping begin in the same column"),
    ("while parsing a block collection", "check the indentation: entries of a list begin in the same column"),
    ("while parsing a flow", "a `[` or `{` is not closed, or a comma is missing"),
    ("while scanning a quoted scalar", "the quote that begins here is not closed"),
    ("unknown escape character", "in double quotes write `\\\\` for a backslash, or use single quotes"),
)


def _explained(file: Path, text: str, error: yaml.MarkedYAMLError) -> tuple[Where, str, str]:
    """Place, message and hint for a fault of syntax."""
    said = " ".join(part for part in (error.context, error.problem) if part)
    last = text.rstrip().count("\n")
    marks = [mark for mark in (error.problem_mark, error.context_mark) if mark is not None]
    # What is not closed is noticed behind the last line; it began elsewhere.
    mark = next((mark for mark in marks if mark.line <= last), None)
    if mark is None:
        return _where(file, text.rstrip()), f"is not valid YAML: {said}", "something is not closed"
    # The parser counts from 0.
    where = Where(file, mark.line + 1, mark.column + 1)
    if _is_tab_in_indentation(text, mark.line):
        return where, "a tab is used to indent", "indent with spaces: YAML does not allow tabs there"
    hint = next((words for sign, words in _WORDS if sign in said), "")
    return where, f"is not valid YAML: {said}", hint


def _is_tab_in_indentation(text: str, line: int) -> bool:
    lines = text.splitlines()
    found = lines[line] if line < len(lines) else ""
    return "\t" in found[: len(found) - len(found.lstrip())]
