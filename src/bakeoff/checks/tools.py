"""Checks on which tools the agent called, and how often."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar, Self

from pydantic import Field, model_validator

from bakeoff.checks.fields import Name, Number
from bakeoff.checks.transcript import gaps_of, listed_calls
from bakeoff.checks.wording import listed, plainly
from bakeoff.model.check import Check, Context, Evidence, Status, Verdict
from bakeoff.model.trajectory import ToolCall


class ToolCalled(Check):
    """Passes when the agent called a tool at least once, subagents included.

    `name` is the tool's name exactly as its harness tells it, so `providers` beside it is
    wise. A call counts whatever became of it: one that was refused or failed was made all
    the same, and the evidence says so. One call that is in the transcript is enough, however
    incomplete the transcript is. Without one the check is an error, not a failure, when a
    call may be missing: when the harness told of nothing, or its output could not all be
    read, or ends without its last word because of a crash or the time limit.
    """

    type_name: ClassVar[str] = "tool_called"

    name: Name = Field(description="of the tool, exactly as the harness tells it")

    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """Look for a call in all threads."""
        calls = _calls(evidence, self.name)
        if calls:
            reason = f"{plainly(self.name)} was called {_times(calls)}"
            return Verdict(status=Status.PASSED, code="called", reason=reason, evidence=listed_calls(calls))
        gaps_of(evidence, "tools").refuse(f"whether {plainly(self.name)} was called")
        reason = f"{plainly(self.name)} was never called; {_others(evidence)}"
        return Verdict(status=Status.FAILED, code="not_called", reason=reason)


class ToolNotCalled(Check):
    """Passes when the agent never called a tool, subagents included.

    The opposite of `tool_called`: a call that was refused or failed counts as a call. When a
    call may be missing from the transcript (see `tool_called`) the check is an error; it
    never passes because evidence was lost.
    """

    type_name: ClassVar[str] = "tool_not_called"

    name: Name = Field(description="of the tool, exactly as the harness tells it")

    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """Look for a call in all threads."""
        calls = _calls(evidence, self.name)
        if calls:
            reason = f"{plainly(self.name)} must not be called, but was, {_times(calls)}"
            return Verdict(status=Status.FAILED, code="called", reason=reason, evidence=listed_calls(calls))
        gaps_of(evidence, "tools").refuse(f"whether {plainly(self.name)} was called")
        roster = evidence.trajectory.roster
        offered = roster.tools if roster is not None else None
        if offered is not None and self.name not in offered:
            reason = f"{plainly(self.name)} was not called; the agent had no tool of that name"
            return Verdict(status=Status.PASSED, code="not_offered", reason=reason)
        reason = f"{plainly(self.name)} was not called; {_others(evidence)}"
        return Verdict(status=Status.PASSED, code="not_called", reason=reason)


class ToolCount(Check):
    """Compares how often the agent called a tool, subagents included, with bounds.

    `exactly`, or `min`, `max` or both; the bounds are inclusive. Calls count as for
    `tool_called`. When calls may be missing from the transcript, what is in it is the least
    that there was: it can violate `max` or reach `min`, and everything else is an error.
    """

    type_name: ClassVar[str] = "tool_count"

    name: Name = Field(description="of the tool, exactly as the harness tells it")
    exactly: Number | None = Field(default=None, description="how often; not beside `min` or `max`")
    min: Number | None = Field(default=None, description="at least so often")
    max: Number | None = Field(default=None, description="at most so often")

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.exactly is not None:
            if self.min is not None or self.max is not None:
                msg = "`exactly` stands beside `min` or `max`: keep one of the two"
                raise ValueError(msg)
            return self
        if self.max is None and not self.min:
            msg = "there is no bound that a count could violate: give `exactly`, `max`, or a `min` above 0"
            raise ValueError(msg)
        if self.min is not None and self.max is not None and self.min > self.max:
            msg = f"`min` is {self.min} and `max` {self.max}: no count is both"
            raise ValueError(msg)
        return self

    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """Count the calls of all threads."""
        calls = _calls(evidence, self.name)
        least = self.exactly if self.exactly is not None else self.min
        most = self.exactly if self.exactly is not None else self.max
        too_many = most is not None and len(calls) > most
        enough = most is None and least is not None and len(calls) >= least
        if not too_many and not enough:
            gaps_of(evidence, "tools").refuse(f"how often {plainly(self.name)} was called")
        passed = not too_many and (least is None or len(calls) >= least)
        return Verdict(
            status=Status.PASSED if passed else Status.FAILED,
            code="within" if passed else "too_many" if too_many else "too_few",
            reason=f"expected {self._expected()} of {plainly(self.name)}, found {_calls_of(len(calls))}",
            evidence=listed_calls(calls),
        )

    def _expected(self) -> str:
        if self.exactly is not None:
            return f"exactly {_calls_of(self.exactly)}"
        if self.min is None:
            return f"at most {_calls_of(self.max or 0)}"
        if self.max is None:
            return f"at least {_calls_of(self.min)}"
        return f"{self.min} to {_calls_of(self.max)}"


def _calls(evidence: Evidence, name: str) -> list[ToolCall]:
    return [call for call in evidence.trajectory.tool_calls if call.name == name]


def _calls_of(number: int) -> str:
    return f"{number} call" if number == 1 else f"{number} calls"


def _times(calls: list[ToolCall]) -> str:
    refused = sum(call.denied for call in calls)
    times = "once" if len(calls) == 1 else f"{len(calls)} times"
    if not refused:
        return times
    return f"{times}, refused" if refused == len(calls) else f"{times}, {refused} of them refused"


def _others(evidence: Evidence) -> str:
    """What was called instead, for whoever misspelt a name."""
    counts = Counter(call.name for call in evidence.trajectory.tool_calls)
    names = [f"{plainly(name)} ({number})" for name, number in counts.most_common()]
    return f"called were {listed(names)}" if names else "no tool was"
