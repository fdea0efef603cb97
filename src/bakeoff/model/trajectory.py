"""The normalised record of what an agent did, whatever harness ran it.

Unknown is None, never 0 and never an empty text: a harness that does not report a fact
leaves it None, and checks that depend on it answer `error`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Provenance(StrEnum):
    """Where a number comes from."""

    REPORTED = "reported"
    DERIVED = "derived"
    ESTIMATED = "estimated"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens; `input` does not include cached ones. None is unknown."""

    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None
    """Part of `output`, where the harness says so."""

    @property
    def total(self) -> int | None:
        """Input, cached and output tokens together; None when input or output is unknown."""
        if self.input is None or self.output is None:
            return None
        return self.input + (self.cache_read or 0) + (self.cache_write or 0) + self.output


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One use of a tool.

    Attributes:
        id: the harness's own id of the call; unique within the trajectory.
        name: the tool's name as the harness reports it.
        input: the arguments, as given.
        result: what came back as text; None when no result was seen.
        is_error: the tool reported an error; None when no result was seen.
        denied: a permission rule, mode or hook refused it.
        denial: who or what refused, in the harness's words.
        exit_code: of a shell command, when told.
        thread: None in the main thread, else the id of the subagent.
        skill: the name of the skill that this call loads.
    """

    id: str
    name: str
    input: Mapping[str, object] = field(default_factory=dict)
    result: str | None = None
    is_error: bool | None = None
    denied: bool = False
    denial: str = ""
    exit_code: int | None = None
    thread: str | None = None
    skill: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Text that the agent wrote; `kind` is "text" or "reasoning"."""

    text: str
    kind: str = "text"
    thread: str | None = None


Step = Message | ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """A refused action; `call_id` is None when it cannot be tied to a tool call."""

    tool: str
    reason: str = ""
    call_id: str | None = None
    thread: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """A model call that the harness tried again."""

    attempt: int
    status: int | None
    kind: str
    delay_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiError:
    """A model call that failed for good, as the harness told it."""

    status: int | None
    kind: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Subagent:
    """A thread that the agent started."""

    id: str
    kind: str = ""
    description: str = ""
    status: str = ""
    tokens: int | None = None
    tool_calls: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """What the harness says it loaded before it began; None where it does not say."""

    version: str | None = None
    model: str | None = None
    permission_mode: str | None = None
    tools: tuple[str, ...] | None = None
    skills: tuple[str, ...] | None = None
    agents: tuple[str, ...] | None = None
    plugins: tuple[str, ...] | None = None
    mcp_servers: tuple[str, ...] | None = None
    instruction_files: tuple[str, ...] | None = None
    commands: tuple[str, ...] | None = None


class Finish(StrEnum):
    """How the harness itself says that it ended."""

    COMPLETED = "completed"
    TURN_LIMIT = "turn_limit"
    """Its own limit of turns or money."""
    API_ERROR = "api_error"
    ABORTED = "aborted"
    """Stopped by a signal or by an error of its own."""
    REFUSED = "refused"
    """The model refused, or the conversation itself was invalid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """Everything that a harness told about one launch.

    Attributes:
        steps: messages and tool calls in the order they happened, all threads.
        final_text: the last answer of the main thread; None when there was none.
        finish: what the harness says about its own end; None when it did not say.
        turns: model turns of the main thread.
        model_calls: model calls of all threads that can be told apart.
        usage: of the whole session, subagents included.
        usage_source: where `usage` comes from.
        usage_by_model: the same by model, when told.
        cost_usd: US dollars for the whole session.
        cost_source: where `cost_usd` comes from.
        model_answered: the models that answered, in order of first answer.
        injected_skills: skills that the prompt itself put before the agent ("/name ...").
        background_left: tasks still running in the background when the harness ended.
        malformed_lines: lines that could not be read.
        unknown_events: count by kind of events that this adapter does not know.
        untold: what this harness never tells ("tools", "skills", "denials"): that there is
            none in the trajectory says nothing about the agent.
        ends_by_exit_code: without a last word, the exit code tells how it ended.
    """

    steps: tuple[Step, ...] = ()
    final_text: str | None = None
    finish: Finish | None = None
    finish_reason: str = ""
    session_id: str | None = None
    turns: int | None = None
    model_calls: int | None = None
    usage: Usage = Usage()
    usage_source: Provenance = Provenance.UNKNOWN
    usage_by_model: Mapping[str, Usage] = field(default_factory=dict)
    cost_usd: float | None = None
    cost_source: Provenance = Provenance.UNKNOWN
    model_answered: tuple[str, ...] = ()
    roster: Roster | None = None
    denials: tuple[Denial, ...] = ()
    retries: tuple[Retry, ...] = ()
    api_error: ApiError | None = None
    subagents: tuple[Subagent, ...] = ()
    injected_skills: tuple[str, ...] = ()
    background_left: int | None = None
    malformed_lines: int = 0
    unknown_events: Mapping[str, int] = field(default_factory=dict)
    untold: tuple[str, ...] = ()
    ends_by_exit_code: bool = False

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tool calls of all threads, in order."""
        return tuple(step for step in self.steps if isinstance(step, ToolCall))

    @property
    def skills(self) -> tuple[str, ...]:
        """Names of the skills that were loaded, in order of first use, without refused calls.

        Skills that the prompt itself put before the agent come first.
        """
        names = [
            call.skill for call in self.tool_calls if call.skill and not call.denied and not call.is_error
        ]
        return tuple(dict.fromkeys([*self.injected_skills, *names]))
