"""Reads a check of any type from its native keys: a check's class is its schema."""

from __future__ import annotations

import os

from bakeoff.dialects.nodes import Mapping
from bakeoff.dialects.problems import Problems
from bakeoff.dialects.shapes import read_shape
from bakeoff.model.check import Check


def read_check(node: Mapping, kind: type[Check], problems: Problems, name: str) -> Check | None:
    """The check that `node` describes; None when there is a problem, which is then recorded."""
    check = read_shape(node, kind, problems, name)
    if check is None:
        return None
    missing = [source for source in check.sources() if not os.path.exists(source)]
    for source in missing:
        problems.error(node.where, f"`{name}`: there is no file or directory {source}")
    return None if missing else check
