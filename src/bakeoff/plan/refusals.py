"""What an experiment cannot run yet, named with field and place before anything is started."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bakeoff.errors import Problem
from bakeoff.model.suite import RUNNER, Arm, Suite, Task, Unsupported


def unsupported_problems(suite: Suite, tasks: Iterable[Task], arms: Iterable[Arm]) -> tuple[Problem, ...]:
    """A problem for every field that is loaded but cannot be honoured yet."""
    problems = [_problem(item, f"suite {suite.name!r}") for item in suite.unsupported]
    for task in tasks:
        problems += [_problem(item, f"task {task.key!r}") for item in task.unsupported]
    for arm in arms:
        problems += [_problem(_told(item, arm), f"arm {arm.id!r}") for item in arm.unsupported]
    return tuple(problems)


def _told(item: Unsupported, arm: Arm) -> Unsupported:
    return replace(item, field=f"harness {arm.harness!r}") if item.field == RUNNER else item


def _problem(item: Unsupported, owner: str) -> Problem:
    return Problem(
        where=item.where,
        message=f"{owner}: {item.field} is not supported yet",
        hint="the file is valid; leave this one out with --tasks, --drop or --arm to run the rest",
    )
