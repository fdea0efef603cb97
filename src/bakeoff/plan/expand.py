"""From tasks and arms to the trials of an experiment, in a fair and repeatable order."""

from __future__ import annotations

import random
from collections.abc import Sequence

from bakeoff.model.suite import Arm, Suite, Task
from bakeoff.model.trial import TrialSpec


def expand(
    suite: Suite, tasks: Sequence[Task], arms: Sequence[Arm], *, repeats: int, seed: int
) -> tuple[TrialSpec, ...]:
    """Every task under every arm, `repeats` times, interleaved.

    The order is a function of `seed` alone. Each repeat is a block that holds every task
    once, in shuffled order, and the arms of a task stand next to each other in shuffled
    order: drift of the machine or the provider during an experiment falls on all arms
    alike, and an experiment that stops early is balanced.
    """
    chance = random.Random(seed)  # noqa: S311 - an order that can be repeated, not a secret
    cells: list[tuple[Task, Arm, int]] = []
    for repeat in range(1, repeats + 1):
        for task in chance.sample(list(tasks), len(tasks)):
            cells.extend((task, arm, repeat) for arm in chance.sample(list(arms), len(arms)))
    return tuple(
        TrialSpec(suite=task.suite or suite.name, task=task, arm=arm, repeat=repeat, order=order)
        for order, (task, arm, repeat) in enumerate(cells)
    )
