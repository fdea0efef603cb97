"""Endings and voids follow from structured facts; exit codes are never believed alone."""

from __future__ import annotations

import pytest

from bakeoff.harness.outcome import conclude, void_reason
from bakeoff.model.trajectory import ApiError, Finish, Message, Retry, Roster, Trajectory
from bakeoff.model.trial import Ending, VoidReason
from bakeoff.process.supervise import EndReason, ProcessEnd

ANSWERED = Trajectory(steps=(Message(text="hi"),), model_answered=("m",), roster=Roster(version="1"))


def end(reason: EndReason = EndReason.EXITED, **more: object) -> ProcessEnd:
    return ProcessEnd(reason=reason, **more)  # type: ignore[arg-type]  # names are checked by the dataclass


def finished(finish: Finish | None, **more: object) -> Trajectory:
    facts = {"steps": ANSWERED.steps, "model_answered": ("m",), "finish": finish, **more}
    return Trajectory(**facts)  # type: ignore[arg-type]  # names are checked by the dataclass


@pytest.mark.parametrize("code", [0, 1, 143])
def test_the_last_word_counts_not_the_exit_code(code: int) -> None:
    assert conclude(end(exit_code=code), finished(Finish.COMPLETED)).ending is Ending.COMPLETED
    assert conclude(end(exit_code=code), finished(Finish.TURN_LIMIT)).ending is Ending.TURN_LIMIT
    assert conclude(end(exit_code=code), finished(Finish.ABORTED)).ending is Ending.CRASHED
    assert conclude(end(exit_code=code), finished(None)).ending is Ending.CRASHED


@pytest.mark.parametrize(
    ("status", "kind", "void"),
    [
        (401, "authentication_error", VoidReason.AUTHENTICATION),
        (403, "permission_error", VoidReason.AUTHENTICATION),
        (None, "authentication_failed", VoidReason.AUTHENTICATION),
        (429, "rate_limit_error", VoidReason.RATE_LIMIT),
        (None, "rate_limit", VoidReason.RATE_LIMIT),
        (500, "api_error", VoidReason.API_ERROR),
        (502, "", VoidReason.API_ERROR),
        (503, "", VoidReason.API_ERROR),
        (529, "overloaded_error", VoidReason.API_ERROR),
        (None, "server_error", VoidReason.API_ERROR),
        (None, "connection_failed", VoidReason.API_ERROR),
        (None, "never heard of", VoidReason.API_ERROR),
        (402, "", VoidReason.API_ERROR),
        (404, "not_found_error", VoidReason.API_ERROR),
        (408, "", VoidReason.API_ERROR),
        (400, "billing_error", VoidReason.API_ERROR),
        (0, "", VoidReason.API_ERROR),
        (400, "invalid_request_error", None),
        (413, "request_too_large", None),
        (422, "", None),
        (None, "invalid_request", None),
        (None, "max_output_tokens", None),
    ],
)
def test_only_what_the_conversation_did_not_cause_is_void(
    status: int | None, kind: str, void: VoidReason | None
) -> None:
    error = ApiError(status=status, kind=kind, message="m")
    assert void_reason(error) is void
    finish = Finish.REFUSED if void is None else Finish.API_ERROR
    conclusion = conclude(end(exit_code=1), finished(finish, api_error=error))
    assert (conclusion.ending, conclusion.void) == (Ending.CRASHED, void)
    assert ("no status" if status is None else str(status)) in conclusion.detail


def test_a_refused_conversation_is_never_void() -> None:
    error = ApiError(status=529, kind="overloaded", message="")
    assert conclude(end(exit_code=1), finished(Finish.REFUSED, api_error=error)).void is None


def test_a_program_that_did_not_announce_itself_never_ran_an_agent() -> None:
    for told in (end(exit_code=127), end(exit_code=1), end(exit_code=0), end(signal=11)):
        for trajectory in (Trajectory(), Trajectory(malformed_lines=7)):
            conclusion = conclude(told, trajectory)
            assert (conclusion.ending, conclusion.void) == (Ending.NOT_STARTED, VoidReason.HARNESS_MISSING)


def test_a_program_that_could_not_be_started_is_void() -> None:
    conclusion = conclude(end(EndReason.NOT_STARTED, error="no such file"), Trajectory())
    assert (conclusion.ending, conclusion.void) == (Ending.NOT_STARTED, VoidReason.HARNESS_MISSING)
    assert "no such file" in conclusion.detail


def test_a_harness_that_crashes_after_its_start_is_judged() -> None:
    for told in (
        Trajectory(roster=Roster()),
        Trajectory(session_id="s", malformed_lines=1),
        Trajectory(unknown_events={"x": 1}),
        ANSWERED,
    ):
        assert conclude(end(exit_code=1), told).void is None
        assert conclude(end(signal=9), told).ending is Ending.CRASHED


def test_time_out() -> None:
    conclusion = conclude(end(EndReason.TIMEOUT, duration_s=600.4), ANSWERED)
    assert (conclusion.ending, conclusion.void) == (Ending.TIMEOUT, None)
    assert "600 s" in conclusion.detail
    assert conclude(end(EndReason.TIMEOUT), Trajectory()).ending is Ending.TIMEOUT


def test_the_last_word_before_the_clock_counts() -> None:
    clock = end(EndReason.TIMEOUT)
    assert conclude(clock, finished(Finish.COMPLETED)).ending is Ending.COMPLETED
    assert conclude(clock, finished(Finish.TURN_LIMIT)).ending is Ending.TURN_LIMIT
    assert conclude(clock, finished(Finish.COMPLETED, background_left=0)).ending is Ending.COMPLETED
    assert conclude(clock, finished(Finish.COMPLETED, background_left=1)).ending is Ending.TIMEOUT


def test_an_abort_at_the_clock_is_our_own_signal() -> None:
    assert conclude(end(EndReason.TIMEOUT), finished(Finish.ABORTED)).ending is Ending.TIMEOUT
    assert conclude(end(EndReason.STOPPED), finished(Finish.ABORTED)).ending is Ending.COMPLETED


RETRYING = (Retry(attempt=1, status=529, kind="overloaded"), Retry(attempt=2, status=429, kind="rate_limit"))


def test_retrying_to_the_clock_without_one_answer_is_void() -> None:
    conclusion = conclude(end(EndReason.TIMEOUT), Trajectory(roster=Roster(), retries=RETRYING))
    assert (conclusion.ending, conclusion.void) == (Ending.TIMEOUT, VoidReason.RATE_LIMIT)


def test_retrying_after_an_answer_is_a_timeout() -> None:
    told = Trajectory(steps=ANSWERED.steps, model_answered=("m",), retries=RETRYING)
    assert conclude(end(EndReason.TIMEOUT), told).void is None


def test_retrying_what_the_conversation_caused_is_a_timeout() -> None:
    told = Trajectory(roster=Roster(), retries=(Retry(attempt=1, status=400, kind="invalid_request"),))
    assert conclude(end(EndReason.TIMEOUT), told).void is None


def test_stopped_when_enough_was_seen_is_completed() -> None:
    assert conclude(end(EndReason.STOPPED), finished(None)).ending is Ending.COMPLETED


def test_ended_after_the_last_word_is_completed() -> None:
    conclusion = conclude(end(EndReason.STOPPED, signal=15), finished(Finish.COMPLETED))
    assert conclusion.ending is Ending.COMPLETED
    assert "did not exit by itself" in conclusion.detail


def test_interrupted_and_lost_are_void() -> None:
    assert conclude(end(EndReason.INTERRUPTED), ANSWERED).void is VoidReason.CANCELLED
    assert conclude(end(EndReason.LOST, error="gone"), ANSWERED).void is VoidReason.HOST


def test_an_api_error_without_facts_is_void() -> None:
    assert conclude(end(exit_code=1), finished(Finish.API_ERROR)).void is VoidReason.API_ERROR
