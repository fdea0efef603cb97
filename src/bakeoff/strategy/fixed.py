"""The simplest strategy: everything that was planned, in the planned order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.model.trial import TrialRecord, TrialSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """Runs a fixed list of trials once each."""

    specs: tuple[TrialSpec, ...]
    name: str = "fixed"

    def next(self, records: Sequence[TrialRecord]) -> Sequence[TrialSpec] | None:
        """The planned trials that have no record; None when every one has."""
        done = {(record.task, record.arm, record.repeat) for record in records}
        left = [spec for spec in self.specs if (spec.task.id, spec.arm.id, spec.repeat) not in done]
        return left or None
