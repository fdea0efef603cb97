"""The exit code that a finished experiment earns."""

from __future__ import annotations

from typing import Protocol

from bakeoff.model.trial import Outcome, TrialRecord

INTERRUPTED = 130
TRIPPED = 1
INCONCLUSIVE = 4

VOID_SHARE = 0.2
"""With more void trials than this share, the experiment says too little."""

FAILURES = frozenset({Outcome.FAIL, Outcome.TIMEOUT, Outcome.NOT_JUDGED})


class Result(Protocol):
    """What the gate needs to know of an experiment."""

    @property
    def records(self) -> tuple[TrialRecord, ...]:
        """Every recorded trial."""

    @property
    def interrupted(self) -> bool:
        """The user or the system ended it."""


def exit_code(result: Result, *, fail_on: str | None, arms: int) -> int:
    """0, 1, 4 or 130, by the rules of the command line.

    `fail_on` is "never", "void" or "fail"; None means "fail" with one arm and "void" with
    several, since a comparison is no gate. A failed gate goes before too many voids.
    """
    if result.interrupted:
        return INTERRUPTED
    rule = fail_on or ("fail" if arms == 1 else "void")
    if rule == "never":
        return 0
    outcomes = [record.outcome for record in result.records]
    voids = outcomes.count(Outcome.VOID)
    if rule == "fail" and FAILURES & set(outcomes):
        return TRIPPED
    if rule == "void" and voids:
        return TRIPPED
    return INCONCLUSIVE if outcomes and voids / len(outcomes) > VOID_SHARE else 0
