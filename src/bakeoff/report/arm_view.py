"""One arm as every report shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.model.experiment import ArmRecord
from bakeoff.model.trial import Outcome, TrialRecord
from bakeoff.report import totals
from bakeoff.report.totals import Mean, Median, Rate, Spending


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmView:
    """One arm and what its trials amount to.

    Attributes:
        harness_versions: every version that was recorded, sorted.
        models_answered: every model that answered, sorted.
        placements: what was laid before the agent, in words.
        planned: trials of the plan; `recorded` of them have ended.
        outcomes: trials by outcome, without zeros.
        void_reasons: void trials by reason.
        endings: trials that are not void by ending, without the completed ones.
        unscored: judged trials whose score was to be measured, but is unknown.
        denials: refused actions in trials that are not void; None when no trial tells.
        retries: model calls that a harness tried again.
    """

    id: str
    harness: str
    harness_versions: tuple[str, ...]
    model: str | None
    models_answered: tuple[str, ...]
    placements: tuple[str, ...]
    planned: int
    recorded: int
    outcomes: Mapping[str, int]
    void_reasons: Mapping[str, int]
    endings: Mapping[str, int]
    rate: Rate
    score: Mean | None
    unscored: int
    agent_s: Median
    tokens: Median
    spending: Spending
    denials: int | None
    retries: int


def arm_view(
    arm: ArmRecord, trials: Sequence[TrialRecord], planned: Mapping[tuple[str, str], int]
) -> ArmView:
    """An arm from its trials; `planned` counts trials by task and arm."""
    versions = {trial.harness_version for trial in trials} | {arm.harness_version}
    return ArmView(
        id=arm.id,
        harness=arm.harness,
        harness_versions=tuple(sorted(version for version in versions if version)),
        model=arm.model,
        models_answered=tuple(sorted({model for trial in trials for model in trial.model_answered})),
        placements=tuple(str(item.get("name", item)) for item in arm.placements),
        planned=sum(count for (_, planned_arm), count in planned.items() if planned_arm == arm.id),
        recorded=len(trials),
        outcomes=totals.count_outcomes(trials),
        void_reasons=totals.count_void_reasons(trials),
        endings=totals.count_endings(trials),
        rate=totals.rate(trials),
        score=totals.mean_score(trials),
        unscored=sum(map(totals.is_unscored, trials)),
        agent_s=totals.median(trials, totals.agent_seconds),
        tokens=totals.median(trials, totals.total_tokens),
        spending=totals.spending_of(trials),
        denials=totals.known_sum(trial.denials for trial in trials if trial.outcome is not Outcome.VOID),
        retries=sum(trial.retries for trial in trials),
    )
