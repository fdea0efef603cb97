"""The store of experiments and trials: what is recorded once is never lost and never changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from bakeoff.errors import UserError
from bakeoff.model.experiment import ExperimentRecord, ExperimentStatus
from bakeoff.model.trial import TrialRecord
from bakeoff.store import creation, queries, selector
from bakeoff.store.journal import Journal
from bakeoff.store.layout import Layout, plain_name
from bakeoff.store.owner import is_abandoned
from bakeoff.store.queries import AlreadyRecorded, TrialFact
from bakeoff.store.selector import EVERYWHERE, Place, Selection
from bakeoff.store.sqlite import make_engine
from bakeoff.store.transactions import StoreUnusable, Transactions

PATIENCE_S = 60.0
"""How long a call waits for a database that another process has locked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """Experiments, trials and verdicts in one database; any number of threads and processes use it.

    No connection is held between calls. A call waits up to PATIENCE_S for a database that
    is locked; then it raises StoreUnusable, except `record`, which never loses a trial: it
    keeps it in the journal, from where the next writer takes it in and which every reader
    reads too.
    """

    layout: Layout
    transactions: Transactions

    @classmethod
    def open(cls, layout: Layout, *, create: bool, patience_s: float = PATIENCE_S) -> Store:
        """Open the store; UserError when it is missing (and not to be made), foreign or newer."""
        database = layout.database
        if not create and (not database.is_file() or not database.stat().st_size):
            raise UserError(f"nothing is recorded in {layout.home}", hint="choose another store with --home")
        engine = make_engine(database)
        store = cls(
            layout=layout,
            transactions=Transactions(engine=engine, database=database, patience_s=patience_s),
        )
        if create:
            store.transactions.patiently(lambda: creation.create(engine, layout))
        store.transactions.read(lambda connection: creation.check(connection, database))
        if create:
            store._absorb()
        return store

    def start(self, record: ExperimentRecord) -> None:
        """Store an experiment before its first trial."""
        plain_name(record.id)
        self.transactions.write(lambda connection: queries.insert_experiment(connection, record))

    def finish(self, experiment: str, status: ExperimentStatus, reason: str, finished_at: str) -> None:
        """Say how an experiment ended; `finished_at` is UTC in ISO 8601."""
        self._absorb()
        changes = {"status": status, "status_reason": reason, "finished_at": finished_at}
        self.transactions.write(lambda connection: queries.change_experiment(connection, experiment, changes))

    def take_over(self, experiment: str, *, owner_pid: int, owner_host: str) -> ExperimentRecord:
        """Make an experiment run again under a new owner; its record as it stands now.

        UserError when its owner still runs it.
        """

        def work(connection: Connection) -> ExperimentRecord:
            record = queries.experiment_by_id(connection, experiment)
            if record.status is ExperimentStatus.RUNNING and not is_abandoned(record):
                raise UserError(
                    f"experiment {experiment} is still running "
                    f"(process {record.owner_pid} on {record.owner_host})",
                    hint="wait for it, or end that process first",
                )
            owner = {"owner_pid": owner_pid, "owner_host": owner_host}
            running = {"status": ExperimentStatus.RUNNING, "status_reason": "", "finished_at": None}
            return queries.change_experiment(connection, experiment, {**running, **owner})

        return self.transactions.write(work)

    def record(self, trial: TrialRecord) -> None:
        """Store a trial with its verdicts, all or nothing; when this returns it is not lost.

        Storing an equal record again changes nothing. AlreadyRecorded when another record
        stands for the same trial of the plan.
        """
        plain_name(trial.id)
        try:
            self.transactions.write(lambda connection: queries.insert_trial(connection, trial))
        except StoreUnusable as unusable:
            self._keep(trial, unusable)
        else:
            self._absorb()

    def experiments(self, *, limit: int | None = None) -> list[ExperimentRecord]:
        """The experiments, newest first."""
        return self.transactions.read(lambda connection: queries.experiments(connection, limit))

    def count_experiments(self) -> int:
        """How many experiments there are."""
        return self.transactions.read(queries.count_experiments)

    def experiment(self, experiment: str) -> ExperimentRecord:
        """One experiment by its full id; LookupError when there is none."""
        return self.transactions.read(lambda connection: queries.experiment_by_id(connection, experiment))

    def trials(self, experiment: str, place: Place = EVERYWHERE) -> list[TrialRecord]:
        """The recorded trials of an experiment, or of a place in it, in the order of its plan."""
        waiting = [
            record
            for record in self._journal.records()
            if record.experiment == experiment
            and place.holds(record.suite, record.task, record.arm, record.repeat)
        ]
        stored = self.transactions.read(lambda connection: queries.trials_of(connection, experiment, place))
        # One that was waiting may have been taken in between: the database wins.
        by_id = {record.id: record for record in (*waiting, *stored)}
        return sorted(by_id.values(), key=lambda record: (record.order, record.repeat, record.id))

    def trial(self, trial: str) -> TrialRecord:
        """One trial by its full id; LookupError when there is none."""
        waiting = [record for record in self._journal.records() if record.id == trial]
        stored = self.transactions.read(lambda connection: queries.trial_by_id(connection, trial))
        for record in (*stored, *waiting):
            return record
        raise LookupError(f"no trial {trial!r}")

    def facts(self, experiments: Iterable[str]) -> list[TrialFact]:
        """The facts of all trials of these experiments that a list needs, in no order."""
        ids = list(experiments)
        waiting = [queries.fact_of(record) for record in self._journal.records() if record.experiment in ids]
        stored = self.transactions.read(lambda connection: queries.facts(connection, ids))
        return list({fact.id: fact for fact in (*waiting, *stored)}.values())

    def waiting(self) -> int:
        """How many records are in the journal because the database was locked."""
        return len(self._journal.records())

    def resolve(self, address: str) -> Selection:
        """What an address names; see `store.selector`. UserError when it names nothing."""
        word, *parts = address.split(selector.SEPARATOR)
        heads = self.transactions.read(queries.heads)
        experiment = selector.find_experiment(word, heads)
        if experiment is None:
            trial = None if parts else self._find_trial(word)
            if trial is None:
                raise selector.unknown_experiment(word, heads)
            record = self.experiment(trial.experiment)
            return Selection(experiment=record, place=selector.place_of(trial), trials=(trial,), single=True)
        record = self.experiment(experiment)
        place = selector.narrow(parts, record)
        return selector.select(address, place, record, self.trials(experiment, place))

    def _find_trial(self, word: str) -> TrialRecord | None:
        stored = self.transactions.read(lambda connection: queries.trial_ids(connection, word))
        ids = sorted({*stored, *(record.id for record in self._journal.records())})
        found = word if word in ids else selector.unique_beginning(word, ids, "trials")
        return None if found is None else self.trial(found)

    @property
    def _journal(self) -> Journal:
        return Journal(folder=self.layout.journal)

    def _keep(self, trial: TrialRecord, unusable: StoreUnusable) -> None:
        try:
            self._journal.add(trial)
        except OSError as error:
            raise StoreUnusable(f"trial {trial.id} cannot be recorded: {error}") from unusable

    def _absorb(self) -> None:
        """Take the journal's records into the database; what is still locked goes on waiting."""
        for record in self._journal.records():
            try:
                self.transactions.write(partial(queries.insert_trial, record=record))
            except StoreUnusable:
                return
            except (AlreadyRecorded, IntegrityError):
                self._journal.set_aside(record)
            else:
                self._journal.remove(record)
