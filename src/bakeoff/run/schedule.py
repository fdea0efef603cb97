"""Starting trials: several at once, none after an interrupt, none when all have been void."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bakeoff.model.suite import Task
from bakeoff.model.trial import Outcome, Progress, TrialRecord, TrialSpec, VoidReason
from bakeoff.plan.strategy import Strategy
from bakeoff.process.supervise import Interrupt

RunTrial = Callable[[TrialSpec], TrialRecord | None]
"""Runs one trial and records it; None when it was interrupted and left no record."""

Report = Callable[[TrialRecord, Progress], None]

Wait = Callable[[Sequence[str]], None]
"""Is told of the groups for which everything waits, while no trial of this experiment runs."""

Leave = Callable[[], None]
"""Gives the place in a concurrency group back."""

GROUP_STEP_S = 0.2
"""A worker that waits for a place in a group looks again after so long: another process may have left."""

AFTER_INTERRUPT_S = 1.5
"""So long the trials have to come to their end after an interrupt; agents are killed within a second."""

ALL_VOID_LIMIT = 5
"""An experiment ends when its first this many trials are all void for the same kind of reason."""

SETUP_FAILURE_LIMIT = 3
"""A task is given up after this many setup failures in a row."""


class Limiter(Protocol):
    """Says when a trial may start besides others; see `run.groups.Groups`."""

    def enter(self, task: Task) -> Leave | None:
        """Take a place for a trial of this task; None when it has to wait for one."""

    def queue_up(self, names: Iterable[str]) -> None:
        """Wait for these groups and for no other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a schedule ended.

    Attributes:
        records: of the trials that ran, in the order in which they finished.
        interrupted: the user or the system asked for the end.
        stopped: why Bakeoff ended it itself; empty when it did not.
    """

    records: tuple[TrialRecord, ...]
    interrupted: bool = False
    stopped: str = ""


@dataclass(slots=True)
class Schedule:
    """Runs what a strategy asks for with a fixed number of worker threads.

    A trial is one child process whose output goes to a file, so threads only wait. One that
    has to wait for its concurrency group keeps no worker from what comes after it.
    """

    strategy: Strategy
    run_trial: RunTrial
    report: Report
    interrupt: Interrupt
    jobs: int
    planned: int
    limiter: Limiter
    wait: Wait
    _records: list[TrialRecord] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _idle: int = 0
    _full: tuple[str, ...] = ()
    _told_full: tuple[str, ...] = ()
    _running: int = 0
    _stopped: str = ""
    _given_up: set[tuple[str, str]] = field(default_factory=set)
    _setup_failures: Counter[tuple[str, str]] = field(default_factory=Counter)
    _bug: BaseException | None = None
    _started: float = field(default_factory=time.monotonic)

    def run(self, earlier: tuple[TrialRecord, ...] = ()) -> Finished:
        """Run to the end, an interrupt or a stop; a bug in Bakeoff is raised at the end.

        After an interrupt no trial is waited for that takes long, as with large starting
        files: its thread ends with the process, and its record has come too late.
        """
        self._records.extend(earlier)
        while not self._over():
            specs = self.strategy.next(tuple(self._records))
            waiting = [spec for spec in specs or () if (spec.suite, spec.task.name) not in self._given_up]
            if not waiting:
                break
            self._run_batch(waiting)
        if self._bug is not None:
            raise self._bug
        return Finished(
            records=tuple(self._records[len(earlier) :]),
            interrupted=self.interrupt.is_set(),
            stopped=self._stopped,
        )

    def _over(self) -> bool:
        return self.interrupt.is_set() or bool(self._stopped) or self._bug is not None

    def _run_batch(self, specs: list[TrialSpec]) -> None:
        queue = list(reversed(specs))
        workers = [
            threading.Thread(target=self._work, args=(queue,), name=f"trial-{number}", daemon=True)
            for number in range(min(self.jobs, len(specs)))
        ]
        for worker in workers:
            worker.start()
        until: float | None = None
        for worker in workers:
            # Joined in short steps: the main thread must keep receiving signals.
            while worker.is_alive() and (until is None or time.monotonic() < until):
                worker.join(0.1)
                if until is None and self.interrupt.is_set():
                    until = time.monotonic() + AFTER_INTERRUPT_S

    def _work(self, queue: list[TrialSpec]) -> None:
        try:
            while (begun := self._begin(queue)) is not None:
                spec, leave = begun
                try:
                    record = self.run_trial(spec)
                except BaseException:
                    leave()
                    raise
                self._finish(spec, record, leave)
        except BaseException as bug:  # noqa: BLE001 - carried to the main thread and raised there
            self._bug = bug

    def _begin(self, queue: list[TrialSpec]) -> tuple[TrialSpec, Leave] | None:
        """The next trial to start, with its place in its group; None when nothing more may start."""
        with self._changed:
            while (begun := self._take(queue)) is None and queue and not self._over():
                self._tell_waiting()
                self._idle += 1
                self._changed.wait(GROUP_STEP_S)
                self._idle -= 1
            if not self._idle:
                # Nobody is left to take a place; those who can must not wait behind us.
                self.limiter.queue_up(())
            self._running += begun is not None
            return begun

    def _finish(self, spec: TrialSpec, record: TrialRecord | None, leave: Leave) -> None:
        """Note what became of a trial and give its place back, in one step: who comes next knows of it."""
        with self._changed:
            try:
                self._running -= 1
                if record is not None:
                    self._note(record)
                elif not self.interrupt.is_set():
                    # Without this it would be started again for ever.
                    raise RuntimeError(f"{spec.key} ended as if interrupted, and nobody had asked for that")
            finally:
                leave()
                self._changed.notify_all()

    def _take(self, queue: list[TrialSpec]) -> tuple[TrialSpec, Leave] | None:
        """The first trial that may start now; without one, queue up for the groups that are in the way."""
        full: set[str | None] = set()
        for at in range(len(queue) - 1, -1, -1):
            spec = queue[at]
            group = spec.task.concurrency_group
            if self._over():
                return None
            if (spec.suite, spec.task.name) in self._given_up:
                del queue[at]
            elif group not in full:
                leave = self.limiter.enter(spec.task)
                if leave is not None:
                    del queue[at]
                    return spec, leave
                full.add(group)
        self._full = tuple(sorted(name for name in full if name is not None))
        self.limiter.queue_up(self._full)
        return None

    def _tell_waiting(self) -> None:
        """Say once for what it waits when only other processes can end the waiting."""
        if not self._running and self._told_full != self._full:
            self._told_full = self._full
            self.wait(self._full)

    def _note(self, record: TrialRecord) -> None:
        self._records.append(record)
        task = (record.suite, record.task)
        if record.void_reason is VoidReason.SETUP_FAILED:
            self._setup_failures[task] += 1
            if self._setup_failures[task] >= SETUP_FAILURE_LIMIT:
                self._given_up.add(task)
        else:
            self._setup_failures[task] = 0
        self._break_circuit()
        self.report(record, self._progress())

    def _break_circuit(self) -> None:
        first = self._records[:ALL_VOID_LIMIT]
        if len(first) == ALL_VOID_LIMIT and all(item.outcome is Outcome.VOID for item in first):
            reasons = Counter(str(item.void_reason) for item in first)
            self._stopped = "the first {} trials were all void ({}): {}".format(
                ALL_VOID_LIMIT,
                ", ".join(f"{reason} {count}" for reason, count in reasons.most_common()),
                first[-1].detail,
            )

    def _progress(self) -> Progress:
        costs = [record.usage.cost_usd for record in self._records]
        return Progress(
            planned=self.planned,
            finished=len(self._records),
            running=self._running,
            outcomes=Counter(str(record.outcome) for record in self._records),
            spent_usd=sum(cost for cost in costs if cost is not None),
            unpriced=sum(cost is None for cost in costs),
            elapsed_s=time.monotonic() - self._started,
        )
