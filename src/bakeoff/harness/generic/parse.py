"""Reading what somebody's own agent prints: the events of the agent protocol, or plain text."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bakeoff.harness.generic import protocol
from bakeoff.harness.generic.account import Account
from bakeoff.harness.generic.calls import Calls
from bakeoff.harness.generic.protocol import Event, read_event
from bakeoff.harness.json_line import Unreadable, label, read_json
from bakeoff.harness.unknown_events import UnknownEvents
from bakeoff.model.trajectory import (
    ApiError,
    Finish,
    Message,
    Provenance,
    Retry,
    Roster,
    Subagent,
    Trajectory,
)

TOLD = ("tools", "skills", "denials")
"""What a transcript may lack without anybody noticing."""

MODEL_ERRORS = frozenset({
    "api_error", "authentication_error", "authentication_failed", "billing_error", "connection_error",
    "content_filter", "context_length_exceeded", "invalid_request", "invalid_request_error",
    "max_output_tokens", "model_not_found", "not_found_error", "overloaded_error", "permission_error",
    "rate_limit", "rate_limit_error", "refusal", "request_too_large", "timeout_error",
})  # fmt: skip
"""Codes that say without a status that it was a model call that failed."""

LONGEST_ANSWER = 200_000
"""Characters of plain text that are kept, the last ones."""

SKILL_TOOL = "Skill"
SHELL_TOOL = "shell"

_FINISHES = {"success": Finish.COMPLETED, "error": Finish.ABORTED, "failed": Finish.ABORTED} | {
    finish.value: finish for finish in Finish
}


@dataclass(slots=True)
class PlainText:
    """The last characters of what was printed."""

    _lines: deque[str] = field(default_factory=deque)
    _length: int = 0

    def add(self, line: bytes) -> None:
        """Take one line."""
        text = line.removesuffix(b"\r").decode("utf-8", "replace")
        self._lines.append(text[-LONGEST_ANSWER:])
        self._length += len(self._lines[-1]) + 1
        while self._length > LONGEST_ANSWER and len(self._lines) > 1:
            self._length -= len(self._lines.popleft()) + 1

    @property
    def text(self) -> str | None:
        """All of it without white space around; None when there is nothing else."""
        return "\n".join(self._lines).strip() or None


@dataclass(slots=True)
class TextParser:
    """All that is printed is the answer; tools, tokens and skills stay unknown."""

    _text: PlainText = field(default_factory=PlainText)

    def feed(self, line: bytes) -> None:
        """Take one line."""
        if line.strip():
            self._text.add(line)

    def feed_session(self, line: bytes) -> None:
        """There are no session files."""

    @property
    def finished(self) -> bool:
        """Never known before the program ends."""
        return False

    @property
    def stop_now(self) -> bool:
        """Never."""
        return False

    def trajectory(self) -> Trajectory:
        """All that was learned so far."""
        answer = self._text.text
        steps = (Message(text=answer),) if answer is not None else ()
        return Trajectory(steps=steps, final_text=answer, untold=TOLD, ends_by_exit_code=True)


@dataclass(slots=True)
class EventParser:
    """Builds a trajectory from events of the agent protocol."""

    _calls: Calls = field(default_factory=Calls)
    _account: Account = field(default_factory=Account)
    _text: PlainText = field(default_factory=PlainText)
    _start: protocol.RunStarted | None = None
    _end: protocol.RunFinished | None = None
    _models: dict[str, None] = field(default_factory=dict)
    _retries: list[Retry] = field(default_factory=list)
    _api_error: ApiError | None = None
    _last_error: str = ""
    _subagents: dict[str, Subagent] = field(default_factory=dict)
    _malformed: int = 0
    _unknown: UnknownEvents = field(default_factory=UnknownEvents)

    def feed(self, line: bytes) -> None:
        """Take one line; one that is no JSON object is part of the answer in plain text."""
        stripped = line.strip()
        if not stripped:
            return
        if not stripped.startswith(b"{"):
            self._text.add(line)
            return
        try:
            value = read_json(stripped)
        except Unreadable:
            self._malformed += 1
            return
        if not isinstance(value, dict):
            self._malformed += 1
            return
        if self._end is not None:
            self._unknown.add("after run_finished")
            return
        event = read_event(value)
        if event is None:
            self._unknown.add(label(value.get("kind")) or "without kind")
        else:
            self._take(event)

    def feed_session(self, line: bytes) -> None:
        """There are no session files."""

    @property
    def finished(self) -> bool:
        """The last word was said."""
        return self._end is not None

    @property
    def stop_now(self) -> bool:
        """Never: nothing in the stream makes the rest pointless."""
        return False

    def trajectory(self) -> Trajectory:
        """All that was learned so far."""
        account, start = self._account, self._start
        finish = self._finish
        failed = finish in {None, Finish.API_ERROR, Finish.REFUSED, Finish.ABORTED}
        cost = account.cost_usd
        return Trajectory(
            steps=self._calls.steps,
            final_text=self._answer,
            finish=finish,
            finish_reason=self._reason,
            session_id=start.session_id if start else None,
            turns=self._end.turns if self._end and self._end.turns is not None else account.turns,
            model_calls=account.model_calls,
            usage=account.usage,
            usage_source=account.usage_source,
            usage_by_model=account.by_model,
            cost_usd=cost,
            cost_source=Provenance.UNKNOWN if cost is None else Provenance.REPORTED,
            model_answered=tuple(dict.fromkeys((*self._models, *account.models))),
            roster=_roster(start),
            denials=self._calls.denials,
            retries=tuple(self._retries),
            api_error=self._api_error if failed else None,
            subagents=tuple(self._subagents.values()),
            malformed_lines=self._malformed,
            unknown_events=self._unknown.counts(),
            untold=self._untold,
            ends_by_exit_code=True,
        )

    @property
    def _answer(self) -> str | None:
        told = self._end.text if self._end is not None else None
        return told if told is not None else self._calls.answer or self._text.text

    @property
    def _finish(self) -> Finish | None:
        """What the last word says; a failed model call that nothing followed is one, too."""
        if self._end is None:
            return Finish.API_ERROR if self._api_error is not None else None
        if self._end.status is None:
            return Finish.COMPLETED
        finish = _FINISHES.get(self._end.status)
        if finish is Finish.API_ERROR and self._api_error is None:
            # That the network was to blame needs a fact that says so.
            return Finish.ABORTED
        return finish

    @property
    def _reason(self) -> str:
        told = (self._end.reason if self._end is not None else None) or ""
        return told if told or self._finish is Finish.COMPLETED else self._last_error

    @property
    def _untold(self) -> tuple[str, ...]:
        tells = set((self._start.tells if self._start is not None else None) or ())
        seen = {
            "tools": self._calls.any_calls,
            "skills": self._calls.any_skills,
            "denials": bool(self._calls.denials),
        }
        return tuple(topic for topic in TOLD if topic not in tells and not seen[topic])

    def _take(self, event: Event) -> None:
        takers: Mapping[type[Event], Callable[..., None]] = {
            protocol.RunStarted: self._on_start,
            protocol.AssistantMessage: self._on_message,
            protocol.ReasoningEvent: self._on_reasoning,
            protocol.ToolStarted: self._on_tool,
            protocol.CommandStarted: self._on_command,
            protocol.ToolFinished: self._on_result,
            protocol.CommandFinished: self._on_result,
            protocol.ToolDenied: self._on_denial,
            protocol.SkillLoaded: self._on_skill,
            protocol.UsageTold: self._on_usage,
            protocol.SubagentStarted: self._on_subagent,
            protocol.SubagentFinished: self._on_subagent_end,
            protocol.ErrorTold: self._on_error,
            protocol.RunFinished: self._on_end,
        }
        take = takers.get(type(event))
        if take is not None:
            take(event)

    def _on_start(self, event: protocol.RunStarted) -> None:
        if event.protocol not in {None, protocol.VERSION}:
            self._unknown.add(f"protocol {event.protocol}")
        if self._start is None:
            self._start = event

    def _on_message(self, event: protocol.AssistantMessage) -> None:
        if event.text is None:
            self._unknown.add("assistant_message without text")
            return
        self._api_error = None
        if event.model is not None:
            self._models[event.model] = None
        self._calls.say(Message(text=event.text, thread=event.thread))

    def _on_reasoning(self, event: protocol.ReasoningEvent) -> None:
        if event.text is not None:
            self._api_error = None
            self._calls.say(Message(text=event.text, kind="reasoning", thread=event.thread))

    def _on_tool(self, event: protocol.ToolStarted) -> None:
        self._api_error = None
        self._calls.start(event.call_id, event.name or "", event.input, event.thread, skill=event.skill)

    def _on_command(self, event: protocol.CommandStarted) -> None:
        self._api_error = None
        arguments: dict[str, object] = {} if event.command is None else {"command": event.command}
        self._calls.start(event.call_id, event.name or SHELL_TOOL, arguments, event.thread)

    def _on_result(self, event: protocol.ToolFinished) -> None:
        if not self._calls.finish(event):
            self._unknown.add("result without call")

    def _on_denial(self, event: protocol.ToolDenied) -> None:
        self._calls.deny(event.call_id, event.name, event.reason or "", event.thread)

    def _on_skill(self, event: protocol.SkillLoaded) -> None:
        if event.name is None:
            self._unknown.add("skill_loaded without name")
            return
        self._calls.start(None, SKILL_TOOL, {"skill": event.name}, event.thread, skill=event.name)

    def _on_usage(self, event: protocol.UsageTold) -> None:
        if event.scope is None:
            self._unknown.add("usage with another scope")
            return
        self._api_error = None
        self._account.take(event)

    def _on_subagent(self, event: protocol.SubagentStarted) -> None:
        if event.thread is None:
            self._unknown.add("subagent without thread")
            return
        self._subagents[event.thread] = Subagent(
            id=event.thread, kind=event.name or "", description=event.description or "", status="running"
        )

    def _on_subagent_end(self, event: protocol.SubagentFinished) -> None:
        if event.thread is None:
            self._unknown.add("subagent without thread")
            return
        before = self._subagents.get(event.thread)
        self._subagents[event.thread] = Subagent(
            id=event.thread,
            kind=before.kind if before else "",
            description=before.description if before else "",
            status=event.status or "completed",
            tokens=event.tokens,
            tool_calls=event.tool_calls,
        )

    def _on_error(self, event: protocol.ErrorTold) -> None:
        told = event.message or event.code or ""
        self._last_error = told
        if event.status is None and event.code not in MODEL_ERRORS:
            return
        if event.will_retry:
            attempt = event.attempt or len(self._retries) + 1
            kind = event.code or ""
            self._retries.append(
                Retry(attempt=attempt, status=event.status, kind=kind, delay_s=event.delay_s)
            )
        elif event.thread is None:
            self._api_error = ApiError(status=event.status, kind=event.code or "", message=told)

    def _on_end(self, event: protocol.RunFinished) -> None:
        if event.status is not None and event.status not in _FINISHES:
            self._unknown.add(f"run_finished {event.status}")
        if "cost_usd" in event.model_fields_set:
            self._account.take_final_cost(event.cost_usd)
        self._end = event


def _roster(start: protocol.RunStarted | None) -> Roster | None:
    if start is None:
        return None
    return Roster(
        version=start.version,
        model=start.model,
        permission_mode=start.permission_mode,
        tools=start.tools,
        skills=start.skills,
        agents=start.agents,
        plugins=start.plugins,
        mcp_servers=start.mcp_servers,
        instruction_files=start.instruction_files,
        commands=start.commands,
    )
