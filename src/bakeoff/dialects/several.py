"""Makes one suite of several that are to be run together, where nothing in them disagrees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from bakeoff.dialects.field_types import nearest_id
from bakeoff.errors import UserError
from bakeoff.model.suite import Arm, Suite, Task

_APART = "run them one after another"


def as_one(suites: Sequence[Suite]) -> Suite:
    """The suites as one; UserError when formats, arms or settings differ.

    Each task knows the suite that it came with, and stands there once.
    """
    first = suites[0]
    if len(suites) == 1:
        return first
    if len({suite.dialect for suite in suites}) > 1:
        told = ", ".join(f"{suite.name} ({suite.dialect.value})" for suite in suites)
        raise UserError(f"files of several formats cannot be run together: {told}", hint=_APART)
    _agree(suites, "arms", lambda suite: [_bare(arm) for arm in suite.arms])
    for setting in _SETTINGS:
        _agree(suites, setting, lambda suite, name=setting: getattr(suite, name))  # type: ignore[misc]  # bound at once
    names = tuple(dict.fromkeys(suite.name for suite in suites))
    paths = tuple(dict.fromkeys(path for suite in suites for path in (suite.path, *suite.other_paths)))
    return replace(
        first,
        name=nearest_id("+".join(names)),
        path=paths[0],
        other_paths=paths[1:],
        description="",
        tasks=_tasks(suites),
        known_arms=_known_arms(suites),
        unsupported=tuple(dict.fromkeys(item for suite in suites for item in suite.unsupported)),
        keep_workspaces=any(suite.keep_workspaces for suite in suites),
        concurrency_groups=_strictest_caps(suites),
        declared_tags=tuple(dict.fromkeys(tag for suite in suites for tag in suite.declared_tags)),
        experiment_name=None if len(names) > 1 else first.experiment_name,
    )


_SETTINGS = ("repeats", "jobs", "plugins", "min_tasks_for_interval")


def _agree(suites: Sequence[Suite], what: str, value: Callable[[Suite], object]) -> None:
    first = suites[0]
    for other in suites[1:]:
        if value(other) != value(first):
            raise UserError(
                f"{first.name} and {other.name} cannot be run together: their {what} differ", hint=_APART
            )


def _strictest_caps(suites: Sequence[Suite]) -> dict[str, int]:
    caps: dict[str, int] = {}
    for suite in suites:
        for name, cap in suite.concurrency_groups.items():
            caps[name] = min(cap, caps.get(name, cap))
    return caps


def _bare(arm: Arm) -> Arm:
    """An arm without the place in which it is written."""
    return replace(arm, where=None, unsupported=())


def _known_arms(suites: Sequence[Suite]) -> tuple[Arm, ...]:
    """Every arm that may be named; those that mean something else in another suite may not."""
    found: dict[str, list[Arm]] = {}
    for suite in suites:
        for arm in suite.known_arms:
            found.setdefault(arm.id, []).append(arm)
    return tuple(
        arms[0]
        for arms in found.values()
        if len(arms) == len(suites) and all(_bare(arm) == _bare(arms[0]) for arm in arms)
    )


def _tasks(suites: Sequence[Suite]) -> tuple[Task, ...]:
    found: dict[tuple[str, str, str | None], Task] = {}
    for suite in suites:
        for each in suite.tasks:
            task = replace(each, suite=each.suite or suite.name)
            key = (task.suite or "", task.id, task.case)
            same = found.setdefault(key, task)
            if same.where != task.where:
                raise UserError(
                    f"two tasks are called {'::'.join(part for part in key if part)}",
                    where=task.where,
                    hint=f"the first is {same.where}; {_APART}",
                )
    return tuple(found.values())
