"""Arms made ready: the adapter is found and the options are validated by its own class."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from bakeoff.dialects.wording import explained
from bakeoff.errors import Problem, ProblemsFound, UserError
from bakeoff.harness.protocol import Harness
from bakeoff.harness.registry import get
from bakeoff.model.suite import Arm, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyArm:
    """An arm with its adapter and its validated options.

    Attributes:
        options: of the arm, where a task says nothing of its own.
        by_task: by the key of each task that does: both together.
    """

    arm: Arm
    harness: Harness
    options: BaseModel
    by_task: Mapping[str, BaseModel] = field(default_factory=dict)

    def options_for(self, task: Task) -> BaseModel:
        """The options that the harness is started with for a task."""
        return self.by_task.get(task.key, self.options)

    @property
    def all_options(self) -> tuple[BaseModel, ...]:
        """Every set of options that it may be started with, each once."""
        found: list[BaseModel] = [self.options]
        found += [options for options in self.by_task.values() if options not in found]
        return tuple(found)


def ready_arms(
    arms: Iterable[Arm], given: Mapping[str, object], tasks: Sequence[Task]
) -> tuple[ReadyArm, ...]:
    """Each arm with adapter and options, for each of `tasks`; every problem of every arm at once.

    `given` are the options that the command line sets, which win over those of a task: what is
    wrong with one is told once.
    """
    ready: list[ReadyArm] = []
    problems: list[Problem] = []
    for arm in arms:
        try:
            harness = get(arm.harness)
            options = harness.Options.model_validate(arm.options, context=_context(arm, given))
        except ValidationError as error:
            problems.extend(_option_problems(arm, error, given))
        except UserError as error:
            problems.extend(
                Problem(
                    where=item.where or arm.where, message=f"arm {arm.id!r}: {item.message}", hint=item.hint
                )
                for item in error.problems
            )
        else:
            by_task, wrong = _by_task(arm, harness, given, tasks)
            problems.extend(wrong)
            ready.append(ReadyArm(arm=arm, harness=harness, options=options, by_task=by_task))
    if problems:
        raise ProblemsFound(tuple(dict.fromkeys(problems)))
    return tuple(ready)


def _context(arm: Arm, given: Mapping[str, object]) -> dict[str, Path]:
    """For options that name files: the directory that they are relative to."""
    written = arm.where is not None and "agent_files" not in given
    return {"folder": Path.cwd() / arm.where.file.parent if arm.where and written else Path.cwd()}


def _by_task(
    arm: Arm, harness: Harness, given: Mapping[str, object], tasks: Sequence[Task]
) -> tuple[dict[str, BaseModel], list[Problem]]:
    """The options of each task that lays its own over those of the arm, and what is wrong with them."""
    found: dict[str, BaseModel] = {}
    problems: list[Problem] = []
    for task in tasks:
        own = task.harness_options.get(arm.harness)
        if not own:
            continue
        try:
            found[task.key] = harness.Options.model_validate(
                {**arm.options, **own, **given}, context=_context(arm, given)
            )
        except ValidationError as error:
            problems += [
                Problem(where=task.where, message=f"task {task.name!r}: {item.message}", hint=item.hint)
                for item in _option_problems(arm, error, given)
            ]
    return found, problems


def _option_problems(arm: Arm, error: ValidationError, given: Mapping[str, object]) -> Iterable[Problem]:
    known = list(get(arm.harness).Options.model_fields)
    for item in error.errors():
        name = ".".join(str(part) for part in item["loc"]) or "options"
        hint = ""
        if item["type"] == "extra_forbidden":
            message = f"{arm.harness} has no option {name!r}"
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}"
        else:
            message, hint = explained(cast("Any", item), name)
        if item["loc"] and item["loc"][0] in given:
            yield Problem(where=None, message=f"-o: {message}", hint=hint)
        else:
            yield Problem(where=arm.where, message=f"arm {arm.id!r}: {message}", hint=hint)
