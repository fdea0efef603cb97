"""Addresses in an experiment with several suites, whose tasks share ids and have cases."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.homes import a_store
from support.records import a_trial, over

from bakeoff.errors import UserError
from bakeoff.model.experiment import PlannedTrial
from bakeoff.store.database import Store
from bakeoff.store.selector import trial_address

TASKS = [
    ("greet", "hello"),
    ("greet", "when::say-hi-1"),
    ("greet", "when::make-tea-2"),
    ("greet", "when-not"),
    ("release", "hello"),
    ("release", "when::say-hi-1"),
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """One experiment in which every planned trial is recorded."""
    made = a_store(tmp_path)
    planned = [PlannedTrial(suite=suite, task=task, arm="fake", repeat=1) for suite, task in TASKS]
    made.start(over(planned, suite="shop", id="exp_1"))
    for order, trial in enumerate(planned):
        made.record(a_trial(**trial.model_dump(), experiment="exp_1", order=order, id=f"trial_{order}"))
    return made


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("latest::greet", [0, 1, 2, 3]),
        ("latest::hello", [0, 4]),
        ("latest::release::hello", [4]),
        ("latest::when", [1, 2, 5]),
        ("latest::greet::when", [1, 2]),
        ("latest::greet::when::make-tea-2", [2]),
        ("latest::make-tea-2", [2]),
        ("latest::when::say-hi-1", [1, 5]),
        ("latest::release::when::say-hi-1::fake::1", [5]),
        ("latest::when-not", [3]),
        ("latest::fake", [0, 1, 2, 3, 4, 5]),
    ],
)
def test_each_part_narrows(store: Store, address: str, expected: list[int]) -> None:
    selection = store.resolve(address)

    assert [trial.order for trial in selection.trials] == expected
    assert selection.single == (len(expected) == 1)


def test_the_full_address_of_each_trial_names_that_trial(store: Store) -> None:
    for trial in store.trials("exp_1"):
        address = trial_address(trial)
        assert address == f"exp_1::{trial.suite}::{trial.task}::fake::1"
        assert store.resolve(address).trials == (trial,)


def test_what_names_nothing_tells_of_suites_and_cases(store: Store) -> None:
    with pytest.raises(UserError, match="has no suite or task or case or arm or repeat 'gret'; did you mean"):
        store.resolve("latest::gret")
    with pytest.raises(UserError, match="has no trial 'release::when-not'"):
        store.resolve("latest::release::when-not")
