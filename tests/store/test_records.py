"""Records survive the store exactly, whatever an agent made them contain."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from support.homes import a_store
from support.record_strategies import any_text, json_values, trials
from support.records import a_trial, a_verdict, an_experiment

from bakeoff.model.experiment import ExperimentRecord
from bakeoff.model.storable import storable
from bakeoff.model.trial import Outcome, TrialRecord, VerdictRecord
from bakeoff.store import rows
from bakeoff.store.database import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return a_store(tmp_path_factory.mktemp("records"))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(record=trials, number=st.integers(0, 2**50))
def test_a_trial_reads_back_as_it_was(store: Store, record: TrialRecord, number: int) -> None:
    experiment = an_experiment(id=f"exp_{number}_{len(store.experiments())}")
    store.start(experiment)
    record = record.model_copy(update={"experiment": experiment.id, "id": f"trial_of_{experiment.id}"})
    store.record(record)
    assert store.trial(record.id) == record
    assert store.trials(experiment.id) == [record]
    assert [fact.cost_usd for fact in store.facts([experiment.id])] == [record.usage.cost_usd]


@given(record=trials)
def test_what_is_stored_is_strict_json_in_ascii(record: TrialRecord) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    for text in (rows.dump(record), *(row["record"] for row in rows.verdict_rows(record))):
        assert text.isascii()
        json.loads(text, parse_constant=refuse)


@given(text=any_text)
def test_an_experiment_reads_back_as_it_was(text: str) -> None:
    record = an_experiment(name=text, status_reason=text, warnings=[text], owner_host=text, owner_pid=7)
    row = rows.experiment_row(record)
    assert rows.experiment_record(row["record"], row["state"]) == record


@given(text=any_text)
def test_lone_surrogates_become_visible_text(text: str) -> None:
    stored = a_verdict(reason=text).reason
    stored.encode("utf-8")
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert stored == text
    assert a_verdict(reason="a\ud800b").reason == "a\\ud800b"


@given(value=json_values)
def test_making_storable_twice_is_making_storable_once(value: object) -> None:
    once = storable(value)
    assert storable(once) == once


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_cannot_hold_are_refused_everywhere(number: float) -> None:
    with pytest.raises(ValidationError):
        a_trial(agent_s=number)
    with pytest.raises(ValidationError):
        a_trial(metrics={"seconds": number})
    with pytest.raises(ValidationError, match="not a finite number"):
        a_verdict(document={"deep": [number]})
    with pytest.raises(ValidationError, match="not a finite number"):
        a_trial(notes={"x": number})


def test_what_json_would_change_is_changed_before_it_is_compared() -> None:
    verdict = VerdictRecord(
        check="a", type="b", status="passed", reason="", document={"t": (1, Outcome.PASS), 2: b"\xff"}
    )
    assert verdict.document == {"t": [1, "pass"], "2": "\\xff"}


def test_nesting_without_an_end_is_refused_and_does_not_exhaust_the_stack() -> None:
    value: object = 1
    for _ in range(100_000):
        value = [value]
    with pytest.raises(ValidationError, match="nested more than 100 levels"):
        a_verdict(document=value)


def test_columns_to_select_by_hold_what_no_database_refuses() -> None:
    assert rows.column_text("a\0b") == "a\\x00b"
    assert rows.column_text("a\ud800é") == "a\\ud800é"


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01T00:00:00", 0),
        ("2026-03-01T10:00:00.000001+00:00", 1_772_359_200_000_001),
    ],
)
def test_times_are_compared_in_utc(moment: str, expected: int) -> None:
    assert rows.microseconds(moment) == expected


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="yesterday"):
        rows.experiment_row(an_experiment(created_at="yesterday"))


def test_an_unknown_field_of_a_stored_record_is_refused() -> None:
    row = rows.experiment_row(an_experiment())
    data = json.loads(row["record"]) | {"surprise": 1}
    with pytest.raises(ValidationError):
        rows.experiment_record(json.dumps(data), row["state"])
    assert isinstance(rows.experiment_record(row["record"], row["state"]), ExperimentRecord)


def test_records_are_on_disk_for_another_store(tmp_path: Path) -> None:
    first = a_store(tmp_path)
    first.start(an_experiment())
    first.record(a_trial())
    assert a_store(tmp_path).trials(an_experiment().id) == [a_trial()]
