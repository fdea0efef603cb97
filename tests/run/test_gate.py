"""Which exit code an experiment earns."""

from dataclasses import dataclass

import pytest
from support.records import a_trial

from bakeoff.model.trial import Outcome, TrialRecord, VoidReason
from bakeoff.run.gate import exit_code


@dataclass
class Result:
    records: tuple[TrialRecord, ...]
    interrupted: bool = False


def result(*outcomes, interrupted=False):
    records = tuple(
        a_trial(outcome=outcome, void_reason=VoidReason.HOST if outcome is Outcome.VOID else None)
        for outcome in outcomes
    )
    return Result(records, interrupted)


P, F, T, N, V, K = (
    Outcome.PASS,
    Outcome.FAIL,
    Outcome.TIMEOUT,
    Outcome.NOT_JUDGED,
    Outcome.VOID,
    Outcome.KNOWN_ISSUE,
)


@pytest.mark.parametrize(
    ("outcomes", "fail_on", "arms", "code"),
    [
        ([P, P], None, 1, 0),
        ([P, K], None, 1, 0),
        ([P, F], None, 1, 1),
        ([P, T], None, 1, 1),
        ([P, N], None, 1, 1),
        ([P, F], None, 2, 0),
        ([P, V], None, 2, 1),
        ([P] * 9 + [V], None, 1, 0),
        ([P] * 4 + [V], None, 1, 0),
        ([P] * 3 + [V], None, 1, 4),
        ([V, V], None, 1, 4),
        ([P, V, F], "fail", 2, 1),
        ([F, V], "void", 1, 1),
        ([F, F], "void", 1, 0),
        ([F, V, V], "never", 1, 0),
        ([], None, 1, 0),
    ],
)
def test_exit_codes(outcomes, fail_on, arms, code):
    assert exit_code(result(*outcomes), fail_on=fail_on, arms=arms) == code


def test_an_interrupt_goes_before_everything():
    assert exit_code(result(F, V, interrupted=True), fail_on="never", arms=1) == 130
