"""When the end begins, when it is forced, and which reason stays."""

from __future__ import annotations

import pytest

from bakeoff.process.countdown import TERM_GRACE_S, Countdown


def test_a_time_limit_comes_in_two_steps() -> None:
    countdown = Countdown(100.0, 10.0)
    assert countdown.left_s(104.0) == 6.0
    assert not countdown.is_term_due(109.9)
    assert countdown.is_term_due(110.0)
    assert not countdown.is_term_due(110.1)
    assert countdown.reason == "timeout"
    assert countdown.left_s(110.0) == TERM_GRACE_S["timeout"]
    assert not countdown.is_kill_due(110.0)
    assert countdown.is_kill_due(110.0 + TERM_GRACE_S["timeout"])


@pytest.mark.parametrize("reason", ["stopped", "interrupted"])
def test_an_end_that_is_asked_for_has_its_own_reason(reason: str) -> None:
    countdown = Countdown(0.0, 100.0)
    countdown.end_within(3.0, reason, 1.0)
    assert not countdown.is_term_due(3.9)
    assert countdown.is_term_due(4.0)
    assert countdown.reason == reason


def test_a_grace_never_reaches_beyond_the_time_limit() -> None:
    countdown = Countdown(0.0, 2.0)
    countdown.end_within(30.0, "stopped", 1.0)
    assert countdown.is_term_due(2.0)
    assert countdown.reason == "stopped"


def test_a_second_call_shortens_a_grace_and_an_interrupt_gives_the_reason() -> None:
    countdown = Countdown(0.0, 100.0)
    countdown.end_within(30.0, "stopped", 1.0)
    countdown.end_within(0.0, "interrupted", 2.0)
    assert countdown.is_term_due(2.0)
    assert countdown.reason == "interrupted"


def test_what_has_begun_keeps_its_reason_and_only_becomes_quicker() -> None:
    countdown = Countdown(0.0, 1.0)
    assert countdown.is_term_due(1.0)
    countdown.end_within(60.0, "stopped", 1.1)
    assert countdown.left_s(1.0) == TERM_GRACE_S["timeout"]
    countdown.end_within(0.0, "stopped", 1.1)
    assert countdown.left_s(1.1) == pytest.approx(TERM_GRACE_S["stopped"])
    assert countdown.reason == "timeout"


def test_a_kill_leaves_no_grace() -> None:
    countdown = Countdown(0.0, 100.0)
    countdown.kill_now("interrupted", 5.0)
    assert countdown.is_kill_due(5.0)
    assert not countdown.is_term_due(200.0)
    countdown.kill_now("lost", 6.0)
    assert countdown.reason == "interrupted"


def test_an_interrupt_is_over_well_below_three_seconds() -> None:
    assert TERM_GRACE_S["interrupted"] <= 1.0
