"""The list of experiments: what each came to, as text and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.model.experiment import ExperimentRecord, ExperimentStatus
from bakeoff.model.trial import Outcome
from bakeoff.report.clean import clean_line
from bakeoff.report.screen import Page, Screen
from bakeoff.report.totals import Spending, spending
from bakeoff.report.view import ABANDONED
from bakeoff.report.wording import counts, moment, plural, spent
from bakeoff.store.queries import TrialFact


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentLine:
    """One experiment in a list; the fields mean what they mean in its own view."""

    id: str
    name: str
    suite: str
    status: str
    created_at: str
    finished_at: str | None
    arms: tuple[str, ...]
    tasks: int
    planned: int
    recorded: int
    outcomes: Mapping[str, int]
    spending: Spending


def experiment_lines(
    experiments: Sequence[ExperimentRecord],
    facts: Sequence[TrialFact],
    is_abandoned: Callable[[ExperimentRecord], bool],
) -> tuple[ExperimentLine, ...]:
    """A line for each experiment, in their order, from the facts of their trials."""
    by_experiment: dict[str, list[TrialFact]] = {}
    for fact in facts:
        by_experiment.setdefault(fact.experiment, []).append(fact)
    return tuple(
        _line(experiment, by_experiment.get(experiment.id, []), abandoned=is_abandoned(experiment))
        for experiment in experiments
    )


def _line(experiment: ExperimentRecord, facts: Sequence[TrialFact], *, abandoned: bool) -> ExperimentLine:
    outcomes = Counter(fact.outcome for fact in facts)
    running = abandoned and experiment.status is ExperimentStatus.RUNNING
    return ExperimentLine(
        id=experiment.id,
        name=experiment.name,
        suite=experiment.suite,
        status=ABANDONED if running else str(experiment.status),
        created_at=experiment.created_at,
        finished_at=experiment.finished_at,
        arms=tuple(arm.id for arm in experiment.arms),
        tasks=len(experiment.tasks),
        planned=len(experiment.planned),
        recorded=len(facts),
        outcomes={str(outcome): outcomes[outcome] for outcome in Outcome if outcomes[outcome]},
        spending=spending((fact.cost_usd, fact.cost_source, fact.ending) for fact in facts),
    )


def render_list(lines: Sequence[ExperimentLine], screen: Screen, *, more: int = 0) -> str:
    """The experiments, three lines each; `more` is how many older ones are not shown."""
    page = Page(screen)
    for number, line in enumerate(lines):
        if number:
            page.console.print()
        head = [line.id, moment(line.created_at), line.status]
        # Where no agent was started there is no cost to tell of.
        if line.spending.usd is not None or line.spending.unpriced:
            head.append(f"cost {spent(line.spending.usd, line.spending.unpriced)}")
        page.paragraph(screen.own(" · ".join(head)), style="bold")
        page.paragraph(screen.own(_about(line)), indent=2)
        page.paragraph(_trials(line), indent=2)
    if more:
        page.console.print()
        page.paragraph(f"and {more} older: --limit shows more of them", style="dim")
    return page.text()


def _about(line: ExperimentLine) -> str:
    parts = [clean_line(line.name)]
    if line.suite != line.name:
        parts.append(f"suite {clean_line(line.suite)}")
    parts.append(plural(line.tasks, "task"))
    parts.append(f"{plural(len(line.arms), 'arm')}: {', '.join(map(clean_line, line.arms))}")
    return " · ".join(parts)


def _trials(line: ExperimentLine) -> str:
    missing = line.planned - line.recorded
    if not line.recorded:
        return f"none of {plural(line.planned, 'trial')} recorded" if line.planned else "no trial planned"
    told = counts(line.outcomes)
    return f"{told}, {missing} of {line.planned} not recorded" if missing else told
