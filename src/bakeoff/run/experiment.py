"""One experiment, start to end: prepare, record the plan, run the trials, close the books."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from bakeoff.model.experiment import ExperimentRecord, ExperimentStatus
from bakeoff.model.suite import GitStart
from bakeoff.model.trial import Progress, TrialRecord
from bakeoff.plan.order import Order
from bakeoff.plan.strategy import Strategy
from bakeoff.process.start import open_supervisor
from bakeoff.run.groups import Groups
from bakeoff.run.interrupts import interruptible
from bakeoff.run.prepare import prepare
from bakeoff.run.schedule import Finished, Schedule
from bakeoff.run.tidy import tidy, tidy_quickly
from bakeoff.run.trial import run_trial
from bakeoff.run.workbench import Workbench
from bakeoff.workspace.source_guard import fingerprint


class Reporter(Protocol):
    """Is told how an experiment goes on; called from several threads, one at a time."""

    def start(self, progress: Progress) -> None:
        """The first trial is about to start."""

    def update(self, record: TrialRecord, progress: Progress) -> None:
        """A trial was recorded."""

    def wait(self, groups: Sequence[str]) -> None:
        """Nothing runs: other processes hold all places of these concurrency groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came out of an experiment.

    Attributes:
        experiment: as it stands in the store at the end.
        records: of all its trials, in the order of the plan.
        interrupted: the user or the system ended it.
        notices: sentences that the user should read besides the report.
    """

    experiment: ExperimentRecord
    records: tuple[TrialRecord, ...]
    interrupted: bool
    notices: tuple[str, ...]


def run_experiment(order: Order, strategy: Strategy, reporter: Reporter) -> Result:
    """Run what the strategy asks for of an order; each trial is recorded when it ends.

    Raises UserError before anything is written when a harness or the sandbox is missing.
    """
    notices: list[str] = []
    # The supervisor forks small processes of its own: it must exist before any thread does.
    with (
        interruptible() as interrupt,
        contextlib.closing(open_supervisor(order.sandbox, say=notices.append)) as supervisor,
    ):
        bench, experiment = prepare(order, supervisor, interrupt, os.environ)
        groups = Groups(order.layout.locks, order.suite.concurrency_groups)
        sources = _sources(order)
        before = {source: fingerprint(source) for source in sources}
        interrupt.has_begun = True
        bench.store.start(experiment)
        try:
            reporter.start(Progress(planned=order.planned))
            schedule = Schedule(
                strategy=strategy,
                run_trial=lambda spec: run_trial(spec, bench),
                report=reporter.update,
                interrupt=interrupt,
                jobs=1 if any(login.refreshes for login in bench.logins.values()) else order.jobs,
                planned=order.planned,
                limiter=groups,
                wait=reporter.wait,
            )
            try:
                finished = schedule.run()
            finally:
                interrupt.is_over = True
                bench.close_books()
        except KeyboardInterrupt:
            _close(bench, ExperimentStatus.INTERRUPTED, "interrupted without waiting for trials to end")
            raise
        except BaseException:
            _close(bench, ExperimentStatus.STOPPED, "a bug in Bakeoff")
            raise
        finally:
            if interrupt.is_set():
                tidy_quickly(bench.root, bench.workspace_prefix)
            else:
                tidy(bench.root, bench.archive)
        _close(bench, *_status(finished, bench, order))
        # Whoever asked for the end does not want to wait until all of a large source was looked at.
        notices += [
            f"the source repository {source} changed while the experiment ran"
            for source in sources
            if not finished.interrupted and fingerprint(source) != before[source]
        ]
    return _result(bench, finished, notices)


def _sources(order: Order) -> list[Path]:
    starts = [task.start for task in order.tasks]
    paths = [start.repository if isinstance(start, GitStart) else start.folder for start in starts]
    return list(dict.fromkeys(path for path in paths if path is not None))


def _status(finished: Finished, bench: Workbench, order: Order) -> tuple[ExperimentStatus, str]:
    if finished.interrupted:
        # One that nobody waited for may have been recorded in the last moment.
        done = f"{len(bench.store.trials(bench.experiment))} of {order.planned} trials are recorded"
        return ExperimentStatus.INTERRUPTED, f"interrupted; {done}"
    if finished.stopped:
        return ExperimentStatus.STOPPED, finished.stopped
    return ExperimentStatus.FINISHED, ""


def _close(bench: Workbench, status: ExperimentStatus, reason: str) -> None:
    bench.store.finish(bench.experiment, status, reason, datetime.now(UTC).isoformat(timespec="milliseconds"))


def _result(bench: Workbench, finished: Finished, notices: list[str]) -> Result:
    if finished.stopped:
        notices.append(f"stopped: {finished.stopped}")
    if finished.interrupted:
        notices.append("interrupted: what had finished is recorded; see it with: bakeoff show")
    return Result(
        experiment=bench.store.experiment(bench.experiment),
        records=tuple(bench.store.trials(bench.experiment)),
        interrupted=finished.interrupted,
        notices=tuple(notices),
    )
