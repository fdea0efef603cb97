"""How far an experiment is: a bar on a terminal, plain lines elsewhere, always on standard error."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TextIO

from bakeoff.model.trial import Outcome, Progress, TrialRecord
from bakeoff.report.clean import clean_line
from bakeoff.report.problem_text import message_and_hint
from bakeoff.report.screen import Screen, screen_for, write
from bakeoff.report.several_suites import with_suite
from bakeoff.report.wording import counts, money, outcome_words, plural, seconds

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

HEARTBEAT_S = 60.0
"""Without news for so long, a plain display says that it is alive: CI ends what is silent."""

_REASON_WIDTH = 200
_NAME_WIDTH = 20


class _Display(Protocol):
    def start(self, progress: Progress) -> None: ...
    def update(self, record: TrialRecord, progress: Progress) -> None: ...
    def say(self, line: str) -> None: ...
    def stop(self) -> None: ...


class Reporter:
    """Shows the progress of one experiment; every method may be called from any thread.

    A display that cannot be written any more (a closed terminal) never ends an experiment.
    """

    def __init__(
        self,
        *,
        planned: int,
        name: str,
        several_suites: bool = False,
        stream: TextIO | None = None,
        environ: Mapping[str, str] | None = None,
        heartbeat_s: float = HEARTBEAT_S,
    ) -> None:
        out = sys.stderr if stream is None else stream
        variables = os.environ if environ is None else environ
        self._several_suites = several_suites
        self._lock = threading.Lock()
        self._started = False
        self._display: _Display
        if out.isatty() and variables.get("TERM") != "dumb" and not variables.get("CI"):
            self._display = _Bar(out, variables, planned, clean_line(name))
        else:
            self._display = _Lines(out, screen_for(out, variables), planned, clean_line(name), heartbeat_s)

    def start(self, progress: Progress) -> None:
        """The first trial is about to start."""
        with self._lock, contextlib.suppress(OSError):
            self._started = True
            self._display.start(progress)

    def update(self, record: TrialRecord, progress: Progress) -> None:
        """A trial was recorded."""
        if self._several_suites:
            record = with_suite(record)
        with self._lock, contextlib.suppress(OSError):
            self._display.update(record, progress)

    def wait(self, groups: Sequence[str]) -> None:
        """Nothing runs: other processes hold all places of these concurrency groups."""
        names = f"group{'' if len(groups) == 1 else 's'} {', '.join(groups)}"
        with self._lock, contextlib.suppress(OSError):
            self._display.say(
                clean_line(f"waiting: other runs on this store hold all places of the concurrency {names}")
            )

    def stop(self) -> None:
        """Nothing more will come; what is shown stays. May be called without a start, and twice."""
        with self._lock, contextlib.suppress(OSError):
            if self._started:
                self._started = False
                self._display.stop()


def told(progress: Progress) -> str:
    """Outcomes and money so far: `7 pass, 2 fail · $0.42`."""
    ordered = {str(outcome): progress.outcomes.get(outcome, 0) for outcome in Outcome}
    parts = [counts(ordered)]
    if progress.spent_usd or progress.unpriced < progress.finished:
        parts.append(money(progress.spent_usd) + ("+" if progress.unpriced else ""))
    return " · ".join(part for part in parts if part)


class _Lines:
    """One line for each trial that ends, and one now and then while none does."""

    def __init__(self, out: TextIO, screen: Screen, planned: int, name: str, heartbeat_s: float) -> None:
        self._out = out
        self._screen = screen
        self._planned = planned
        self._name = name
        self._heartbeat_s = heartbeat_s
        self._progress = Progress(planned=planned)
        self._news = threading.Event()
        self._over = threading.Event()
        self._writing = threading.Lock()
        self._heart = threading.Thread(target=self._beat, name="progress", daemon=True)

    def start(self, progress: Progress) -> None:
        self._progress = progress
        done = f", {progress.finished} recorded earlier" if progress.finished else ""
        self._print(f"{self._name}: {plural(progress.planned, 'trial')}{done}")
        self._heart.start()

    def update(self, record: TrialRecord, progress: Progress) -> None:
        self._progress = progress
        self._news.set()
        width = len(str(progress.planned))
        facts = [f"{record.task}::{record.arm}::{record.repeat}", seconds(record.agent_s)]
        if record.usage.cost_usd is not None:
            facts.append(money(record.usage.cost_usd))
        line = (
            f"[{progress.finished:>{width}}/{progress.planned}] "
            f"{self._screen.sign(record.outcome)} {_words(record):<8}  {clean_line('  '.join(facts))}"
        )
        self._print(line + _reason(record))

    def say(self, line: str) -> None:
        self._print(line)

    def stop(self) -> None:
        self._over.set()
        self._news.set()
        if self._heart.ident is not None:
            self._heart.join()
        progress = self._progress
        self._print(
            f"{progress.finished} of {plural(progress.planned, 'trial')} in {seconds(progress.elapsed_s)}: {told(progress)}"
        )

    def _beat(self) -> None:
        quiet_s = 0.0
        while not self._over.is_set():
            if self._news.wait(self._heartbeat_s):
                self._news.clear()
                quiet_s = 0.0
                continue
            quiet_s += self._heartbeat_s
            progress = self._progress
            with contextlib.suppress(OSError):
                self._print(
                    f"[{progress.finished}/{progress.planned}] still running, no news for {seconds(quiet_s)}"
                )

    def _print(self, line: str) -> None:
        with self._writing:
            write(self._out, self._screen.own(line) + "\n")


class _Bar:
    """A bar with outcomes, money and time; trials that did not pass leave a line above it."""

    def __init__(self, out: TextIO, environ: Mapping[str, str], planned: int, name: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        self._screen = screen_for(out, environ)
        self._console = Console(
            file=out,
            width=self._screen.width,
            force_terminal=True,
            no_color=not self._screen.colour,
            markup=False,
            emoji=False,
            highlight=False,
            _environ=environ,
        )
        self._bar: RichProgress = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[told]}", markup=False),
            TimeElapsedColumn(),
            console=self._console,
            expand=True,
        )
        self._task: TaskID = self._bar.add_task(name[:_NAME_WIDTH], total=planned, told="")

    def start(self, progress: Progress) -> None:
        self._bar.update(self._task, completed=progress.finished, told=self._told(progress))
        self._bar.start()

    def update(self, record: TrialRecord, progress: Progress) -> None:
        self._bar.update(self._task, completed=progress.finished, told=self._told(progress))
        if record.outcome is not Outcome.PASS:
            name = clean_line(f"{record.task}::{record.arm}::{record.repeat}")
            line = self._screen.signed(record.outcome, f"{_words(record)}  {name}{_reason(record)}")
            self._console.print(line)

    def say(self, line: str) -> None:
        self._console.print(line)

    def stop(self) -> None:
        self._bar.stop()

    def _told(self, progress: Progress) -> str:
        return self._screen.own(told(progress))


def _words(record: TrialRecord) -> str:
    reason = None if record.void_reason is None else str(record.void_reason)
    return outcome_words(record.outcome, reason)


def _reason(record: TrialRecord) -> str:
    if record.outcome is Outcome.PASS or not record.detail:
        return ""
    return f"  {clean_line(message_and_hint(record.detail)[0], limit=_REASON_WIDTH)}"
