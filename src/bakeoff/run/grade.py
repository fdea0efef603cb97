"""Judging a trial: each check in order on the evidence, with no process of the trial alive."""

from __future__ import annotations

import errno
import time
import traceback
from collections.abc import Sequence

from bakeoff.checks.judging import OTHER_HARNESS, STOPPED
from bakeoff.errors import CheckBroken, HostFailed, TrialError
from bakeoff.model.check import Check, Context, Evidence, Status, Verdict

_FAULTS_OF_THE_MACHINE = frozenset(
    {errno.EAGAIN, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC}
)
"""Errors that do not depend on what lies in a workspace."""


def grade(checks: Sequence[Check], evidence: Evidence, context: Context) -> tuple[Verdict, ...]:
    """One verdict for each check, in order.

    A check that does not apply to the harness is skipped; one with `stop` that does not
    pass skips all later ones. Whatever goes wrong inside a check is its verdict `error`.
    """
    verdicts: list[Verdict] = []
    stopper: Check | None = None
    for check in checks:
        if stopper is not None:
            verdict = Verdict(
                status=Status.SKIPPED, reason=f"not evaluated: {stopper.id} did not pass", code=STOPPED
            )
        elif check.providers and evidence.harness not in check.providers:
            verdict = Verdict(
                status=Status.SKIPPED,
                reason=f"only for {', '.join(check.providers)}, not for {evidence.harness}",
                code=OTHER_HARNESS,
            )
        else:
            verdict = _evaluate(check, evidence, context)
            if check.stop and verdict.status is not Status.PASSED:
                stopper = check
        verdicts.append(verdict)
    return tuple(verdicts)


def _evaluate(check: Check, evidence: Evidence, context: Context) -> Verdict:
    started = time.monotonic()
    try:
        return check.evaluate(evidence, context)
    except CheckBroken as broken:
        return Verdict(
            status=Status.ERROR,
            reason=broken.message,
            code="broken",
            evidence=broken.detail,
            duration_s=time.monotonic() - started,
        )
    except TrialError:
        # The host's fault, or an interrupt: it concerns the whole trial.
        raise
    except OSError as error:
        if error.errno in _FAULTS_OF_THE_MACHINE:
            raise HostFailed(f"{check.type_name} could not be evaluated: {error}") from error
        # What the agent left behind is in the way.
        return Verdict(
            status=Status.ERROR,
            reason=f"{check.type_name} cannot be evaluated: {error}",
            code="broken",
            evidence=traceback.format_exc(),
            duration_s=time.monotonic() - started,
        )
    except Exception as bug:
        return Verdict(
            status=Status.ERROR,
            reason=f"a bug in Bakeoff while evaluating {check.type_name}: {type(bug).__name__}: {bug}",
            code="bug",
            evidence=traceback.format_exc(),
            duration_s=time.monotonic() - started,
        )
