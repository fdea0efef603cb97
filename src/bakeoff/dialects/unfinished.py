"""Finds what `bakeoff init` left to fill in: a task that still holds it says nothing about an agent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from bakeoff.dialects.problems import Problems
from bakeoff.errors import Where
from bakeoff.model.check import Check
from bakeoff.model.suite import Suite, Task

_MARK = "<fill in: "
_BLANK = re.compile(r"<fill in: [^<>\n]*>")


def blanks_in(text: str) -> Iterator[tuple[int, str]]:
    """The line and the wording of everything in a text that is left to fill in."""
    for number, line in enumerate(text.splitlines(), 1):
        for found in _BLANK.finditer(line):
            yield number, found[0]


def warn_unfinished(suite: Suite, problems: Problems) -> None:
    """Warn about every blank of every task, at its place."""
    for task in suite.tasks:
        if _is_unfinished(task):
            for where, blank in _places(replace(task.where, file=problems.cwd / task.where.file)):
                problems.warning(
                    where,
                    f"this task is not finished: {blank} is left to fill in",
                    "until then its trials say nothing about an agent",
                )


def _is_unfinished(task: Task) -> bool:
    return _MARK in task.prompt or any(_MARK in text for check in task.checks for text in _texts(check))


def _texts(check: Check) -> Iterator[str]:
    for value in vars(check).values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            yield from (item for item in value if isinstance(item, str))


def _places(where: Where) -> Iterator[tuple[Where, str]]:
    """Where the blanks stand in the task's file; the task itself when they stand in another one."""
    found = list(blanks_in(where.file.read_text("utf-8", "replace")))
    for line, blank in found:
        yield Where(where.file, line), blank
    if not found:
        yield where, "something"
