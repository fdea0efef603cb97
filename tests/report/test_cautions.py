"""What makes arms unlike in more than what is compared is said, and nothing else is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from support.records import a_trial, a_void_trial, some_digests

from bakeoff.model.trial import TrialRecord, UsageRecord
from bakeoff.report.cautions import cautions


def of(trials: Sequence[TrialRecord], planned: Counter[tuple[str, str]] | None = None) -> list[str]:
    arms = list(dict.fromkeys(trial.arm for trial in trials))
    plan = Counter((trial.task, trial.arm) for trial in trials) if planned is None else planned
    return list(cautions(trials, arms, plan))


def arm(name: str, *outcomes: str, **fields: object) -> list[TrialRecord]:
    return [
        a_void_trial(arm=name, repeat=number, usage=UsageRecord(cost_usd=0.0), **fields)  # type: ignore[arg-type]  # fields of the record, not the reason
        if outcome == "void"
        else a_trial(arm=name, repeat=number, outcome=outcome, **fields)
        for number, outcome in enumerate(outcomes, 1)
    ]


def test_like_arms_have_no_cautions() -> None:
    assert of([*arm("a", "pass", "fail"), *arm("b", "fail", "fail")]) == []
    assert of(arm("a", "pass", "void")) == []
    assert of([*arm("a", "pass", "void"), *arm("b", "void", "pass")]) == []


def test_attrition_that_differs_is_told_with_its_numbers() -> None:
    found = of([*arm("a", "pass", "pass", "fail"), *arm("b", "pass", "pass", "void")])
    assert found[0] == (
        "void trials differ between the arms (a 0 of 3, b 1 of 3): their rates are not over the same trials"
    )


def test_attrition_beyond_chance_says_so() -> None:
    few = of([*arm("a", *["pass"] * 10), *arm("b", *["void"] * 3, *["pass"] * 7)])
    assert "chance" not in few[0]
    many = of([*arm("a", *["pass"] * 10), *arm("b", *["void"] * 6, *["pass"] * 4)])
    assert "chance alone does not explain it (Fisher's exact p = 0.011)" in many[0]


def test_an_order_that_void_trials_could_turn_is_told() -> None:
    turns = of([*arm("a", "pass", "fail", "fail"), *arm("b", "void", "void", "fail")])
    assert turns[1] == "which of a and b passes more often depends on how void trials are counted"
    # If b's void trial had passed, the two would be level: not turned.
    level = of([*arm("a", "pass", "pass", "fail"), *arm("b", "fail", "pass", "void")])
    clear = of([*arm("a", *["pass"] * 9, "fail"), *arm("b", *["fail"] * 9, "void")])
    assert (len(level), len(clear)) == (1, 1)


def test_refused_actions_that_differ_are_told() -> None:
    trials = [*arm("a", "pass", "pass", denials=0), *arm("b", "pass", "pass", denials=2)]
    told = "refused actions differ between the arms (a 0 in 2 trials, b 4 in 2 trials)"
    assert of(trials) == [f"{told}: they were not allowed to do the same"]
    # Unknown is not zero: an arm that does not tell is not compared.
    assert of([*arm("a", "pass", denials=None), *arm("b", "pass", denials=2)]) == []
    assert of([*arm("a", "pass", denials=1), *arm("b", "pass", "pass", denials=1)]) == []


def test_trials_that_were_planned_and_not_run_are_told() -> None:
    plan = Counter({("fix-bug", "a"): 2, ("fix-bug", "b"): 2})
    assert of([*arm("a", "pass", "pass"), *arm("b", "pass")], plan) == [
        "planned trials that are not recorded: b 1"
    ]


def test_a_harness_or_model_that_changed_in_mid_experiment_is_told() -> None:
    changed = [a_trial(repeat=1), a_trial(repeat=2, harness_version="2.0.2")]
    assert of(changed) == ["the harness of right changed during the experiment: 2.0.1, 2.0.2"]
    other = a_trial(repeat=2, model_answered=["claude-haiku-5"])
    assert "main model that answered in right changed" in of([a_trial(), other])[0]
    # A small model for chores beside the one that was asked for is no change.
    chores = a_trial(repeat=2, model_answered=["claude-haiku-5", "claude-sonnet-5"])
    assert of([a_trial(), chores]) == []


def test_contents_that_changed_are_told() -> None:
    changed = some_digests().model_copy(update={"checks": "0" * 64})
    found = of([a_trial(), a_trial(arm="other", digests=changed)])
    assert found == ["task fix-bug was recorded with 2 different contents: its trials are not comparable"]


def test_trials_that_nobody_judged_are_told() -> None:
    assert of(arm("a", "pass", "not_judged")) == ["1 trial had no gating check and count in no rate"]


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        ((0.1, None), ["trials without a known price, so that costs are too low: b 1"]),
        ((0.1, 0.0), []),
        # Nothing is priced at all: there is no cost that could be too low.
        ((None, None), []),
    ],
)
def test_costs_that_are_too_low_are_told(costs: tuple[float | None, ...], expected: list[str]) -> None:
    trials = [
        a_trial(arm=name, usage=UsageRecord(cost_usd=usd)) for name, usd in zip("ab", costs, strict=True)
    ]
    assert of(trials) == expected
