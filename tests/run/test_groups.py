"""Concurrency groups: caps that hold across processes, and trials that wait in nobody's way."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.group_worker import GROUP
from support.scheduling import in_group, make_specs, record_for, schedule

from bakeoff.errors import UserError
from bakeoff.model.trial import Outcome, VoidReason
from bakeoff.run.groups import Groups

TASK = in_group(make_specs(1)[0], GROUP).task
FREE = make_specs(1)[0].task
PATIENCE_S = 60.0
"""How long a test waits for what must happen; only a failing one waits so long."""


@pytest.fixture
def worker(tmp_path):
    """Starts processes that run trials of the group, and ends them."""
    started = []

    def start(*numbers):
        arguments = [str(tmp_path / "locks"), *map(str, numbers), str(tmp_path / "log")]
        tests = Path(__file__).parents[1]
        process = subprocess.Popen(
            [sys.executable, "-m", "support.group_worker", *arguments],
            env={**os.environ, "PYTHONPATH": str(tests)},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def wait_for(condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def place(groups):
    """A place in the group, which must be free."""
    leave = groups.enter(TASK)
    assert leave is not None
    return leave


def log_of(tmp_path):
    file = tmp_path / "log"
    return [line.split() for line in file.read_text().splitlines()] if file.exists() else []


def test_a_group_has_as_many_places_as_its_cap_says_and_gives_them_again(tmp_path):
    groups = Groups(tmp_path, {GROUP: 2})
    first, _ = place(groups), place(groups)
    assert groups.enter(TASK) is None
    assert groups.enter(FREE)
    first()
    assert groups.enter(TASK)


def test_whoever_waits_longest_is_next_even_before_the_one_who_leaves(tmp_path):
    one, two, three = (Groups(tmp_path, {GROUP: 1}) for _ in range(3))
    leave = place(one)
    two.queue_up([GROUP])
    three.queue_up([GROUP])
    leave()
    assert one.enter(TASK) is None
    assert three.enter(TASK) is None
    leave = place(two)
    one.queue_up([GROUP])
    leave()
    assert one.enter(TASK) is None
    assert three.enter(TASK)


def test_whoever_waits_no_more_is_in_nobodys_way(tmp_path):
    one, two = (Groups(tmp_path, {GROUP: 1}) for _ in range(2))
    one.queue_up([GROUP])
    assert two.enter(TASK) is None
    one.queue_up([])
    assert two.enter(TASK)


def test_different_groups_and_different_stores_do_not_wait_for_each_other(tmp_path):
    groups = Groups(tmp_path / "a", {GROUP: 1, "other": 1})
    assert groups.enter(TASK)
    assert groups.enter(in_group(make_specs(1)[0], "other").task)
    assert Groups(tmp_path / "b", {GROUP: 1}).enter(TASK)


def test_lock_files_that_cannot_be_made_are_told_with_the_way_out(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="lock files of concurrency groups") as caught:
        Groups(tmp_path / "file" / "locks", {GROUP: 1})
    assert "--home" in str(caught.value)


def test_processes_on_one_store_never_exceed_the_cap_together_and_all_of_them_finish(tmp_path, worker):
    processes = [worker(2, 3, 6) for _ in range(3)]
    assert [process.wait(PATIENCE_S) for process in processes] == [0, 0, 0]
    running, most = 0, 0
    for sign, _ in log_of(tmp_path):
        running += 1 if sign == "+" else -1
        most = max(most, running)
    assert most <= 2
    assert Counter(sign for sign, _ in log_of(tmp_path)) == {"+": 18, "-": 18}


def test_the_place_of_a_killed_process_is_free(tmp_path, worker):
    holder = worker(1, 1, 0)
    wait_for(lambda: log_of(tmp_path))
    groups = Groups(tmp_path / "locks", {GROUP: 1})
    assert groups.enter(TASK) is None
    waiting = worker(1, 1, 1)
    wait_for(lambda: list((tmp_path / "locks").glob("*/ticket-*")))
    assert groups.enter(TASK) is None
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert waiting.wait(PATIENCE_S) == 0
    assert [sign for sign, _ in log_of(tmp_path)] == ["+", "+", "-"]
    assert groups.enter(TASK)


def test_a_killed_process_that_was_waiting_keeps_nobody_waiting(tmp_path, worker):
    groups = Groups(tmp_path / "locks", {GROUP: 1})
    leave = place(groups)
    waiting = worker(1, 1, 1)
    wait_for(lambda: list((tmp_path / "locks").glob("*/ticket-*")))
    waiting.kill()
    waiting.wait()
    leave()
    assert groups.enter(TASK)
    assert not list((tmp_path / "locks").glob("*/ticket-*"))


def test_what_is_free_goes_on_while_a_group_waits(tmp_path):
    """With as many trials of the group as workers in front of them, the free ones still run."""
    specs = [in_group(spec, GROUP) if spec.order < 3 else spec for spec in make_specs(6)]
    all_free_ran = threading.Event()
    ran = []

    def run_trial(spec):
        if spec.task.concurrency_group:
            assert all_free_ran.wait(PATIENCE_S), "a waiting trial kept a worker"
        ran.append(spec.order)
        if {3, 4, 5} <= set(ran):
            all_free_ran.set()
        return record_for(spec)

    finished = schedule(specs, run_trial, limiter=Groups(tmp_path, {GROUP: 1})).run()
    assert len(finished.records) == 6
    assert [order for order in ran if order < 3] == [0, 1, 2]
    assert [order for order in ran if order >= 3] == [3, 4, 5]


def test_a_group_runs_one_by_one_in_order_however_many_workers_there_are(tmp_path):
    specs = [in_group(spec, GROUP) if spec.order % 2 else spec for spec in make_specs(12)]
    lock = threading.Lock()
    inside, most, ran = 0, 0, []

    def run_trial(spec):
        nonlocal inside, most
        if not spec.task.concurrency_group:
            return record_for(spec)
        with lock:
            inside += 1
            most = max(most, inside)
            ran.append(spec.order)
        time.sleep(0.005)
        with lock:
            inside -= 1
        return record_for(spec)

    finished = schedule(specs, run_trial, jobs=4, limiter=Groups(tmp_path, {GROUP: 1})).run()
    assert len(finished.records) == 12
    assert most == 1
    assert ran == [1, 3, 5, 7, 9, 11]


def test_an_interrupt_ends_the_waiting_and_leaves_no_place_taken(tmp_path):
    others = Groups(tmp_path, {GROUP: 1})
    leave = place(others)
    interrupt = threading.Event()
    ended = []
    told: list[Sequence[str]] = []
    waiting = schedule(
        [in_group(spec, GROUP) for spec in make_specs(3)],
        record_for,
        jobs=3,
        interrupt=interrupt,
        limiter=Groups(tmp_path, {GROUP: 1}),
        wait=told.append,
    )
    runner = threading.Thread(target=lambda: ended.append(waiting.run()))
    runner.start()
    wait_for(lambda: list(tmp_path.glob("*/ticket-*")))
    interrupt.set()
    runner.join(PATIENCE_S)
    assert ended[0].interrupted
    assert not ended[0].records
    assert told == [(GROUP,)]
    leave()
    assert others.enter(TASK)


def test_a_task_that_is_given_up_leaves_its_group_to_the_others(tmp_path):
    specs = [in_group(spec, GROUP) for spec in make_specs(2, repeats=5)]

    def run_trial(spec):
        if spec.task.id == "task-0":
            return record_for(spec, Outcome.VOID, VoidReason.SETUP_FAILED)
        return record_for(spec)

    finished = schedule(specs, run_trial, jobs=3, limiter=Groups(tmp_path, {GROUP: 1})).run()
    assert Counter(record.task for record in finished.records) == {"task-0": 3, "task-1": 5}
    assert Groups(tmp_path, {GROUP: 1}).enter(TASK)


def test_a_bug_gives_the_place_back(tmp_path):
    specs = [in_group(spec, GROUP) for spec in make_specs(3)]

    def run_trial(_spec):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        schedule(specs, run_trial, limiter=Groups(tmp_path, {GROUP: 1})).run()
    assert Groups(tmp_path, {GROUP: 1}).enter(TASK)
