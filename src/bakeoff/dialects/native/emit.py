"""Writes plain values as YAML that reads back as the same values, whatever type a reader expects."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from bakeoff.dialects.nodes import Scalar
from bakeoff.dialects.problems import Problems
from bakeoff.dialects.scalars import read_untyped

_LONGEST_LINE = 90
_MOST_SHORT_KEYS = 4
_FILE = Path("/")
_NOT_IN_BLOCKS = re.compile(
    "[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufdff\U00010000-\U0010fffd]|[ ]$", re.MULTILINE
)


class _Dumper(yaml.SafeDumper):
    """Block style with short lists and mappings on one line; no anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        """Equal values are written out each time."""
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Entries of a list are indented below their key."""
        super().increase_indent(flow, False)


def as_yaml(value: object) -> str:
    """The YAML of nothing but mappings, lists, texts, finite numbers, booleans and None."""
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10**9, default_flow_style=False
    )
    return text


def _text(dumper: _Dumper, text: str) -> yaml.Node:
    style = "|" if _fits_block(text) else None if _is_plain(text) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _fits_block(text: str) -> bool:
    """Whether a text can stand below its key, line by line, without any escape."""
    return "\n" in text and text[0] not in " \n" and not _NOT_IN_BLOCKS.search(text)


def _is_plain(text: str) -> bool:
    """Whether a text without quotes is taken for the same text by every reader."""
    if not text.isprintable():
        return False
    problems = Problems(cwd=_FILE)
    scalar = Scalar(file=_FILE, line=1, column=1, text=text, plain=True)
    return not scalar.is_null and read_untyped(scalar, "", problems) == text and not problems.in_order()


def _list(dumper: _Dumper, items: list[object]) -> yaml.Node:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=_is_short(items))


def _mapping(dumper: _Dumper, values: dict[str, object]) -> yaml.Node:
    short = len(values) <= _MOST_SHORT_KEYS and _is_short([*values, *values.values()])
    return dumper.represent_mapping("tag:yaml.org,2002:map", values, flow_style=short)


def _is_short(values: list[object]) -> bool:
    """Whether single values fit on one line together."""
    if any(isinstance(value, list | dict) and value for value in values):
        return False
    texts = [str(value) for value in values]
    return sum(len(text) + 2 for text in texts) <= _LONGEST_LINE and not any("\n" in text for text in texts)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(list, _list)
_Dumper.add_representer(dict, _mapping)
