"""What an experiment cannot run yet, named with field and place before anything is started."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bakeoff.errors import Problem
from bakeoff.model.suite import RUNNER, Arm, Suite, Task, Unsupported

_WHOLE = "the file is valid; this counts for all of the suite, so that no part of it can be run yet"
_PART = "the file is valid; leave this one out with --tasks, --drop, --no-triggers or --arm to run the rest"


def unsupported_problems(suite: Suite, tasks: Iterable[Task], arms: Iterable[Arm]) -> tuple[Problem, ...]:
    """A problem for every field that is loaded but cannot be honoured yet."""
    problems = [_problem(item, f"suite {suite.name!r}", _WHOLE) for item in suite.unsupported]
    owners: dict[Unsupported, list[str]] = {}
    for task in tasks:
        for item in task.unsupported:
            owners.setdefault(item, []).append(task.key)
    problems += [_problem(item, _tasks(names), _PART) for item, names in owners.items()]
    for arm in arms:
        problems += [_problem(_told(item, arm), f"arm {arm.id!r}", _PART) for item in arm.unsupported]
    return tuple(problems)


def _tasks(names: list[str]) -> str:
    """The first of the tasks that share a field of one file, and how many others do."""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"task {names[0]!r}{more}"


def _told(item: Unsupported, arm: Arm) -> Unsupported:
    return replace(item, field=f"harness {arm.harness!r}") if item.field == RUNNER else item


def _problem(item: Unsupported, owner: str, hint: str) -> Problem:
    message = f"{owner}: {item.field} is not supported yet"
    return Problem(where=item.where, message=message, hint=hint)
