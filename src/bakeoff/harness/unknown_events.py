"""Counting what an adapter does not know, so that it is reported and not lost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

KINDS_COUNTED = 100
"""Different kinds that are counted by name; any further one is counted as `other`."""
LONGEST_KIND = 100
"""Characters of a kind that are kept."""


@dataclass(slots=True)
class UnknownEvents:
    """How often each kind of unknown event was seen; of bounded size whatever comes."""

    _counts: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str) -> None:
        """Count one event."""
        name = kind[:LONGEST_KIND]
        if name not in self._counts and len(self._counts) >= KINDS_COUNTED:
            name = "other"
        self._counts[name] += 1

    def counts(self) -> dict[str, int]:
        """Kind to number."""
        return dict(self._counts)
