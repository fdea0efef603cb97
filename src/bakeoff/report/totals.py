"""What several trials amount to: rates, scores, time, tokens and money, with what is unknown beside it."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.model.trial import Ending, Outcome, TrialRecord
from bakeoff.report.chance import wilson

PASSED = frozenset({Outcome.PASS, Outcome.UNEXPECTED_PASS})
JUDGED = PASSED | {Outcome.FAIL, Outcome.TIMEOUT, Outcome.KNOWN_ISSUE}
"""Outcomes that count in rates. Void says nothing about the agent; not judged says nothing at all."""

MIN_TASKS_FOR_INTERVAL = 8
"""Below this many tasks no interval is computed: a fixed floor, not a setting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How many of the judged trials passed.

    Attributes:
        passed: judged trials that passed.
        judged: trials with an outcome that counts: neither void nor not judged.
        value: the share that passed, by weight; None when nothing with a weight was judged.
        weighted: weights differ, so `value` is not `passed / judged`.
        if_void_failed: `value` if every void trial had failed; None without void trials.
        if_void_passed: the same if every void trial had passed.
        interval: 95 % (Wilson); None unless at least 8 tasks were judged once each, with
            equal weights: trials of the same task are not independent.
    """

    passed: int
    judged: int
    value: float | None
    weighted: bool
    if_void_failed: float | None
    if_void_passed: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean by weight, of those trials in which the value is known."""

    value: float
    known: int
    trials: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Median:
    """A median of those trials in which the value is known; None when there is none."""

    value: float | None
    known: int
    trials: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Money spent, void trials included.

    Attributes:
        usd: US dollars of all priced trials; None when none is priced.
        by_source: the same by where the numbers come from (reported, derived, estimated).
        unpriced: trials whose harness was launched and whose price is unknown: what was
            really spent is more than `usd`.
    """

    usd: float | None
    by_source: Mapping[str, float]
    unpriced: int


def count_outcomes(trials: Iterable[TrialRecord]) -> dict[str, int]:
    """How many trials had each outcome, in the order of the model, without zeros."""
    found = Counter(trial.outcome for trial in trials)
    return {str(outcome): found[outcome] for outcome in Outcome if found[outcome]}


def count_void_reasons(trials: Iterable[TrialRecord]) -> dict[str, int]:
    """How many trials were void for each reason, most frequent first."""
    found = Counter(str(trial.void_reason) for trial in trials if trial.void_reason is not None)
    return dict(found.most_common())


def count_endings(trials: Iterable[TrialRecord]) -> dict[str, int]:
    """How many trials that are not void ended otherwise than completed."""
    found = Counter(
        str(trial.ending)
        for trial in trials
        if trial.ending is not Ending.COMPLETED and trial.outcome is not Outcome.VOID
    )
    return dict(found.most_common())


def rate(trials: Sequence[TrialRecord]) -> Rate:
    """How many of the judged trials passed."""
    judged = [trial for trial in trials if trial.outcome in JUDGED]
    passed = [trial for trial in judged if trial.outcome in PASSED]
    void = [trial for trial in trials if trial.outcome is Outcome.VOID]
    won, counted, lost = _weight(passed), _weight(judged), _weight(void)
    bounds = (won / (counted + lost), (won + lost) / (counted + lost)) if lost else (None, None)
    return Rate(
        passed=len(passed),
        judged=len(judged),
        value=won / counted if counted else None,
        weighted=len({trial.weight for trial in judged}) > 1,
        if_void_failed=bounds[0],
        if_void_passed=bounds[1],
        interval=_interval(judged, len(passed)),
    )


def _weight(trials: Iterable[TrialRecord]) -> float:
    return math.fsum(trial.weight for trial in trials)


def _interval(judged: Sequence[TrialRecord], passed: int) -> tuple[float, float] | None:
    tasks = {trial.task for trial in judged}
    one_each = len(tasks) == len(judged)
    equal = {trial.weight for trial in judged}
    if len(tasks) < MIN_TASKS_FOR_INTERVAL or not one_each or len(equal) != 1 or equal == {0.0}:
        return None
    return wilson(passed, len(judged))


def mean_score(trials: Sequence[TrialRecord]) -> Mean | None:
    """The mean score of the judged trials; None when none has a score."""
    judged = [trial for trial in trials if trial.outcome in JUDGED]
    scored = [(trial.score, trial.weight) for trial in judged if trial.score is not None and trial.weight]
    if not scored:
        return None
    total = math.fsum(weight for _, weight in scored)
    value = math.fsum(score * weight for score, weight in scored) / total
    return Mean(value=value, known=len(scored), trials=len(judged))


def is_unscored(trial: TrialRecord) -> bool:
    """It was judged and its score was to be measured, but is unknown."""
    if trial.outcome not in JUDGED or trial.score is not None:
        return False
    return any(verdict.score_error for verdict in trial.verdicts)


def median(trials: Sequence[TrialRecord], value_of: Callable[[TrialRecord], float | None]) -> Median:
    """The median of a fact over the trials that are not void."""
    counted = [trial for trial in trials if trial.outcome is not Outcome.VOID]
    known = [value for trial in counted if (value := value_of(trial)) is not None]
    return Median(value=statistics.median(known) if known else None, known=len(known), trials=len(counted))


def agent_seconds(trial: TrialRecord) -> float | None:
    """Wall-clock seconds of the agent's part."""
    return trial.agent_s


def total_tokens(trial: TrialRecord) -> int | None:
    """All tokens of a trial, cached ones included; None when input or output is unknown."""
    usage = trial.usage
    if usage.input is None or usage.output is None:
        return None
    return usage.input + (usage.cache_read or 0) + (usage.cache_write or 0) + usage.output


def known_sum(values: Iterable[int | None]) -> int | None:
    """The sum of what is known; None when nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def spending(costs: Iterable[tuple[float | None, str, str]]) -> Spending:
    """What trials cost, from each one's price, the source of the price, and its ending."""
    priced: dict[str, list[float]] = {}
    unpriced = 0
    for usd, source, ending in costs:
        if usd is not None:
            priced.setdefault(source, []).append(usd)
        elif ending != Ending.NOT_STARTED:
            unpriced += 1
    return Spending(
        usd=math.fsum(usd for sums in priced.values() for usd in sums) if priced else None,
        by_source={source: math.fsum(sums) for source, sums in sorted(priced.items())},
        unpriced=unpriced,
    )


def spending_of(trials: Iterable[TrialRecord]) -> Spending:
    """What these trials cost."""
    return spending((trial.usage.cost_usd, trial.usage.cost_source, trial.ending) for trial in trials)
