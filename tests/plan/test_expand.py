"""The order of an experiment: complete, repeatable, interleaved."""

from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import Where
from bakeoff.model.suite import Arm, Dialect, FolderStart, Suite, Task
from bakeoff.plan.expand import expand

HERE = Where(Path("suite.yaml"), 1, 1)


def make_suite(tasks: int, arms: int) -> Suite:
    return Suite(
        name="made-up",
        path=Path("suite.yaml"),
        dialect=Dialect.HARNESS_LAB,
        tasks=tuple(
            Task(
                id=f"task-{number}",
                title="",
                prompt="",
                start=FolderStart(folder=None),
                checks=(),
                where=HERE,
                dialect=Dialect.HARNESS_LAB,
            )
            for number in range(tasks)
        ),
        arms=tuple(Arm(id=f"arm-{number}", harness="fake") for number in range(arms)),
    )


@given(st.integers(1, 6), st.integers(1, 4), st.integers(1, 5), st.integers())
def test_every_trial_is_planned_once_and_in_blocks(tasks, arms, repeats, seed):
    suite = make_suite(tasks, arms)
    specs = expand(suite, suite.tasks, suite.arms, repeats=repeats, seed=seed)
    assert [spec.order for spec in specs] == list(range(tasks * arms * repeats))
    assert len({spec.key for spec in specs}) == len(specs)
    block = tasks * arms
    for start in range(0, len(specs), block):
        # Each repeat is complete before the next begins, so an early end is balanced.
        assert len({spec.repeat for spec in specs[start : start + block]}) == 1
    for start in range(0, len(specs), arms):
        # The arms of a task stand next to each other, so drift falls on all alike.
        assert len({spec.task.id for spec in specs[start : start + arms]}) == 1


def test_the_seed_alone_decides_the_order():
    suite = make_suite(8, 3)

    def keys(seed: int) -> list[str]:
        return [spec.key for spec in expand(suite, suite.tasks, suite.arms, repeats=2, seed=seed)]

    assert keys(7) == keys(7)
    assert keys(7) != keys(8)


def test_no_arm_is_always_first():
    suite = make_suite(40, 2)
    specs = expand(suite, suite.tasks, suite.arms, repeats=1, seed=1)
    first = Counter(spec.arm.id for spec in specs[::2])
    assert min(first.values()) >= 10
