"""Several processes and threads on one store, locks, and deaths: no record is ever lost."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest
import support
from support.homes import a_layout, a_store
from support.records import EXPERIMENT, a_trial, an_experiment

from bakeoff.model.experiment import ExperimentStatus
from bakeoff.store.database import Store
from bakeoff.store.queries import insert_trial
from bakeoff.store.transactions import StoreUnusable

TESTS = Path(next(iter(support.__path__))).parent
LATER = "2026-03-01T11:00:00+00:00"


def start_worker(home: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "support.store_worker", str(home), name, str(count)],
        cwd=TESTS,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def locked(store: Store) -> Iterator[None]:
    """Hold the database as another program would."""
    with closing(sqlite3.connect(store.layout.database, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")


def test_eight_processes_may_use_a_store_for_the_first_time_at_once(tmp_path: Path) -> None:
    home = a_layout(tmp_path).home
    workers = [start_worker(home, f"w{number}", 5) for number in range(8)]
    ended = [(*worker.communicate(timeout=100), worker.returncode) for worker in workers]
    assert [(err, code) for _, err, code in ended] == [("", 0)] * 8
    store = a_store(tmp_path)
    recorded = {trial.id for number in range(8) for trial in store.trials(f"exp_w{number}")}
    assert recorded == {f"trial_w{number}_{trial}" for number in range(8) for trial in range(5)}


def test_what_was_reported_as_stored_survives_kill_9(tmp_path: Path) -> None:
    worker = start_worker(a_layout(tmp_path).home, "killed", 1_000)
    assert worker.stdout
    reported = [worker.stdout.readline().strip() for _ in range(20)]
    worker.kill()
    rest, _ = worker.communicate(timeout=30)
    reported += rest.split()
    assert worker.returncode == -signal.SIGKILL
    recorded = [trial.id for trial in a_store(tmp_path).trials("exp_killed")]
    assert set(reported) <= set(recorded)
    assert len(recorded) <= len(reported) + 1


def test_threads_of_one_process_record_side_by_side(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    store.start(an_experiment())
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: store.record(a_trial(id=f"trial_{n}", repeat=n)), range(1, 81)))
    assert {trial.repeat for trial in store.trials(EXPERIMENT)} == set(range(1, 81))


def test_a_lock_that_goes_away_is_waited_for(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    store.start(an_experiment())
    holding, release = threading.Event(), threading.Event()

    def hold() -> None:
        with locked(store):
            holding.set()
            release.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    holding.wait(30)
    threading.Timer(1.5, release.set).start()
    started = time.monotonic()
    store.record(a_trial())
    assert time.monotonic() - started > 1.0
    holder.join()
    assert store.waiting() == 0
    assert len(store.trials(EXPERIMENT)) == 1


def test_a_record_that_cannot_be_written_waits_in_the_journal_and_is_seen(tmp_path: Path) -> None:
    store = a_store(tmp_path, patience_s=0.3)
    store.start(an_experiment(repeats=3))
    store.record(a_trial(repeat=1))
    with locked(store):
        store.record(a_trial(repeat=2))
    assert store.waiting() == 1
    # Everybody sees it, a reader that starts afresh included; nobody sees it twice.
    reader = Store.open(store.layout, create=False)
    assert [trial.repeat for trial in reader.trials(EXPERIMENT)] == [1, 2]
    assert reader.trial("trial_fix-bug_right_2") == a_trial(repeat=2)
    assert len(reader.facts([EXPERIMENT])) == 2
    assert reader.resolve("latest::2").trials == (a_trial(repeat=2),)
    assert reader.resolve("trial_fix-bug_right_2").single
    assert store.waiting() == 1
    # The next record that gets through takes it along.
    store.record(a_trial(repeat=3))
    assert store.waiting() == 0
    assert [trial.repeat for trial in store.trials(EXPERIMENT)] == [1, 2, 3]
    assert len(store.facts([EXPERIMENT])) == 3


@pytest.mark.parametrize("taken_in_by", ["open", "finish"])
def test_the_journal_is_taken_in_by_the_next_writer(tmp_path: Path, taken_in_by: str) -> None:
    store = a_store(tmp_path, patience_s=0.2)
    store.start(an_experiment())
    with locked(store):
        store.record(a_trial())
    if taken_in_by == "open":
        a_store(tmp_path)
    else:
        store.finish(EXPERIMENT, ExperimentStatus.FINISHED, "", LATER)
    assert store.waiting() == 0
    with closing(sqlite3.connect(store.layout.database)) as connection:
        assert connection.execute("select count(*) from trials").fetchone() == (1,)


def test_a_journal_entry_for_a_trial_that_another_process_recorded_is_set_aside(tmp_path: Path) -> None:
    store = a_store(tmp_path, patience_s=0.2)
    store.start(an_experiment())
    with locked(store):
        store.record(a_trial(id="trial_late", score=0.5))
    # What another process does that does not look into the journal first.
    store.transactions.write(partial(insert_trial, record=a_trial(id="trial_first", score=1.0)))
    again = a_store(tmp_path)
    assert [trial.id for trial in again.trials(EXPERIMENT)] == ["trial_first"]
    kept = store.layout.journal / "trial_late.conflict"
    assert json.loads(kept.read_text())["score"] == 0.5


def test_a_half_written_journal_entry_is_no_record(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    store.start(an_experiment())
    (store.layout.journal / ".0123456789abcdef").write_text('{"id": "tri')
    assert store.trials(EXPERIMENT) == []
    assert a_store(tmp_path).waiting() == 0


def test_other_calls_say_that_the_store_is_locked(tmp_path: Path) -> None:
    store = a_store(tmp_path, patience_s=0.2)
    with locked(store), pytest.raises(StoreUnusable, match=r"locked by another process for 0\.2 s"):
        store.start(an_experiment())
    assert store.experiments() == []


def test_reading_goes_on_while_another_process_writes(tmp_path: Path) -> None:
    store = a_store(tmp_path, patience_s=0.2)
    store.start(an_experiment())
    with closing(sqlite3.connect(store.layout.database, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        assert [record.id for record in store.experiments()] == [EXPERIMENT]
        connection.execute("ROLLBACK")


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from support.homes import a_store
from support.records import a_trial, an_experiment
store = a_store(Path(sys.argv[1]))
store.start(an_experiment())
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
# No file may grow beyond one byte: what a full disk is like.
resource.setrlimit(resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
store.record(a_trial())
"""


def test_a_disk_that_refuses_is_told_and_nothing_pretends_to_be_stored(tmp_path: Path) -> None:
    child = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)],
        cwd=TESTS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 1
    assert "StoreUnusable: trial trial_fix-bug_right_1 cannot be recorded" in child.stderr
    store = a_store(tmp_path)
    assert store.waiting() == 0
    assert store.trials(EXPERIMENT) == []
    assert os.listdir(store.layout.journal) == []
