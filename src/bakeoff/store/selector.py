"""Addresses of what is recorded: `experiment::suite::task[::case]::arm::k`, and what may be left out.

The first part names an experiment: `latest`, `prev` (the one before), its id, its name (the
newest of that name) or the unique beginning of its id. The others narrow it down, in this
order; each may be left out, and a part stands for the first level from the left that has
that name. The id of a trial, or the unique beginning of one, is an address by itself.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bakeoff.errors import UserError
from bakeoff.model.experiment import ExperimentRecord, PlannedTrial
from bakeoff.model.trial import TrialRecord

SEPARATOR = "::"
LATEST = "latest"
PREVIOUS = "prev"
_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What an experiment is found by."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A part of an experiment; None does not narrow.

    `task` is the name of a task, of one of its cases (`id::case`), or the id that all cases share.
    """

    suite: str | None = None
    task: str | None = None
    arm: str | None = None
    repeat: int | None = None

    def holds(self, suite: str, task: str, arm: str, repeat: int) -> bool:
        """Whether that trial of the experiment is part of it."""
        return (
            self.suite in {None, suite}
            and (self.task in {None, task} or task.startswith(f"{self.task}{SEPARATOR}"))
            and self.arm in {None, arm}
            and self.repeat in {None, repeat}
        )


EVERYWHERE = Place()
"""The whole of an experiment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What an address names.

    Attributes:
        experiment: the experiment.
        place: the part of it that the address names.
        trials: the recorded trials of that part, in the order of the plan.
        single: the address names exactly one planned trial; it is in `trials`.
    """

    experiment: ExperimentRecord
    place: Place
    trials: tuple[TrialRecord, ...]
    single: bool

    @property
    def whole(self) -> bool:
        """The address names the experiment as such."""
        return self.place == EVERYWHERE


def trial_address(trial: TrialRecord) -> str:
    """The full address of a trial, which stays right when other experiments follow."""
    return SEPARATOR.join((trial.experiment, trial.suite, trial.task, trial.arm, str(trial.repeat)))


def place_of(trial: TrialRecord) -> Place:
    """The place that holds this trial only."""
    return Place(suite=trial.suite, task=trial.task, arm=trial.arm, repeat=trial.repeat)


def select(
    address: str, place: Place, experiment: ExperimentRecord, recorded: Sequence[TrialRecord]
) -> Selection:
    """The recorded trials of a place; UserError for a single trial that has no record yet."""
    planned = planned_in(place, experiment)
    single = len(planned) == 1 and place != EVERYWHERE
    if single and not recorded:
        raise UserError(f"{address} is planned, but not recorded yet")
    return Selection(experiment=experiment, place=place, trials=tuple(recorded), single=single)


def planned_in(place: Place, experiment: ExperimentRecord) -> list[PlannedTrial]:
    """The planned trials of a place."""
    return [
        trial
        for trial in experiment.planned
        if place.holds(trial.suite or experiment.suite, trial.task, trial.arm, trial.repeat)
    ]


def find_experiment(word: str, heads: Sequence[Head]) -> str | None:
    """The id of the experiment that `word` names; None when it names none.

    `heads` are newest first. UserError when it names several, or when `latest` or `prev`
    are asked for and there are too few.
    """
    if word in {LATEST, PREVIOUS}:
        return _by_age(word, heads)
    if any(head.id == word for head in heads):
        return word
    named = [head.id for head in heads if head.name == word]
    if named:
        return named[0]
    return unique_beginning(word, (head.id for head in heads), "experiments")


def unique_beginning(word: str, ids: Iterable[str], what: str) -> str | None:
    """The only id that begins with `word`; None when there is none; UserError when several do."""
    begun = [item for item in ids if word and item.startswith(word)]
    if len(begun) > 1:
        shown = ", ".join(begun[:_SHOWN]) + (", ..." if len(begun) > _SHOWN else "")
        raise UserError(f"{word!r} is the beginning of several {what}: {shown}", hint="write more of the id")
    return begun[0] if begun else None


def _by_age(word: str, heads: Sequence[Head]) -> str:
    position = 0 if word == LATEST else 1
    if len(heads) > position:
        return heads[position].id
    if not heads:
        raise UserError(
            "nothing is recorded yet", hint="record something with `bakeoff run` or `bakeoff demo`"
        )
    raise UserError("there is no experiment before the latest one", hint="`bakeoff list` shows them all")


def unknown_experiment(word: str, heads: Sequence[Head]) -> UserError:
    """The error for a word that names nothing recorded."""
    names = [LATEST, PREVIOUS, *(head.name for head in heads), *(head.id for head in heads)]
    return UserError(
        f"no experiment or trial is called {word!r}{_did_you_mean(word, names)}",
        hint="`bakeoff list` shows the recorded experiments",
    )


def narrow(parts: Sequence[str], experiment: ExperimentRecord) -> Place:
    """What the parts after the first one name; UserError when a part names nothing."""
    levels: list[tuple[str, list[str]]] = [
        ("suite", list(dict.fromkeys(task.suite or experiment.suite for task in experiment.tasks))),
        ("task", list(dict.fromkeys(task.id.partition(SEPARATOR)[0] for task in experiment.tasks))),
        ("case", [task.id.partition(SEPARATOR)[2] for task in experiment.tasks if SEPARATOR in task.id]),
        ("arm", [arm.id for arm in experiment.arms]),
        ("repeat", sorted({str(trial.repeat) for trial in experiment.planned}, key=int)),
    ]
    levels = [(level, names) for level, names in levels if names]
    chosen: dict[str, str] = {}
    start = 0
    for part in parts:
        level = next((index for index in range(start, len(levels)) if part in levels[index][1]), None)
        if level is None:
            raise _unknown_part(part, experiment, levels[start:])
        chosen[levels[level][0]] = part
        start = level + 1
    place = Place(
        suite=chosen.get("suite"),
        task=_task_of(chosen, experiment),
        arm=chosen.get("arm"),
        repeat=int(chosen["repeat"]) if "repeat" in chosen else None,
    )
    if not planned_in(place, experiment):
        raise UserError(f"experiment {experiment.id} has no trial {SEPARATOR.join(parts)!r}")
    return place


def _task_of(chosen: dict[str, str], experiment: ExperimentRecord) -> str | None:
    """The name of the task that the parts name: a case alone may be that of one task only."""
    task, case = chosen.get("task"), chosen.get("case")
    if case is None:
        return task
    if task is not None:
        return f"{task}{SEPARATOR}{case}"
    named = list(dict.fromkeys(each.id for each in experiment.tasks if each.id.endswith(SEPARATOR + case)))
    if len(named) > 1:
        raise UserError(f"several tasks have a case {case!r}: {_few(named)}", hint="write task::case")
    return named[0]


def _unknown_part(part: str, experiment: ExperimentRecord, levels: list[tuple[str, list[str]]]) -> UserError:
    if not levels:
        return UserError(
            f"{part!r} is one part too many", hint="an address is experiment::suite::task[::case]::arm::k"
        )
    kinds = " or ".join(kind for kind, _ in levels)
    known = [name for _, names in levels for name in names]
    lists = "; ".join(f"{kind}: {_few(names)}" for kind, names in levels)
    return UserError(
        f"experiment {experiment.id} has no {kinds} {part!r}{_did_you_mean(part, known)}", hint=lists
    )


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _did_you_mean(word: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(word, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
