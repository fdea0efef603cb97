"""Whether a transcript is whole: what is not in it proves nothing where parts of it are missing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from bakeoff.checks.wording import clipped, plainly
from bakeoff.errors import CheckBroken
from bakeoff.model.check import Evidence
from bakeoff.model.trajectory import ToolCall

_MOST_CALLS = 20
_ARGUMENT_CHARACTERS = 300
_RESULT_WITHOUT_CALL = "result without call"

Topic = Literal["tools", "skills", "denials"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """Why a transcript may lack something.

    Attributes:
        holes: what may be missing anywhere.
        cut: what is missing after the end of it.
    """

    holes: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()

    def refuse(self, question: str) -> None:
        """CheckBroken when something found nowhere may be in what is missing."""
        self._raise(question, (*self.holes, *self.cut))

    def refuse_holes(self, question: str) -> None:
        """CheckBroken when something may be missing before the place where the transcript ends."""
        self._raise(question, self.holes)

    def _raise(self, question: str, reasons: tuple[str, ...]) -> None:
        if reasons:
            raise CheckBroken(f"{question} is not known: {'; '.join(reasons)}")


def gaps_of(evidence: Evidence, topic: Topic) -> Gaps:
    """What the transcript of a trial may lack of one topic.

    Events that an adapter does not know are no gap, except for parts of messages and results
    that belong to no call: those are traces of calls.
    """
    trajectory = evidence.trajectory
    holes = []
    if topic in trajectory.untold:
        holes.append(f"{evidence.harness} does not tell of {topic}")
    if not trajectory.steps:
        holes.append("the harness told of nothing that the agent said or did")
    if trajectory.malformed_lines:
        holes.append(f"lines of its output that could not be read: {trajectory.malformed_lines}")
    for kind, number in trajectory.unknown_events.items():
        if kind == _RESULT_WITHOUT_CALL or kind.startswith("content/"):
            holes.append(f"parts of its output that are not understood: {plainly(kind)} ({number})")
    for subagent in trajectory.subagents:
        seen = sum(call.thread == subagent.id for call in trajectory.tool_calls)
        if subagent.tool_calls is not None and seen < subagent.tool_calls:
            holes.append(f"of {subagent.tool_calls} calls of a subagent {seen} are in the transcript")
    cut = list(evidence.losses)
    if trajectory.finish is None and not trajectory.ends_by_exit_code and not cut:
        cut.append("the transcript ends without the harness's last word")
    return Gaps(holes=tuple(holes), cut=tuple(cut))


def listed_calls(calls: Iterable[ToolCall]) -> str:
    """Calls as lines of evidence: what was called with what, where, and what became of it."""
    lines = [_line(call) for call in calls]
    more = [f"[{len(lines) - _MOST_CALLS} calls more]"] if len(lines) > _MOST_CALLS else []
    return clipped("\n".join(lines[:_MOST_CALLS] + more))


def _line(call: ToolCall) -> str:
    given = plainly(json.dumps(dict(call.input), ensure_ascii=False, default=str), _ARGUMENT_CHARACTERS)
    thread = f"  in subagent {plainly(call.thread)}" if call.thread is not None else ""
    state = (
        f"  refused: {plainly(call.denial)}"
        if call.denied
        else "  ended with an error"
        if call.is_error
        else ""
    )
    return f"{plainly(call.name)} {given}{thread}{state}"
