"""What the store promises: each trial once, each experiment's state, and clear refusals."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError
from sqlalchemy.schema import CreateTable
from support.homes import a_layout, a_store
from support.records import EXPERIMENT, a_trial, a_verdict, a_void_trial, an_experiment

from bakeoff.errors import UserError
from bakeoff.model.experiment import ExperimentStatus
from bakeoff.store.database import Store
from bakeoff.store.owner import is_abandoned, this_host
from bakeoff.store.queries import AlreadyRecorded
from bakeoff.store.schema import METADATA, VERSION

LATER = "2026-03-01T11:00:00+00:00"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = a_store(tmp_path)
    made.start(an_experiment(tasks=["a", "b"], arms=["x", "y"]))
    return made


def change(store: Store, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(store.layout.database)) as connection, connection:
        connection.execute(statement, values)


def test_trials_come_back_in_the_order_of_the_plan(store: Store) -> None:
    for order, task in ((2, "c"), (0, "a"), (1, "b")):
        store.record(a_trial(task=task, order=order))
    assert [trial.task for trial in store.trials(EXPERIMENT)] == ["a", "b", "c"]


def test_verdicts_keep_their_order(store: Store) -> None:
    names = [f"check-{number}" for number in range(12, 0, -1)]
    store.record(a_trial(task="a", verdicts=[a_verdict(name) for name in names]))
    assert [verdict.check for verdict in store.trials(EXPERIMENT)[0].verdicts] == names


def test_an_equal_record_is_stored_once(store: Store) -> None:
    store.record(a_trial(task="a"))
    store.record(a_trial(task="a"))
    assert len(store.trials(EXPERIMENT)) == 1


def test_another_record_for_the_same_trial_is_refused_and_the_first_stands(store: Store) -> None:
    store.record(a_trial(task="a", score=1.0))
    with pytest.raises(AlreadyRecorded, match=r"demo::a::right::1 .* is recorded already"):
        store.record(a_trial(task="a", score=0.5, id="trial_other"))
    assert [trial.score for trial in store.trials(EXPERIMENT)] == [1.0]


def test_a_trial_is_stored_whole_or_not_at_all(store: Store) -> None:
    store.record(a_trial(task="a", id="trial_1"))
    # The same id for another trial: the row is refused, and no verdict of it stays.
    with pytest.raises(IntegrityError):
        store.record(a_trial(task="b", id="trial_1", verdicts=[a_verdict("one"), a_verdict("two")]))
    with closing(sqlite3.connect(store.layout.database)) as connection:
        assert connection.execute("select check_id from verdicts").fetchall() == [("hidden",)]


def test_a_trial_of_an_unknown_experiment_is_refused(store: Store) -> None:
    with pytest.raises(IntegrityError):
        store.record(a_trial(experiment="exp_unknown"))
    assert store.waiting() == 0


def test_every_digest_and_version_is_a_column(store: Store) -> None:
    trial = a_trial(task="a")
    store.record(trial)
    with closing(sqlite3.connect(store.layout.database)) as connection:
        connection.row_factory = sqlite3.Row
        row = dict(connection.execute("select * from trials").fetchone())
    expected: dict[str, object] = {
        f"{name}_digest": value
        for name, value in trial.digests.model_dump().items()
        if isinstance(value, str)
    }
    expected |= {
        "harness_version": "2.0.1",
        "model_asked": "claude-sonnet-5",
        "model_answered": '["claude-sonnet-5"]',
        "sandbox": "bubblewrap",
        "bakeoff_version": "0.0.1",
        "outcome": "pass",
        "cost_usd": 0.05,
    }
    assert {name: row[name] for name in expected} == expected
    assert len(row["contents_digest"]) == 64


def test_an_experiment_ends_with_status_and_reason(store: Store) -> None:
    store.finish(EXPERIMENT, ExperimentStatus.STOPPED, "the budget", LATER)
    record = store.experiment(EXPERIMENT)
    assert (record.status, record.status_reason, record.finished_at) == ("stopped", "the budget", LATER)
    assert record.tasks == an_experiment(tasks=["a", "b"]).tasks


def test_what_is_not_there_is_a_lookup_error(store: Store) -> None:
    with pytest.raises(LookupError):
        store.experiment("exp_nothing")
    with pytest.raises(LookupError):
        store.trial("trial_nothing")
    with pytest.raises(LookupError):
        store.finish("exp_nothing", ExperimentStatus.FINISHED, "", LATER)
    assert store.trials("exp_nothing") == []


def test_experiments_are_newest_first_by_time_not_by_text(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    times = {
        "exp_first": "2026-03-01T12:00:00+02:00",
        "exp_second": "2026-03-01T10:00:00.5Z",
        "exp_third": "2026-03-01T10:00:01+00:00",
    }
    for experiment, created in times.items():
        store.start(an_experiment(id=experiment, created_at=created))
    assert [record.id for record in store.experiments()] == ["exp_third", "exp_second", "exp_first"]
    assert [record.id for record in store.experiments(limit=1)] == ["exp_third"]
    assert store.count_experiments() == 3


def test_facts_tell_what_a_list_needs(store: Store) -> None:
    store.record(a_trial(task="a"))
    store.record(a_void_trial(task="b"))
    facts = {fact.id: (fact.outcome, fact.cost_usd, fact.ending) for fact in store.facts([EXPERIMENT])}
    assert facts == {
        "trial_a_right_1": ("pass", 0.05, "completed"),
        "trial_b_right_1": ("void", None, "crashed"),
    }
    assert store.facts([]) == []
    assert len(store.facts([*(f"exp_{number}" for number in range(1_200)), EXPERIMENT])) == 2


def test_an_interrupted_experiment_can_be_taken_over(store: Store) -> None:
    store.finish(EXPERIMENT, ExperimentStatus.INTERRUPTED, "ctrl-c", LATER)
    taken = store.take_over(EXPERIMENT, owner_pid=os.getpid(), owner_host=this_host())
    assert taken == store.experiment(EXPERIMENT)
    assert (taken.status, taken.status_reason, taken.finished_at) == ("running", "", None)
    assert not is_abandoned(taken)
    with pytest.raises(UserError, match="still running"):
        store.take_over(EXPERIMENT, owner_pid=1, owner_host="other")


def test_an_abandoned_experiment_can_be_taken_over(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    dead = os.spawnlp(os.P_NOWAIT, "true", "true")
    os.waitpid(dead, 0)
    here = an_experiment(status=ExperimentStatus.RUNNING, owner_pid=dead, owner_host=this_host())
    store.start(here)
    assert is_abandoned(store.experiment(EXPERIMENT))
    # Nothing can be known about a process on another machine.
    assert not is_abandoned(here.model_copy(update={"owner_host": "elsewhere"}))
    assert store.take_over(EXPERIMENT, owner_pid=os.getpid(), owner_host=this_host()).owner_pid == os.getpid()


def test_the_database_is_for_the_owner_alone(store: Store) -> None:
    assert stat.S_IMODE(store.layout.database.stat().st_mode) == 0o600


def test_a_store_that_is_not_there_is_not_made_by_reading(tmp_path: Path) -> None:
    layout = a_layout(tmp_path)
    with pytest.raises(UserError, match="nothing is recorded"):
        Store.open(layout, create=False)
    assert not layout.home.exists()
    layout.create()
    layout.database.touch()
    with pytest.raises(UserError, match="nothing is recorded"):
        Store.open(layout, create=False)


@pytest.mark.parametrize("create", [True, False])
def test_a_newer_store_is_refused(store: Store, create: bool) -> None:
    change(store, "update bakeoff_schema set version = ?, bakeoff_version = '9.9'", VERSION + 1)
    with pytest.raises(UserError, match=r"(?s)made by a newer Bakeoff \(9\.9\).*upgrade Bakeoff"):
        Store.open(store.layout, create=create)


def test_an_older_store_is_refused_rather_than_misread(store: Store) -> None:
    change(store, "update bakeoff_schema set version = 0")
    with pytest.raises(UserError, match="has format 0"):
        Store.open(store.layout, create=False)


@pytest.mark.parametrize("create", [True, False])
def test_the_database_of_another_program_is_left_alone(tmp_path: Path, create: bool) -> None:
    layout = a_layout(tmp_path)
    layout.create()
    with closing(sqlite3.connect(layout.database)) as connection, connection:
        connection.execute("create table theirs (x)")
    before = layout.database.read_bytes()
    with pytest.raises(UserError, match="is not a store of Bakeoff"):
        Store.open(layout, create=create)
    assert layout.database.read_bytes() == before


@pytest.mark.parametrize("create", [True, False])
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, create: bool) -> None:
    layout = a_layout(tmp_path)
    layout.create()
    layout.database.write_bytes(b"not a database at all" * 100)
    with pytest.raises(UserError, match="damaged, or not a database"):
        Store.open(layout, create=create)
    assert layout.database.read_bytes() == b"not a database at all" * 100


def test_the_tables_are_nothing_that_only_sqlite_understands() -> None:
    for table in METADATA.sorted_tables:
        text = str(CreateTable(table).compile(dialect=postgresql.dialect()))
        assert text.strip().startswith("CREATE TABLE")
    trials = str(CreateTable(METADATA.tables["trials"]).compile(dialect=postgresql.dialect()))
    assert "UNIQUE (experiment, suite, task, arm, repeat_number)" in trials
