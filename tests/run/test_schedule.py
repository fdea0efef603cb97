"""What is started, what is not, and what an experiment makes of voids and interrupts."""

import threading
import time
from collections import Counter

import pytest
from support.scheduling import make_specs, record_for, schedule

from bakeoff.model.trial import Outcome, VoidReason
from bakeoff.run.schedule import ALL_VOID_LIMIT


def test_everything_runs_once_and_never_more_than_allowed_at_once():
    specs = make_specs(12)
    lock = threading.Lock()
    running, most = 0, 0
    started: Counter[str] = Counter()

    def run_trial(spec):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            started[spec.key] += 1
        time.sleep(0.01)
        with lock:
            running -= 1
        return record_for(spec)

    finished = schedule(specs, run_trial, jobs=3).run()
    assert most == 3
    assert started == Counter(spec.key for spec in specs)
    assert len(finished.records) == 12
    assert not finished.interrupted
    assert not finished.stopped


def test_one_job_keeps_the_planned_order():
    specs = make_specs(5, repeats=2)
    finished = schedule(specs, record_for, jobs=1).run()
    assert [record.order for record in finished.records] == list(range(10))


def test_trials_recorded_earlier_are_not_run_again():
    specs = make_specs(4)
    earlier = (record_for(specs[0]), record_for(specs[2]))
    finished = schedule(specs, record_for, jobs=1).run(earlier)
    assert [record.order for record in finished.records] == [1, 3]


def test_after_an_interrupt_nobody_waits_for_a_trial_that_takes_long():
    specs = make_specs(3)
    interrupt, begun, may_end = threading.Event(), threading.Event(), threading.Event()

    def run_trial(spec):
        if spec.order == 0:
            return record_for(spec)
        begun.set()
        interrupt.set()
        may_end.wait(60)
        return record_for(spec)

    try:
        finished = schedule(specs, run_trial, jobs=1, interrupt=interrupt).run()
    finally:
        may_end.set()
    assert begun.is_set()
    assert finished.interrupted
    assert [record.order for record in finished.records] == [0]


def test_after_an_interrupt_nothing_starts_and_what_is_finished_is_kept():
    specs = make_specs(10)
    interrupt = threading.Event()
    started = []

    def run_trial(spec):
        started.append(spec.order)
        if spec.order == 2:
            interrupt.set()
            return None
        return record_for(spec)

    finished = schedule(specs, run_trial, jobs=1, interrupt=interrupt).run()
    assert started == [0, 1, 2]
    assert [record.order for record in finished.records] == [0, 1]
    assert finished.interrupted


def test_first_trials_that_are_all_void_stop_the_experiment():
    specs = make_specs(40)
    void = lambda spec: record_for(spec, Outcome.VOID, VoidReason.AUTHENTICATION)  # noqa: E731
    finished = schedule(specs, void, jobs=1).run()
    assert len(finished.records) == ALL_VOID_LIMIT
    assert "authentication 5" in finished.stopped


def test_one_trial_that_is_not_void_keeps_the_experiment_going():
    specs = make_specs(12)

    def run_trial(spec):
        if spec.order == 3:
            return record_for(spec, Outcome.FAIL)
        return record_for(spec, Outcome.VOID, VoidReason.RATE_LIMIT)

    finished = schedule(specs, run_trial, jobs=1).run()
    assert len(finished.records) == 12
    assert not finished.stopped


def test_a_task_whose_setup_fails_three_times_in_a_row_is_given_up():
    specs = make_specs(2, repeats=6)

    def run_trial(spec):
        if spec.task.id == "task-0":
            return record_for(spec, Outcome.VOID, VoidReason.SETUP_FAILED)
        return record_for(spec)

    finished = schedule(specs, run_trial, jobs=1).run()
    counts = Counter(record.task for record in finished.records)
    assert counts == {"task-0": 3, "task-1": 6}


def test_setup_failures_that_are_not_in_a_row_do_not_count_together():
    specs = make_specs(1, repeats=8)

    def run_trial(spec):
        if spec.order % 3 == 2:
            return record_for(spec)
        return record_for(spec, Outcome.VOID, VoidReason.SETUP_FAILED)

    assert len(schedule(specs, run_trial, jobs=1).run().records) == 8


def test_progress_counts_outcomes_money_and_what_has_no_price():
    specs = make_specs(3)
    seen = []

    def run_trial(spec):
        return record_for(
            spec, Outcome.PASS if spec.order else Outcome.FAIL, cost=0.25 if spec.order else None
        )

    schedule(specs, run_trial, jobs=1, report=lambda _record, progress: seen.append(progress)).run()
    last = seen[-1]
    assert (last.planned, last.finished) == (3, 3)
    assert last.outcomes == {"pass": 2, "fail": 1}
    assert (last.spent_usd, last.unpriced) == (0.5, 1)


def test_a_bug_outside_of_trials_stops_everything_and_is_raised():
    specs = make_specs(10)

    def run_trial(spec):
        if spec.order == 1:
            raise ZeroDivisionError
        return record_for(spec)

    with pytest.raises(ZeroDivisionError):
        schedule(specs, run_trial, jobs=1).run()


def test_a_bug_in_what_is_told_about_a_trial_is_raised_too():
    specs = make_specs(10)
    told = []

    def report(record, _progress):
        told.append(record)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        schedule(specs, record_for, jobs=1, report=report).run()
    assert len(told) == 1


def test_a_trial_that_leaves_no_record_although_nobody_interrupted_is_a_bug_and_no_endless_loop():
    with pytest.raises(RuntimeError, match="made-up::task-0::arm::1"):
        schedule(make_specs(1), lambda _spec: None).run()
