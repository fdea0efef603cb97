"""One trial on one line of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bakeoff.model.trial import TrialRecord
from bakeoff.report import totals


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialLine:
    """One trial on one line; `why` is the sentence of its record.

    `task` is what reports call it: `id` or `id::case`, after its suite where there are several.
    """

    id: str
    address: str
    suite: str
    task: str
    arm: str
    repeat: int
    outcome: str
    void_reason: str | None
    ending: str
    why: str
    score: float | None
    agent_s: float | None
    tokens: int | None
    cost_usd: float | None
    cost_source: str
    denials: int | None
    verdicts: Mapping[str, str]


def trial_line(trial: TrialRecord, address: str) -> TrialLine:
    """One trial, which is found at `address`, on one line."""
    return TrialLine(
        id=trial.id,
        address=address,
        suite=trial.suite,
        task=trial.task,
        arm=trial.arm,
        repeat=trial.repeat,
        outcome=str(trial.outcome),
        void_reason=None if trial.void_reason is None else str(trial.void_reason),
        ending=str(trial.ending),
        why=trial.detail,
        score=trial.score,
        agent_s=trial.agent_s,
        tokens=totals.total_tokens(trial),
        cost_usd=trial.usage.cost_usd,
        cost_source=trial.usage.cost_source,
        denials=trial.denials,
        verdicts={verdict.check: verdict.status for verdict in trial.verdicts},
    )
