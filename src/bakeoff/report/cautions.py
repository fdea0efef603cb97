"""Warnings about a comparison itself: what makes arms unlike in more than what is compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from bakeoff.model.trial import Outcome, TrialRecord
from bakeoff.report import totals
from bakeoff.report.chance import fisher
from bakeoff.report.wording import plural

_UNLIKELY = 0.05
_REASONS = 3


def cautions(
    trials: Sequence[TrialRecord], arms: Sequence[str], planned: Mapping[tuple[str, str], int]
) -> tuple[str, ...]:
    """What a reader must know before comparing the arms, most important first."""
    by_arm = {arm: [trial for trial in trials if trial.arm == arm] for arm in arms}
    return (
        *_void_differs(by_arm),
        *_denials_differ(by_arm),
        *_unrecorded(by_arm, planned),
        *_versions_changed(by_arm),
        *_contents_changed(trials),
        *_not_judged(by_arm),
        *_unscored(by_arm),
        *_unpriced(by_arm),
    )


def _void_differs(by_arm: Mapping[str, Sequence[TrialRecord]]) -> Iterator[str]:
    """Attrition: an arm that lost more trials than another is not judged on the same ground."""
    lost = {arm: (_void(trials), len(trials) - _void(trials)) for arm, trials in by_arm.items() if trials}
    shares = {void / (void + rest) for void, rest in lost.values()}
    if len(shares) < 2:
        return
    told = ", ".join(f"{arm} {void} of {void + rest}" for arm, (void, rest) in lost.items())
    text = f"void trials differ between the arms ({told}): their rates are not over the same trials"
    p_value = min(fisher(first, second) for first, second in combinations(lost.values(), 2))
    if p_value < _UNLIKELY:
        text += f"; chance alone does not explain it (Fisher's exact p = {p_value:.2g})"
    yield text
    yield from _order_may_turn(by_arm)


def _void(trials: Sequence[TrialRecord]) -> int:
    return sum(trial.outcome is Outcome.VOID for trial in trials)


def _order_may_turn(by_arm: Mapping[str, Sequence[TrialRecord]]) -> Iterator[str]:
    rates = {arm: totals.rate(trials) for arm, trials in by_arm.items()}
    for (first, one), (second, other) in combinations(rates.items(), 2):
        better, worse = (one, other) if (one.value or 0) >= (other.value or 0) else (other, one)
        if better.value is None or worse.value is None or better.value == worse.value:
            continue
        low = better.value if better.if_void_failed is None else better.if_void_failed
        high = worse.value if worse.if_void_passed is None else worse.if_void_passed
        if low < high:
            yield f"which of {first} and {second} passes more often depends on how void trials are counted"


def _denials_differ(by_arm: Mapping[str, Sequence[TrialRecord]]) -> Iterator[str]:
    known = {
        arm: [
            trial.denials
            for trial in trials
            if trial.outcome is not Outcome.VOID and trial.denials is not None
        ]
        for arm, trials in by_arm.items()
    }
    told = {arm: (sum(denials), len(denials)) for arm, denials in known.items() if denials}
    if len({total / count for total, count in told.values()}) > 1:
        each = ", ".join(f"{arm} {total} in {plural(count, 'trial')}" for arm, (total, count) in told.items())
        yield f"refused actions differ between the arms ({each}): they were not allowed to do the same"


def _unrecorded(
    by_arm: Mapping[str, Sequence[TrialRecord]], planned: Mapping[tuple[str, str], int]
) -> Iterator[str]:
    missing = {
        arm: sum(count for (_, of_arm), count in planned.items() if of_arm == arm) - len(trials)
        for arm, trials in by_arm.items()
    }
    if any(missing.values()):
        told = ", ".join(f"{arm} {count}" for arm, count in missing.items() if count)
        yield f"planned trials that are not recorded: {told}"


def _versions_changed(by_arm: Mapping[str, Sequence[TrialRecord]]) -> Iterator[str]:
    for arm, trials in by_arm.items():
        versions = sorted({trial.harness_version for trial in trials if trial.harness_version})
        if len(versions) > 1:
            yield f"the harness of {arm} changed during the experiment: {', '.join(versions)}"
        models = Counter(_main_model(trial) for trial in trials if trial.model_answered)
        if len(models) > 1:
            told = ", ".join(f"{model} in {plural(count, 'trial')}" for model, count in models.most_common())
            yield f"the main model that answered in {arm} changed during the experiment: {told}"


def _main_model(trial: TrialRecord) -> str:
    """The answering model that was asked for; harnesses use small ones beside it for chores."""
    asked = trial.model_asked
    return next(
        (model for model in trial.model_answered if asked and asked in model), trial.model_answered[0]
    )


def _contents_changed(trials: Sequence[TrialRecord]) -> Iterator[str]:
    digests: dict[str, set[tuple[str, str, str]]] = {}
    for trial in trials:
        of_trial = trial.digests
        digests.setdefault(trial.task, set()).add((of_trial.task, of_trial.prompt, of_trial.checks))
    for task, found in digests.items():
        if len(found) > 1:
            yield f"task {task} was recorded with {len(found)} different contents: its trials are not comparable"


def _not_judged(by_arm: Mapping[str, Sequence[TrialRecord]]) -> Iterator[str]:
    count = sum(trial.outcome is Outcome.NOT_JUDGED for trials in by_arm.values() for trial in trials)
    if count:
        yield f"{plural(count, 'trial')} had no gating check and count in no rate"


def _unscored(by_arm: Mapping[str, Sequence[TrialRecord]]) -> Iterator[str]:
    """A broken score command must not look like a task without one."""
    for arm, trials in by_arm.items():
        judged = [trial for trial in trials if trial.outcome in totals.JUDGED]
        unscored = [trial for trial in judged if totals.is_unscored(trial)]
        if unscored:
            reasons = Counter(
                verdict.score_error for trial in unscored for verdict in trial.verdicts if verdict.score_error
            )
            told = "; ".join(reason for reason, _ in reasons.most_common(_REASONS))
            more = f"; and {len(reasons) - _REASONS} more reasons" if len(reasons) > _REASONS else ""
            yield f"score unknown in {len(unscored)} of {plural(len(judged), 'trial')} of {arm}: {told}{more}"


def _unpriced(by_arm: Mapping[str, Sequence[TrialRecord]]) -> Iterator[str]:
    found = {arm: totals.spending_of(trials) for arm, trials in by_arm.items()}
    if any(spent.usd is not None for spent in found.values()):
        told = ", ".join(f"{arm} {spent.unpriced}" for arm, spent in found.items() if spent.unpriced)
        if told:
            yield f"trials without a known price, so that costs are too low: {told}"
