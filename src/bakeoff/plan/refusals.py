"""What an experiment cannot run yet, named with field and place before anything is started."""

from __future__ import annotations

from collections.abc import Iterable

from bakeoff.errors import Problem, ProblemsFound
from bakeoff.model.suite import Arm, Suite, Task, Unsupported


def refuse_unsupported(suite: Suite, tasks: Iterable[Task], arms: Iterable[Arm]) -> None:
    """Raise ProblemsFound naming every field that is loaded but cannot be honoured yet."""
    problems = [_problem(item, f"suite {suite.name!r}") for item in suite.unsupported]
    for task in tasks:
        problems += [_problem(item, f"task {task.id!r}") for item in task.unsupported]
    for arm in arms:
        problems += [_problem(item, f"arm {arm.id!r}") for item in arm.unsupported]
    if problems:
        raise ProblemsFound(tuple(problems))


def _problem(item: Unsupported, owner: str) -> Problem:
    return Problem(
        where=item.where,
        message=f"{owner}: {item.field} is not supported yet",
        hint="the file is valid; leave this one out with --tasks, --drop or --arm to run the rest",
    )
