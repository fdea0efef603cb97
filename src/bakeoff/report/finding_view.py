"""What was noticed in the trials of an experiment, each thing once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.model.trial import TrialRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingView:
    """One finding; `trials` are those in which it was noticed, as `task::arm::repeat`."""

    kind: str
    detail: str
    trials: tuple[str, ...]


def finding_views(trials: Sequence[TrialRecord]) -> tuple[FindingView, ...]:
    """The findings in the order in which they were first noticed."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for trial in trials:
        for item in trial.findings:
            name = f"{trial.task}::{trial.arm}::{trial.repeat}"
            found.setdefault((item.kind, item.detail), {})[name] = None
    return tuple(
        FindingView(kind=kind, detail=detail, trials=tuple(names)) for (kind, detail), names in found.items()
    )
