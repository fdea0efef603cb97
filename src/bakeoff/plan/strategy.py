"""The one question that a strategy answers: which trials come next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bakeoff.model.trial import TrialRecord, TrialSpec


class Strategy(Protocol):
    """Decides from what was recorded so far; holds no state of its own."""

    @property
    def name(self) -> str:
        """What records call it."""

    def next(self, records: Sequence[TrialRecord]) -> Sequence[TrialSpec] | None:
        """Specs that are to run now and have no record yet; None when it is done."""
