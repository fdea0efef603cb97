"""The report of an experiment as text, for terminals, logs and files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from bakeoff.model.trial import Outcome
from bakeoff.report.arms_table import draw_arms
from bakeoff.report.checks_table import draw_checks
from bakeoff.report.clean import clean_line
from bakeoff.report.problem_text import message_and_hint, without_severity
from bakeoff.report.screen import TIMES, Page, Screen, screen_for, write
from bakeoff.report.tasks_table import draw_tasks
from bakeoff.report.wording import moment, outcome_words, plural

if TYPE_CHECKING:
    from bakeoff.report.view import ExperimentView

_EXPLAINED = 20
"""Trials whose reason is printed; more of them are counted."""

_NOTICED = 5
"""Different findings of a kind that are printed; more of them are counted."""


def print_experiment(view: ExperimentView, stream: TextIO | None = None) -> None:
    """Print the report for whoever reads the stream, which is standard output by default."""
    out = sys.stdout if stream is None else stream
    write(out, render_experiment(view, screen_for(out, os.environ)))


def render_experiment(view: ExperimentView, screen: Screen) -> str:
    """The report; the same view and screen always give the same text."""
    page = Page(screen)
    _head(page, screen, view)
    _warn(page, screen, view)
    if view.trials:
        draw_arms(page, screen, view.arms)
        draw_tasks(page, screen, view.tasks)
        draw_checks(page, screen, "Checks that did not always pass", view.checks)
        draw_checks(
            page, screen, "Style and lint, apart from correctness", view.style_checks, noun="style check"
        )
        _why(page, screen, view)
    return page.text()


def _head(page: Page, screen: Screen, view: ExperimentView) -> None:
    page.console.print(screen.own(f"{clean_line(view.name)} · {view.status} · {view.id}"), style="bold")
    facts = [
        f"suite {clean_line(view.suite)}",
        _size(view),
        f"started {moment(view.created_at)}",
        f"seed {view.seed}",
        f"sandbox {view.sandbox}",
    ]
    page.paragraph(screen.own(" · ".join(facts)))
    if view.status_reason:
        reason = view.status_reason.removeprefix(f"{view.status}; ")
        page.paragraph(f"{view.status}: {clean_line(reason)}")


def _size(view: ExperimentView) -> str:
    """How many trials are shown, and of how many tasks, arms and repeats."""
    trials = plural(view.planned, "trial")
    if view.recorded != view.planned:
        trials = f"{view.recorded} of {trials}"
    if not view.whole:
        return f"{trials}, a part of the experiment"
    shape = (plural(len(view.tasks), "task"), plural(len(view.arms), "arm"), str(view.repeats))
    return f"{trials}: {f' {TIMES} '.join(shape)}"


def _warn(page: Page, screen: Screen, view: ExperimentView) -> None:
    lines = list(view.cautions)
    if view.protections_missing:
        missing = ", ".join(name.replace("_", " ") for name in view.protections_missing)
        lines.append(f"protections not in force: {missing}")
    lines += [f"suite: {without_severity(warning)}" for warning in view.suite_warnings]
    lines += _noticed(view, screen)
    if lines:
        page.heading("Warnings")
        for line in lines:
            message, hint = message_and_hint(line)
            page.paragraph(screen.own(f"! {clean_line(message)}"), style="yellow")
            if hint:
                page.paragraph(screen.own(f"hint: {clean_line(hint)}"), indent=2, style="yellow")


def _noticed(view: ExperimentView, screen: Screen) -> Iterator[str]:
    """What was noticed in trials: each thing where they are few, else how often."""
    for kind, count in view.findings.items():
        found = [item for item in view.noticed if item.kind == kind]
        if len(found) > _NOTICED:
            see = f"see {screen.program} show {view.id}::TASK::ARM::K"
            yield f"noticed: {kind}, {count} times: {see}"
            continue
        for item in found:
            where = item.trials[0] if len(item.trials) == 1 else f"in {plural(len(item.trials), 'trial')}"
            yield f"noticed: {kind}: {item.detail} ({where})"


def _why(page: Page, screen: Screen, view: ExperimentView) -> None:
    missed = [line for line in view.trials if line.outcome != Outcome.PASS]
    if not missed:
        return
    page.heading("Why")
    for line in missed[:_EXPLAINED]:
        name = clean_line(f"{line.task}::{line.arm}::{line.repeat}")
        words = outcome_words(line.outcome, line.void_reason)
        page.console.print(screen.signed(line.outcome, f"{name}  {words}"))
        if line.why:
            message, hint = message_and_hint(line.why)
            page.paragraph(clean_line(message, limit=400), indent=2)
            if hint:
                page.paragraph(f"hint: {clean_line(hint, limit=400)}", indent=2)
    if len(missed) > _EXPLAINED:
        page.paragraph(f"and {plural(len(missed) - _EXPLAINED, 'more trial')} that did not pass", style="dim")
    page.paragraph(f"more about one of them: {screen.program} show {view.id}::TASK::ARM::K", style="dim")
