"""When a supervised program is asked to end, when it is made to, and for which reason."""

from __future__ import annotations

from collections.abc import Mapping

TERM_GRACE_S: Mapping[str, float] = {"timeout": 2.0, "stopped": 0.5, "interrupted": 1.0}
"""Seconds between SIGTERM and SIGKILL, by reason: a harness may write its last words."""


class Countdown:
    """The two moments of an end, in seconds of the monotonic clock.

    Attributes:
        term_at: when SIGTERM is due.
        kill_at: when SIGKILL is due; None until SIGTERM was sent.
        reason: why the end has begun; None until then, and the first reason stays.
    """

    def __init__(self, now: float, timeout_s: float) -> None:
        self.term_at = now + timeout_s
        self.kill_at: float | None = None
        self.reason: str | None = None
        self._next_reason = "timeout"

    def end_within(self, grace_s: float, reason: str, now: float) -> None:
        """Let the end begin after a grace at the latest; one that has begun can only come sooner."""
        if self.kill_at is not None:
            self.kill_at = min(self.kill_at, now + grace_s + TERM_GRACE_S[reason])
            return
        self.term_at = min(self.term_at, now + grace_s)
        self._next_reason = reason

    def kill_now(self, reason: str, now: float) -> None:
        """Leave no grace at all."""
        self.reason = self.reason or reason
        self.kill_at = now

    def is_term_due(self, now: float) -> bool:
        """Whether it is time for SIGTERM; true once."""
        if self.kill_at is not None or now < self.term_at:
            return False
        self.reason = self._next_reason
        self.kill_at = now + TERM_GRACE_S[self.reason]
        return True

    def is_kill_due(self, now: float) -> bool:
        """Whether it is time for SIGKILL."""
        return self.kill_at is not None and now >= self.kill_at

    def left_s(self, now: float) -> float:
        """Seconds until the next of the two moments."""
        moment = self.term_at if self.kill_at is None else self.kill_at
        return max(0.0, moment - now)
