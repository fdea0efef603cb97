"""Converts a loaded suite of any format into the text of a native file, and proves that it means the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bakeoff.dialects.native.document import document_of
from bakeoff.dialects.native.emit import as_yaml
from bakeoff.dialects.native.load import load_native
from bakeoff.dialects.native.sameness import differences
from bakeoff.dialects.problems import Problems
from bakeoff.dialects.yaml import parse_yaml
from bakeoff.errors import Problem, ProblemsFound, UserError
from bakeoff.model.suite import RUNNER, Suite, Unsupported

_OF_SUITES = frozenset({"plugins"})
_OF_TASKS = frozenset({"improve", "safety.canaries", "safety.lure_urls"})
"""Fields that `run` refuses and that the native format can say all the same."""


def convert(suite: Suite, target: Path) -> str:
    """The text of the native file `target` that means what `suite` means; nothing is written.

    Raises ProblemsFound for fields that no later version of the suite could be made from, and
    UserError when the text would mean anything else.
    """
    # Cases of one file share what cannot be said: it is told once.
    problems = tuple(dict.fromkeys(_inexpressible(suite)))
    if problems:
        raise ProblemsFound(problems)
    text = as_yaml(document_of(suite, target.parent))
    _prove(suite, text, target)
    return text


def _inexpressible(suite: Suite) -> Iterator[Problem]:
    for item in suite.unsupported:
        if item.field not in _OF_SUITES:
            yield _problem(item, f"suite {suite.name!r}")
    for task in suite.tasks:
        options = {name for values in task.harness_options.values() for name in values}
        for item in task.unsupported:
            if item.field not in _OF_TASKS | options:
                yield _problem(item, f"task {task.id!r}")
    for arm in {arm.id: arm for arm in (*suite.known_arms, *suite.arms)}.values():
        for item in arm.unsupported:
            if item.field not in {RUNNER, *arm.options}:
                yield _problem(item, f"arm {arm.id!r}")


def _problem(item: Unsupported, owner: str) -> Problem:
    return Problem(
        where=item.where,
        message=f"{owner}: `{item.field}` cannot be converted yet",
        hint="`bakeoff run` does not support it either; nothing is left out silently",
    )


def _prove(suite: Suite, text: str, target: Path) -> None:
    """Load the text as if it were the file; UserError when it does not mean the same."""
    problems = Problems(cwd=Path.cwd())
    node = parse_yaml(text, target, problems)
    made = load_native(target, node, problems) if node is not None else None
    if made is None:
        found = "\n".join(str(each) for each in problems.in_order() if each.severity == "error")
        raise UserError(f"{suite.path} says something that the native format refuses:\n{found}")
    differing = differences(suite, made)
    if differing:
        raise UserError(
            f"{suite.path} says something that the native format cannot say: {', '.join(differing[:5])}",
            hint="please report it with that file",
        )
