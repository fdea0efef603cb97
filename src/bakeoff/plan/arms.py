"""Arms made ready: the adapter is found and the options are validated by its own class."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from bakeoff.dialects.wording import explained
from bakeoff.errors import Problem, ProblemsFound, UserError
from bakeoff.harness.protocol import Harness
from bakeoff.harness.registry import get
from bakeoff.model.suite import Arm


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyArm:
    """An arm with its adapter and its validated options."""

    arm: Arm
    harness: Harness
    options: BaseModel


def ready_arms(arms: Iterable[Arm], given: Collection[str] = ()) -> tuple[ReadyArm, ...]:
    """Each arm with adapter and options; every problem of every arm at once.

    `given` are the options that the command line sets: what is wrong with one is told once.
    """
    ready: list[ReadyArm] = []
    problems: list[Problem] = []
    for arm in arms:
        try:
            harness = get(arm.harness)
            ready.append(
                ReadyArm(arm=arm, harness=harness, options=harness.Options.model_validate(arm.options))
            )
        except ValidationError as error:
            problems.extend(_option_problems(arm, error, given))
        except UserError as error:
            problems.extend(
                Problem(
                    where=item.where or arm.where, message=f"arm {arm.id!r}: {item.message}", hint=item.hint
                )
                for item in error.problems
            )
    if problems:
        raise ProblemsFound(tuple(dict.fromkeys(problems)))
    return tuple(ready)


def _option_problems(arm: Arm, error: ValidationError, given: Collection[str]) -> Iterable[Problem]:
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
