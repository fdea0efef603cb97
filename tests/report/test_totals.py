"""What several trials amount to: void never counts, weights always do, unknown is never zero."""

from __future__ import annotations

from typing import Any

import pytest
from support.records import a_trial, a_void_trial

from bakeoff.model.trial import Ending, Outcome, TrialRecord, UsageRecord, VoidReason
from bakeoff.report import totals


def trials(*outcomes: str, **fields: Any) -> list[TrialRecord]:
    return [
        a_void_trial(task=f"t{number}", repeat=number, **fields)
        if outcome == "void"
        else a_trial(task=f"t{number}", repeat=number, outcome=outcome, **fields)
        for number, outcome in enumerate(outcomes, 1)
    ]


def test_void_trials_leave_the_rate_and_bound_it() -> None:
    rate = totals.rate(trials("pass", "fail", "fail", "void"))
    assert (rate.passed, rate.judged) == (1, 3)
    assert rate.value == pytest.approx(1 / 3)
    assert (rate.if_void_failed, rate.if_void_passed) == (0.25, 0.5)


def test_without_void_trials_there_are_no_bounds() -> None:
    rate = totals.rate(trials("pass", "timeout"))
    assert (rate.value, rate.if_void_failed, rate.if_void_passed) == (0.5, None, None)


def test_what_was_not_judged_counts_in_no_rate() -> None:
    rate = totals.rate(trials("pass", "not_judged", "known_issue", "unexpected_pass", "timeout"))
    assert (rate.passed, rate.judged, rate.value) == (2, 4, 0.5)


@pytest.mark.parametrize("outcomes", [(), ("void", "void"), ("not_judged",)])
def test_nothing_judged_is_no_rate_rather_than_zero(outcomes: tuple[str, ...]) -> None:
    rate = totals.rate(trials(*outcomes))
    assert (rate.passed, rate.judged, rate.value, rate.interval) == (0, 0, None, None)


def test_weights_count_in_rates_scores_and_bounds() -> None:
    mixed = [
        a_trial(task="a", weight=3.0, score=1.0),
        a_trial(task="b", weight=1.0, score=0.0, outcome="fail"),
        a_trial(task="c", weight=0.0, score=0.0, outcome="fail"),
        a_void_trial(task="d", weight=4.0),
    ]
    rate = totals.rate(mixed)
    assert (rate.passed, rate.judged, rate.value, rate.weighted) == (1, 3, 0.75, True)
    assert (rate.if_void_failed, rate.if_void_passed) == (3 / 8, 7 / 8)
    score = totals.mean_score(mixed)
    assert score
    assert (score.value, score.known, score.trials) == (0.75, 2, 3)


def test_weights_that_are_all_zero_give_no_rate() -> None:
    rate = totals.rate(trials("pass", "fail", weight=0.0))
    assert (rate.passed, rate.judged, rate.value) == (1, 2, None)


def test_an_interval_needs_eight_tasks_once_each_with_equal_weights() -> None:
    eight = ["pass"] * 6 + ["fail"] * 2
    interval = totals.rate(trials(*eight)).interval
    assert interval
    assert list(interval) == pytest.approx([0.4093, 0.9285], abs=1e-4)
    assert totals.rate(trials(*eight[1:])).interval is None
    assert totals.rate([*trials(*eight), a_trial(task="t1", repeat=99)]).interval is None
    assert totals.rate([*trials(*eight), a_trial(task="t9", weight=2.0)]).interval is None
    assert totals.rate(trials(*eight, weight=0.0)).interval is None
    # Void trials neither help nor hinder.
    assert totals.rate(trials(*eight, "void")).interval == interval


def test_a_score_that_is_unknown_is_not_zero() -> None:
    score = totals.mean_score([*trials("pass", score=0.5), *trials("fail"), *trials("void", score=1.0)])
    assert score
    assert (score.value, score.known, score.trials) == (0.5, 1, 2)
    assert totals.mean_score(trials("pass", "fail")) is None


def test_medians_leave_out_void_and_tell_what_they_know() -> None:
    some = [
        *(a_trial(repeat=number, agent_s=seconds) for number, seconds in enumerate((1.0, 9.0, 2.0, None))),
        a_void_trial(agent_s=100.0),
    ]
    median = totals.median(some, totals.agent_seconds)
    assert (median.value, median.known, median.trials) == (2.0, 3, 4)
    nothing = totals.median([a_trial(agent_s=None)], totals.agent_seconds)
    assert (nothing.value, nothing.known) == (None, 0)


def test_tokens_are_unknown_when_input_or_output_is() -> None:
    assert totals.total_tokens(a_trial()) == 10_500
    assert totals.total_tokens(a_trial(usage=UsageRecord(input=1, output=2))) == 3
    assert totals.total_tokens(a_trial(usage=UsageRecord(output=2, cache_read=5))) is None


def test_money_of_void_trials_was_spent_too() -> None:
    reported = UsageRecord(cost_usd=0.1, cost_source="reported")
    spent = totals.spending_of(
        [
            a_trial(usage=reported),
            a_void_trial(usage=reported),
            a_trial(usage=UsageRecord(cost_usd=0.3, cost_source="estimated")),
            a_trial(usage=UsageRecord()),
            # Never launched: nothing can have been spent.
            a_void_trial(VoidReason.HARNESS_MISSING, ending=Ending.NOT_STARTED),
        ]
    )
    assert spent.usd == pytest.approx(0.5)
    assert spent.by_source == {"estimated": 0.3, "reported": 0.2}
    assert spent.unpriced == 1


def test_no_price_at_all_is_unknown_and_a_price_of_zero_is_zero() -> None:
    assert totals.spending_of([a_trial(usage=UsageRecord())]).usd is None
    free = UsageRecord(cost_usd=0.0, cost_source="reported")
    assert totals.spending_of([a_trial(usage=free)]).usd == 0.0


def test_sums_do_not_depend_on_the_order() -> None:
    costs = [
        (0.1, "reported", "completed"),
        (1e16, "reported", "completed"),
        (-1e16, "reported", "completed"),
    ]
    assert totals.spending(costs).usd == totals.spending(reversed(costs)).usd == 0.1


def test_counts_have_the_order_of_the_model_and_no_zeros() -> None:
    some = trials("void", "fail", "pass", "fail")
    assert list(totals.count_outcomes(some).items()) == [("pass", 1), ("fail", 2), ("void", 1)]
    assert totals.count_void_reasons(some) == {"rate_limit": 1}
    assert totals.count_endings([a_trial(ending=Ending.TURN_LIMIT), *some]) == {"turn_limit": 1}
    assert totals.known_sum([None, 2, 3]) == 5
    assert totals.known_sum([None]) is None
    assert {Outcome.PASS, Outcome.UNEXPECTED_PASS} == totals.PASSED
