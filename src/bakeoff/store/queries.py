"""What is asked of the tables and written to them, each within a transaction of the caller's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, func, insert, or_, select, update

from bakeoff.errors import UserError
from bakeoff.model.experiment import ExperimentRecord
from bakeoff.model.trial import TrialRecord
from bakeoff.store import rows
from bakeoff.store.schema import EXPERIMENTS, TRIALS, VERDICTS
from bakeoff.store.selector import SEPARATOR, Head, Place

_NEWEST_FIRST = (EXPERIMENTS.c.created_us.desc(), EXPERIMENTS.c.id.desc())
_IDS_IN_ONE_QUERY = 500


class AlreadyRecorded(UserError):
    """Another record stands for the same suite, task, arm and repeat of the experiment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFact:
    """The few facts of a trial that a list of experiments needs."""

    id: str
    experiment: str
    outcome: str
    ending: str
    cost_usd: float | None
    cost_source: str


def fact_of(record: TrialRecord) -> TrialFact:
    """The facts of a record."""
    return TrialFact(
        id=record.id,
        experiment=record.experiment,
        outcome=str(record.outcome),
        ending=str(record.ending),
        cost_usd=record.usage.cost_usd,
        cost_source=record.usage.cost_source,
    )


def insert_experiment(connection: Connection, record: ExperimentRecord) -> None:
    """Store an experiment; its id must be new."""
    connection.execute(insert(EXPERIMENTS), [rows.experiment_row(record)])


def insert_trial(connection: Connection, record: TrialRecord) -> None:
    """Store a trial and its verdicts, unless an equal record is there; else AlreadyRecorded."""
    same_trial = and_(
        TRIALS.c.experiment == record.experiment,
        TRIALS.c.suite == rows.column_text(record.suite),
        TRIALS.c.task == rows.column_text(record.task),
        TRIALS.c.arm == rows.column_text(record.arm),
        TRIALS.c.repeat_number == record.repeat,
    )
    for stored in trials(connection, same_trial):
        if stored == record:
            return
        raise AlreadyRecorded(
            f"{record.suite}::{record.task}::{record.arm}::{record.repeat} of experiment "
            f"{record.experiment} is recorded already, as {stored.id}",
            hint="is another process running the same experiment?",
        )
    connection.execute(insert(TRIALS), [rows.trial_row(record)])
    verdicts = rows.verdict_rows(record)
    if verdicts:
        connection.execute(insert(VERDICTS), verdicts)


def change_experiment(
    connection: Connection, experiment: str, changes: Mapping[str, object]
) -> ExperimentRecord:
    """Change the state of an experiment; LookupError when there is none."""
    before = experiment_by_id(connection, experiment)
    after = ExperimentRecord.model_validate({**before.model_dump(), **changes})
    connection.execute(
        update(EXPERIMENTS).where(EXPERIMENTS.c.id == experiment).values(**rows.state_columns(after))
    )
    return after


def heads(connection: Connection) -> list[Head]:
    """Id and name of every experiment, newest first."""
    query = select(EXPERIMENTS.c.id, EXPERIMENTS.c.name).order_by(*_NEWEST_FIRST)
    return [Head(id=row.id, name=row.name) for row in connection.execute(query)]


def experiments(connection: Connection, limit: int | None) -> list[ExperimentRecord]:
    """The experiments, newest first."""
    query = select(EXPERIMENTS.c.record, EXPERIMENTS.c.state).order_by(*_NEWEST_FIRST).limit(limit)
    return [rows.experiment_record(row.record, row.state) for row in connection.execute(query)]


def count_experiments(connection: Connection) -> int:
    """How many experiments there are."""
    return connection.execute(select(func.count()).select_from(EXPERIMENTS)).scalar_one()


def experiment_by_id(connection: Connection, experiment: str) -> ExperimentRecord:
    """One experiment; LookupError when there is none."""
    query = select(EXPERIMENTS.c.record, EXPERIMENTS.c.state).where(EXPERIMENTS.c.id == experiment)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise LookupError(f"no experiment {experiment!r}")
    return rows.experiment_record(row.record, row.state)


def trials(connection: Connection, condition: ColumnElement[bool]) -> list[TrialRecord]:
    """The trials that meet a condition, with their verdicts, in no order."""
    verdicts: dict[str, list[str]] = {}
    query = (
        select(VERDICTS.c.trial, VERDICTS.c.record)
        .join(TRIALS, TRIALS.c.id == VERDICTS.c.trial)
        .where(condition)
        .order_by(VERDICTS.c.trial, VERDICTS.c.position)
    )
    for trial, record in connection.execute(query):
        verdicts.setdefault(trial, []).append(record)
    found = connection.execute(select(TRIALS.c.id, TRIALS.c.record).where(condition))
    return [rows.trial_record(record, verdicts.get(trial, ())) for trial, record in found]


def trials_of(connection: Connection, experiment: str, place: Place) -> list[TrialRecord]:
    """The trials in a place of an experiment, in no order."""
    wanted = {"suite": place.suite, "arm": place.arm, "repeat_number": place.repeat}
    conditions = [
        TRIALS.c[name] == (rows.column_text(value) if isinstance(value, str) else value)
        for name, value in wanted.items()
        if value is not None
    ]
    if place.task is not None:
        task = rows.column_text(place.task)
        # Of a task with cases, each case has a name that begins with that of the task.
        cases = TRIALS.c.task.startswith(f"{task}{SEPARATOR}", autoescape=True)
        conditions.append(or_(TRIALS.c.task == task, cases))
    found = trials(connection, and_(TRIALS.c.experiment == experiment, *conditions))
    # LIKE knows no difference between cases in some databases.
    return [trial for trial in found if place.holds(trial.suite, trial.task, trial.arm, trial.repeat)]


def trial_by_id(connection: Connection, trial: str) -> list[TrialRecord]:
    """The trial with that id, if there is one."""
    return trials(connection, TRIALS.c.id == trial)


def trial_ids(connection: Connection, beginning: str) -> list[str]:
    """The ids of trials that begin like this."""
    query = select(TRIALS.c.id).where(TRIALS.c.id.startswith(beginning, autoescape=True))
    # LIKE knows no difference between cases in some databases.
    return [found for found in connection.execute(query).scalars() if found.startswith(beginning)]


def facts(connection: Connection, experiments: Sequence[str]) -> list[TrialFact]:
    """The facts of all trials of some experiments, in no order."""
    columns: list[Any] = [TRIALS.c[name] for name in TrialFact.__slots__]
    found: list[TrialFact] = []
    for chosen in _in_portions(experiments):
        query = select(*columns).where(TRIALS.c.experiment.in_(chosen))
        found += [TrialFact(**row) for row in connection.execute(query).mappings()]
    return found


def _in_portions(ids: Sequence[str]) -> Iterable[Sequence[str]]:
    return (ids[start : start + _IDS_IN_ONE_QUERY] for start in range(0, len(ids), _IDS_IN_ONE_QUERY))
