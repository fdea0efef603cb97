"""Steps that the scripted agent only tells: nothing is changed or executed."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from bakeoff.harness.fake.step import Count, Money, Plan, Seconds, Step, Threaded, event
from bakeoff.harness.option_fields import one_of
from bakeoff.harness.outcome import void_reason
from bakeoff.model.trajectory import ApiError, Finish

_FINISHES = tuple(str(item) for item in Finish)


class Text(Threaded):
    """`{text: ...}`: the agent says something."""

    lead = "text"
    text: str

    def plan(self) -> list[Plan]:
        """One message."""
        return [{"do": "say", "text": self.text, "kind": "text", "thread": self.thread}]


class Reasoning(Threaded):
    """`{reasoning: ...}`: the agent thinks aloud."""

    lead = "reasoning"
    reasoning: str

    def plan(self) -> list[Plan]:
        """One message of the other kind."""
        return [{"do": "say", "text": self.reasoning, "kind": "reasoning", "thread": self.thread}]


class Tool(Threaded):
    """`{tool: Name, input: {...}, result: "...", error: true, exit_code: 1}`: a made-up tool call.

    Nothing is executed. `result: null` is a call whose result was never seen. `loads: name`
    says that this call loads a skill, for harnesses that load skills with an ordinary tool.
    """

    lead = "tool"
    tool: str
    id: str | None = None
    input: dict[str, Any] = Field(default_factory=dict)
    result: str | None = ""
    error: bool = False
    exit_code: int | None = None
    loads: str | None = None

    def plan(self) -> list[Plan]:
        """A call and its result."""
        given = self.model_dump(exclude={"tool", "loads"})
        return [{"do": "tool", "name": self.tool, "skill": self.loads, **given}]


class Denied(Threaded):
    """`{denied: Tool, reason: ..., input: {...}, loads: name}`: a tool call that was refused.

    `loads` is the skill that it would have loaded.
    """

    lead = "denied"
    denied: str
    reason: str = "not allowed"
    input: dict[str, Any] = Field(default_factory=dict)
    loads: str | None = None

    def plan(self) -> list[Plan]:
        """A call, its refusal, and the result that says so."""
        given = {"reason": self.reason, "input": self.input, "thread": self.thread, "skill": self.loads}
        return [{"do": "deny", "name": self.denied, **given}]


class Skill(Threaded):
    """`{skill: name}`: a skill is loaded; with `error: true` it does not exist."""

    lead = "skill"
    skill: str
    error: bool = False

    def plan(self) -> list[Plan]:
        """A call of the Skill tool."""
        told = f"Unknown skill: {self.skill}" if self.error else f"Launching skill: {self.skill}"
        return [
            {
                "do": "tool",
                "name": "Skill",
                "skill": self.skill,
                "input": {"skill": self.skill},
                "result": told,
                "error": self.error,
                "thread": self.thread,
            }
        ]


class InjectedSkill(Step):
    """`{injected_skill: name}`: the prompt itself put a skill before the agent, as `/name` does."""

    lead = "injected_skill"
    injected_skill: str

    def plan(self) -> list[Plan]:
        """One event."""
        return [event("injected_skill", {"skill": self.injected_skill})]


class SubagentFacts(BaseModel):
    """What is told about a subagent."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, strict=True)

    id: str
    kind: str = "general"
    description: str = ""
    status: str = "completed"
    tokens: Count | None = None
    tool_calls: Count | None = None


class SubagentStep(Step):
    """`{subagent: {id, kind, description, status, tokens, tool_calls}}`: a thread was started."""

    lead = "subagent"
    subagent: SubagentFacts

    def plan(self) -> list[Plan]:
        """One event."""
        return [event("subagent", self.subagent.model_dump())]


class UsageFacts(BaseModel):
    """Tokens of one or more model calls."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, strict=True)

    input: Count | None = None
    cache_read: Count | None = None
    cache_write: Count | None = None
    output: Count | None = None
    reasoning: Count | None = None


class UsageStep(Threaded):
    """`{usage: {input, cache_read, cache_write, output, reasoning}, calls: 1, model: ...}`: tokens were used."""

    lead = "usage"
    usage: UsageFacts
    calls: Count = 1
    model: str | None = None

    def plan(self) -> list[Plan]:
        """One event; all of them are added up."""
        given = {"calls": self.calls, "model": self.model, "thread": self.thread}
        return [event("usage", {**self.usage.model_dump(), **given})]


class Cost(Step):
    """`{cost_usd: 0.01}`: money was spent; all of it is added up."""

    lead = "cost_usd"
    cost_usd: Money

    def plan(self) -> list[Plan]:
        """One event."""
        return [event("cost", {"usd": self.cost_usd})]


class ApiErrorFacts(BaseModel):
    """A model call that failed for good."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, strict=True)

    status: int | None = None
    kind: str = ""
    message: str = ""


class ApiErrorStep(Step):
    """`{api_error: {status, kind, message}}`: a model call failed for good, and the harness ends with exit code 1."""

    lead = "api_error"
    api_error: ApiErrorFacts

    def plan(self) -> list[Plan]:
        """The error, the last word that follows from it, and the end."""
        facts = self.api_error.model_dump()
        void = void_reason(ApiError(**facts))
        finish = Finish.REFUSED if void is None else Finish.API_ERROR
        return [
            event("api_error", facts),
            {"do": "finish", "finish": str(finish), "reason": self.api_error.message},
            {"do": "exit", "code": 1},
        ]


class RetryFacts(BaseModel):
    """A model call that is tried again."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, strict=True)

    attempt: Annotated[int, Field(ge=1, strict=True)] = 1
    status: int | None = None
    kind: str = ""
    delay_s: Seconds | None = None


class RetryStep(Step):
    """`{retry: {attempt, status, kind, delay_s}}`: a model call is tried again; nothing waits."""

    lead = "retry"
    retry: RetryFacts

    def plan(self) -> list[Plan]:
        """One event."""
        return [event("retry", self.retry.model_dump())]


class Background(Step):
    """`{background: 2}`: so many tasks are still running in the background from here on."""

    lead = "background"
    background: Count

    def plan(self) -> list[Plan]:
        """One event."""
        return [event("background", {"left": self.background})]


class FinishStep(Step):
    """`{finish: completed, reason: ...}`: the last word; the steps after it still happen.

    Without it the last word is `completed`, said after the last step.
    """

    lead = "finish"
    finish: Annotated[str, one_of(_FINISHES)]
    reason: str = ""

    def plan(self) -> list[Plan]:
        """One event."""
        return [{"do": "finish", "finish": self.finish, "reason": self.reason}]


class Raw(Step):
    """`{raw: "verbatim line"}`: a line of any content on standard output."""

    lead = "raw"
    raw: str

    def plan(self) -> list[Plan]:
        """The line and a newline."""
        return [{"do": "raw", "raw": self.raw}]
