"""Which tasks and arms of a suite an experiment uses, as the command line asks."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bakeoff.errors import UserError
from bakeoff.harness.registry import full_name
from bakeoff.model.suite import RUNNER, Arm, Suite, Task
from bakeoff.patterns import Glob, compile_glob
from bakeoff.plan.left_out import LeftOut, Reason
from bakeoff.plan.naming import listed, suggest


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What the command line asks for; empty means: as the suite says.

    Attributes:
        tasks: globs on task ids; any of them.
        drop: globs on task ids to leave out.
        tags: a task needs at least one of them.
        exclude_tags: a task must have none of them.
        all_tags: select tasks too that their tags keep out unless these are asked for.
        no_triggers: leave out the cases of tasks that only tell which skill fires.
        arms: ids of arms, in order.
        harness: replaces the harness of every arm that is left.
        model: replaces the model of every arm that is left.
        options: laid over the options of every arm that is left.
    """

    tasks: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    all_tags: bool = False
    no_triggers: bool = False
    arms: tuple[str, ...] = ()
    harness: str | None = None
    model: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)


def select_tasks(suite: Suite, selection: Selection) -> tuple[Task, ...]:
    """The tasks that are asked for, in the suite's order.

    Raises UserError when a glob or tag names nothing, or when nothing is left.
    """
    wanted = _named(suite.tasks, selection.tasks, "--tasks") if selection.tasks else suite.tasks
    dropped = {task.key for task in _named(suite.tasks, selection.drop, "--drop")}
    _check_tags(suite, (*selection.tags, *selection.exclude_tags))
    left_out = LeftOut()
    chosen = tuple(
        task for task in wanted if not left_out.takes(task, _reason_against(task, selection, dropped))
    )
    if not chosen:
        raise UserError(
            f"no task of suite {suite.name!r} is left by this selection{left_out.told()}",
            hint=left_out.hint() or f"it has {listed(dict.fromkeys(task.id for task in suite.tasks))}",
        )
    return chosen


def _reason_against(task: Task, selection: Selection, dropped: Container[str]) -> Reason | None:
    """Why a task is not selected; None when it is."""
    if task.key in dropped:
        return Reason("dropped by --drop")
    if selection.no_triggers and task.case is not None:
        return Reason("left out by --no-triggers")
    excluded = [tag for tag in task.tags if tag in selection.exclude_tags]
    if excluded:
        return Reason(f"left out by --exclude-tag {excluded[0]}")
    if selection.tags and not set(task.tags) & set(selection.tags):
        return Reason(f"without the tag {' or '.join(selection.tags)}")
    held = [tag for tag in task.held_back_by if tag not in selection.tags]
    if held and not selection.all_tags:
        return Reason(f"left out by default for the tag {' and '.join(held)}", tags=tuple(held))
    return None


def _named(tasks: Sequence[Task], globs: Iterable[str], flag: str) -> tuple[Task, ...]:
    found: set[str] = set()
    for text in globs:
        glob = _id_glob(text, flag)
        matching = [task for task in tasks if glob.match(task.id.encode())]
        if not matching:
            raise UserError(
                f"{flag} {text!r} matches no task",
                hint=suggest(text, [task.id for task in tasks]),
            )
        found.update(task.key for task in matching)
    return tuple(task for task in tasks if task.key in found)


def _id_glob(text: str, flag: str) -> Glob:
    try:
        return compile_glob(text)
    except ValueError as error:
        raise UserError(f"{flag} {text!r}: {error}") from error


def _check_tags(suite: Suite, tags: Iterable[str]) -> None:
    known = sorted({*suite.declared_tags, *(tag for task in suite.tasks for tag in task.tags)})
    for tag in tags:
        if tag not in known:
            raise UserError(f"no task of suite {suite.name!r} has the tag {tag!r}", hint=suggest(tag, known))


def select_arms(suite: Suite, selection: Selection) -> tuple[Arm, ...]:
    """The arms that are asked for, else those that the suite selects itself.

    Raises UserError for an id that is not known, or when two arms end up the same.
    """
    known = {arm.id: arm for arm in (*suite.known_arms, *suite.arms)}
    chosen: list[Arm] = []
    for arm_id in selection.arms:
        if arm_id not in known:
            raise UserError(f"there is no arm {arm_id!r}", hint=suggest(arm_id, list(known)))
        if any(arm.id == arm_id for arm in chosen):
            raise UserError(f"arm {arm_id!r} is named twice", hint="name each arm once")
        chosen.append(known[arm_id])
    arms = tuple(chosen) or _of_harness(selection, known) or suite.arms
    if not arms:
        raise UserError(f"suite {suite.name!r} selects no arm", hint=f"choose with --arm: {listed(known)}")
    return tuple(_overridden(arm, selection) for arm in arms)


def _of_harness(selection: Selection, known: Mapping[str, Arm]) -> tuple[Arm, ...]:
    """The arm that the suite itself has for the harness that is asked for, with what it says of it."""
    name = full_name(selection.harness) if selection.harness else ""
    arm = known.get(name)
    return (arm,) if arm is not None and arm.harness == name else ()


def _overridden(arm: Arm, selection: Selection) -> Arm:
    harness = full_name(selection.harness) if selection.harness else arm.harness
    if harness != arm.harness:
        # Options belong to an adapter; those of another one would not mean the same.
        kept = tuple(item for item in arm.unsupported if item.field not in {*arm.options, RUNNER})
        arm = dataclasses.replace(
            arm, harness=harness, options={}, model=None, model_aliases={}, unsupported=kept
        )
    if selection.model:
        model = arm.model_aliases.get(selection.model, selection.model)
        arm = dataclasses.replace(arm, model=model)
    if selection.options:
        arm = dataclasses.replace(arm, options={**arm.options, **selection.options})
    return arm
