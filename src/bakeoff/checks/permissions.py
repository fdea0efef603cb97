"""The check that nothing the agent tried was refused."""

from __future__ import annotations

from typing import ClassVar

from bakeoff.checks.transcript import gaps_of
from bakeoff.checks.wording import clipped, listed, plainly
from bakeoff.model.check import Check, Context, Evidence, Status, Verdict

_REASON_CHARACTERS = 300


class NoPermissionErrors(Check):
    """Passes when the harness refused nothing that the agent tried, subagents included.

    Only what the harness itself reports as refused by a permission rule, mode or hook counts. A tool's own
    error does not, whatever its text says: `cat: Permission denied` is the operating
    system's word, and a rejected push is git's. One refusal that is in the transcript is
    enough to fail. Without one the check is an error when one may be missing from the
    transcript (see `tool_called`); it never passes because evidence was lost. It has no fields of its own.
    """

    type_name: ClassVar[str] = "no_permission_errors"

    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """List the refusals."""
        refusals = _refusals(evidence)
        if not refusals:
            gaps_of(evidence, "denials").refuse("whether something was refused")
            return Verdict(status=Status.PASSED, code="none_refused", reason="nothing was refused")
        names = listed(list(dict.fromkeys(tool for tool, _ in refusals)))
        number = "1 action was" if len(refusals) == 1 else f"{len(refusals)} actions were"
        return Verdict(
            status=Status.FAILED,
            code="refused",
            reason=f"{number} refused: {names}",
            evidence=clipped("\n".join(line for _, line in refusals)),
        )


def _refusals(evidence: Evidence) -> list[tuple[str, str]]:
    """The tool and a line of evidence for each refusal, told as such or as the fate of a call."""
    trajectory = evidence.trajectory
    told = [(denial.tool, denial.reason, denial.thread) for denial in trajectory.denials]
    known = {denial.call_id for denial in trajectory.denials}
    told += [
        (call.name, call.denial, call.thread)
        for call in trajectory.tool_calls
        if call.denied and call.id not in known
    ]
    return [
        (plainly(tool) or "an unnamed tool", _line(tool, reason, thread)) for tool, reason, thread in told
    ]


def _line(tool: str, reason: str, thread: str | None) -> str:
    where = f"  in subagent {plainly(thread)}" if thread is not None else ""
    why = f": {plainly(reason, _REASON_CHARACTERS)}" if reason else ""
    return f"{plainly(tool) or 'an unnamed tool'}{where}{why}"
