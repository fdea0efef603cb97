"""Addresses name what people mean, and say what they could have meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.homes import a_store
from support.records import a_trial, an_experiment

from bakeoff.errors import UserError
from bakeoff.store.database import Store
from bakeoff.store.selector import trial_address

TASKS, ARMS = ("fix-bug", "feature"), ("claude", "fake")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = a_store(tmp_path)
    for number, (experiment, name) in enumerate(
        [("exp_aaa1", "nightly"), ("exp_aaa2", "nightly"), ("exp_bbb1", "other")]
    ):
        made.start(
            an_experiment(
                TASKS, ARMS, 2, id=experiment, name=name, created_at=f"2026-03-0{number + 1}T10:00:00Z"
            )
        )
    for order, planned in enumerate(made.experiment("exp_bbb1").planned):
        fields = planned.model_dump(exclude_none=True)
        made.record(
            a_trial(**fields, experiment="exp_bbb1", order=order, id=f"trial_{chr(ord('a') + order)}")
        )
    return made


def names(store: Store, address: str) -> list[str]:
    return [f"{trial.task}/{trial.arm}/{trial.repeat}" for trial in store.resolve(address).trials]


@pytest.mark.parametrize(
    ("address", "experiment"),
    [
        ("latest", "exp_bbb1"),
        ("prev", "exp_aaa2"),
        ("exp_aaa1", "exp_aaa1"),
        ("nightly", "exp_aaa2"),
        ("exp_b", "exp_bbb1"),
        ("exp_aaa2", "exp_aaa2"),
    ],
)
def test_an_experiment_is_found_by_age_id_name_or_beginning(
    store: Store, address: str, experiment: str
) -> None:
    selection = store.resolve(address)
    assert selection.experiment.id == experiment
    assert selection.whole
    assert not selection.single


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("latest::demo", 8),
        ("latest::demo::fix-bug", 4),
        ("latest::fix-bug", 4),
        ("latest::claude", 4),
        ("latest::2", 4),
        ("latest::fix-bug::fake", 2),
        ("latest::demo::claude", 4),
        ("latest::claude::2", 2),
        ("latest::demo::fix-bug::fake::2", 1),
        ("latest::fix-bug::fake::2", 1),
        ("latest::demo::fix-bug::2", 2),
    ],
)
def test_parts_may_be_left_out(store: Store, address: str, expected: int) -> None:
    selection = store.resolve(address)
    assert len(selection.trials) == expected
    assert selection.single == (expected == 1)
    assert not selection.whole or address == "latest"


def test_the_full_address_names_the_one_trial(store: Store) -> None:
    for trial in store.trials("exp_bbb1"):
        selection = store.resolve(trial_address(trial))
        assert selection.single
        assert selection.trials == (trial,)


def test_a_trial_is_found_by_its_id_or_the_beginning_of_it(store: Store) -> None:
    assert names(store, "trial_c") == ["fix-bug/claude/2"]
    selection = store.resolve("trial_c")
    assert selection.single
    assert selection.experiment.id == "exp_bbb1"
    with pytest.raises(UserError, match="'trial_' is the beginning of several trials: trial_a, trial_b"):
        store.resolve("trial_")


def test_a_part_is_the_first_level_that_has_that_name(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    store.start(an_experiment(["demo", "1"], ["1", "demo"], 1, id="exp_1"))
    for order, planned in enumerate(store.experiment("exp_1").planned):
        store.record(
            a_trial(
                **planned.model_dump(exclude_none=True), experiment="exp_1", order=order, id=f"trial_{order}"
            )
        )
    assert len(store.resolve("latest::demo").trials) == 4
    assert names(store, "latest::demo::demo") == ["demo/1/1", "demo/demo/1"]
    assert names(store, "latest::demo::demo::demo") == ["demo/demo/1"]
    assert names(store, "latest::1::1::1") == ["1/1/1"]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("latst", r"no experiment or trial is called 'latst'; did you mean 'latest'\?"),
        ("nigtly", r"did you mean 'nightly'\?"),
        ("", "no experiment or trial is called ''"),
        ("exp_aaa", "beginning of several experiments: exp_aaa2, exp_aaa1"),
        ("latest::fix-bg", r"has no suite or task or arm or repeat 'fix-bg'; did you mean 'fix-bug'\?"),
        ("latest::fix-bug::claud", r"has no arm or repeat 'claud'; did you mean 'claude'\?"),
        ("latest::fix-bug::claude::3", "has no repeat '3'"),
        ("latest::fix-bug::claude::1::1", "'1' is one part too many"),
        ("latest::claude::fix-bug", "has no repeat 'fix-bug'"),
        ("latest::", "has no suite or task or arm or repeat ''"),
        ("trial_a::demo", "no experiment or trial is called 'trial_a'"),
        ("exp_aaa1::fix-bug::claude::1", "exp_aaa1::fix-bug::claude::1 is planned, but not recorded yet"),
        # LIKE would take these for wildcards.
        ("trial%", "no experiment or trial is called"),
        ("TRIAL_a", "no experiment or trial is called"),
    ],
)
def test_what_names_nothing_says_what_could_be_meant(store: Store, address: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        store.resolve(address)


def test_a_trial_that_the_plan_does_not_have(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    plan = an_experiment(TASKS, ARMS, 1)
    store.start(plan.model_copy(update={"planned": plan.planned[:1]}))
    with pytest.raises(UserError, match="has no trial 'feature::fake'"):
        store.resolve("latest::feature::fake")


def test_an_empty_store_has_no_latest(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    with pytest.raises(UserError, match="nothing is recorded yet"):
        store.resolve("latest")
    store.start(an_experiment())
    with pytest.raises(UserError, match="no experiment before the latest"):
        store.resolve("prev")
