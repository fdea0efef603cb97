"""Why a selection leaves tasks out, so that an empty one can name its real cause."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from bakeoff.model.suite import Task


@dataclass(frozen=True, slots=True)
class Reason:
    """Why one task is left out.

    Attributes:
        words: what became of it.
        tags: that keep it out although nobody excludes it.
    """

    words: str
    tags: tuple[str, ...] = ()


@dataclass(slots=True)
class LeftOut:
    """The tasks that a selection leaves out, by reason."""

    _reasons: Counter[Reason] = field(default_factory=Counter)

    def takes(self, task: Task, reason: Reason | None) -> bool:
        """Whether the task is left out; it is counted then."""
        if reason is None:
            return False
        self._reasons[reason] += 1
        return True

    def told(self) -> str:
        """What became of all tasks, for the end of a sentence; empty when there was none."""
        parts = [f"{count} {reason.words}" for reason, count in self._reasons.most_common()]
        return f": {', '.join(parts)}" if parts else ""

    def hint(self) -> str:
        """How to select those that are only held back; empty when none is."""
        tags = list(dict.fromkeys(tag for reason in self._reasons for tag in reason.tags))
        if not tags:
            return ""
        flags = " ".join(f"--tag {tag}" for tag in tags)
        return f"`{flags}` or `--all-tags` selects them, and so does naming a task: SUITE::TASK"
