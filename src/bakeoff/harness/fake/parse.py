"""Reading the event lines of the scripted agent."""

from __future__ import annotations

from dataclasses import dataclass, field

from bakeoff.harness.json_line import (
    Unreadable,
    amount,
    count,
    fields,
    flag,
    label,
    names,
    read_json,
    text,
)
from bakeoff.harness.unknown_events import UnknownEvents
from bakeoff.model.trajectory import (
    ApiError,
    Denial,
    Finish,
    Message,
    Provenance,
    Retry,
    Roster,
    Step,
    Subagent,
    ToolCall,
    Trajectory,
    Usage,
)

_TOKENS = ("input", "cache_read", "cache_write", "output", "reasoning")


@dataclass(slots=True)
class _Call:
    """A tool call while its result is still to come."""

    id: str
    name: str
    input: dict[str, object]
    thread: str | None
    skill: str | None
    result: str | None = None
    is_error: bool | None = None
    exit_code: int | None = None
    denied: bool = False
    denial: str = ""

    def frozen(self) -> ToolCall:
        return ToolCall(
            id=self.id,
            name=self.name,
            input=self.input,
            thread=self.thread,
            skill=self.skill,
            result=self.result,
            is_error=self.is_error,
            exit_code=self.exit_code,
            denied=self.denied,
            denial=self.denial,
        )


@dataclass(slots=True)
class FakeParser:
    """Builds a trajectory from the scripted agent's events."""

    _steps: list[Message | _Call] = field(default_factory=list)
    _calls: dict[str, _Call] = field(default_factory=dict)
    _denials: list[Denial] = field(default_factory=list)
    _retries: list[Retry] = field(default_factory=list)
    _subagents: dict[str, Subagent] = field(default_factory=dict)
    _usage: dict[str, int] = field(default_factory=dict)
    _usage_by_model: dict[str, dict[str, int]] = field(default_factory=dict)
    _calls_told: int | None = None
    _turns_told: int | None = None
    _cost: float | None = None
    _start: dict[str, object] | None = None
    _finish: Finish | None = None
    _finish_reason: str = ""
    _api_error: ApiError | None = None
    _background: int | None = None
    _injected_skills: list[str] = field(default_factory=list)
    _malformed: int = 0
    _unknown: UnknownEvents = field(default_factory=UnknownEvents)

    def feed(self, line: bytes) -> None:
        """Take one line."""
        if not line.strip():
            return
        try:
            event = read_json(line)
        except Unreadable:
            self._malformed += 1
            return
        if not isinstance(event, dict):
            self._malformed += 1
            return
        self._take(event)

    def feed_session(self, line: bytes) -> None:
        """The scripted agent keeps no session files."""

    @property
    def finished(self) -> bool:
        """The last word was said and nothing runs in the background."""
        return self._finish is not None and not self._background

    @property
    def stop_now(self) -> bool:
        """Never: a script is played to its end."""
        return False

    def trajectory(self) -> Trajectory:
        """All that was learned so far."""
        steps: list[Step] = [item.frozen() if isinstance(item, _Call) else item for item in self._steps]
        said = [item.text for item in steps if isinstance(item, Message) and _is_answer(item)]
        model = label(fields(self._start).get("model"))
        answered = tuple(self._usage_by_model) or ((model,) if model and self._steps else ())
        return Trajectory(
            steps=tuple(steps),
            final_text=said[-1] if said else None,
            finish=self._finish,
            finish_reason=self._finish_reason,
            session_id=label(fields(self._start).get("session")),
            turns=self._turns_told,
            model_calls=self._calls_told,
            usage=Usage(**self._usage),
            usage_source=Provenance.REPORTED if self._usage else Provenance.UNKNOWN,
            usage_by_model={name: Usage(**tokens) for name, tokens in self._usage_by_model.items()},
            cost_usd=self._cost,
            cost_source=Provenance.UNKNOWN if self._cost is None else Provenance.REPORTED,
            model_answered=answered,
            roster=self._roster(),
            denials=tuple(self._denials),
            retries=tuple(self._retries),
            api_error=self._api_error,
            subagents=tuple(self._subagents.values()),
            injected_skills=tuple(self._injected_skills),
            background_left=self._background,
            malformed_lines=self._malformed,
            unknown_events=self._unknown.counts(),
        )

    def _take(self, event: dict[str, object]) -> None:
        kind = label(event.get("type")) or "without type"
        take = {
            "start": self._on_start,
            "message": self._on_message,
            "tool": self._on_tool,
            "result": self._on_result,
            "denial": self._on_denial,
            "injected_skill": self._on_injected_skill,
            "subagent": self._on_subagent,
            "usage": self._on_usage,
            "cost": self._on_cost,
            "retry": self._on_retry,
            "api_error": self._on_api_error,
            "background": self._on_background,
            "end": self._on_end,
        }.get(kind)
        if take is not None:
            take(event)
        else:
            self._unknown.add(kind)

    def _on_start(self, event: dict[str, object]) -> None:
        if self._start is None:
            self._start = event
            self._background = 0

    def _on_message(self, event: dict[str, object]) -> None:
        said = text(event.get("text"))
        if said is not None:
            kind = "reasoning" if event.get("kind") == "reasoning" else "text"
            self._steps.append(Message(text=said, kind=kind, thread=label(event.get("thread"))))

    def _on_tool(self, event: dict[str, object]) -> None:
        call = _Call(
            id=self._unused(label(event.get("id")) or "call"),
            name=label(event.get("name")) or "",
            input=dict(fields(event.get("input"))),
            thread=label(event.get("thread")),
            skill=label(event.get("skill")),
        )
        self._calls[call.id] = call
        self._steps.append(call)

    def _unused(self, wanted: str) -> str:
        if wanted not in self._calls:
            return wanted
        return f"{wanted}#{len(self._calls) + 1}"

    def _on_result(self, event: dict[str, object]) -> None:
        call = self._calls.get(label(event.get("id")) or "")
        if call is None:
            self._unknown.add("result without call")
            return
        call.result = text(event.get("content")) or ""
        call.is_error = flag(event.get("is_error")) or False
        call.exit_code = count(event.get("exit_code"))

    def _on_denial(self, event: dict[str, object]) -> None:
        call_id, reason = label(event.get("id")), text(event.get("reason")) or ""
        call = self._calls.get(call_id or "")
        if call is not None:
            call.denied, call.denial = True, reason
        thread = label(event.get("thread"))
        tool = label(event.get("tool")) or (call.name if call else "")
        self._denials.append(Denial(tool=tool, reason=reason, call_id=call_id, thread=thread))

    def _on_injected_skill(self, event: dict[str, object]) -> None:
        name = label(event.get("skill"))
        if name is not None:
            self._injected_skills.append(name)

    def _on_subagent(self, event: dict[str, object]) -> None:
        subagent = Subagent(
            id=label(event.get("id")) or f"subagent-{len(self._subagents) + 1}",
            kind=text(event.get("kind")) or "",
            description=text(event.get("description")) or "",
            status=text(event.get("status")) or "",
            tokens=count(event.get("tokens")),
            tool_calls=count(event.get("tool_calls")),
        )
        self._subagents[subagent.id] = subagent

    def _on_usage(self, event: dict[str, object]) -> None:
        model = label(event.get("model")) or label(fields(self._start).get("model")) or "fake-model"
        by_model = self._usage_by_model.setdefault(model, {})
        for name in _TOKENS:
            tokens = count(event.get(name))
            if tokens is not None:
                self._usage[name] = self._usage.get(name, 0) + tokens
                by_model[name] = by_model.get(name, 0) + tokens
        calls = count(event.get("calls"))
        if calls is not None:
            self._calls_told = (self._calls_told or 0) + calls
            if label(event.get("thread")) is None:
                self._turns_told = (self._turns_told or 0) + calls

    def _on_cost(self, event: dict[str, object]) -> None:
        usd = amount(event.get("usd"))
        if usd is not None:
            self._cost = round((self._cost or 0.0) + usd, 12)

    def _on_retry(self, event: dict[str, object]) -> None:
        self._retries.append(
            Retry(
                attempt=count(event.get("attempt")) or len(self._retries) + 1,
                status=count(event.get("status")),
                kind=text(event.get("kind")) or "",
                delay_s=amount(event.get("delay_s")),
            )
        )

    def _on_api_error(self, event: dict[str, object]) -> None:
        self._api_error = ApiError(
            status=count(event.get("status")),
            kind=text(event.get("kind")) or "",
            message=text(event.get("message")) or "",
        )

    def _on_background(self, event: dict[str, object]) -> None:
        self._background = count(event.get("left"))

    def _on_end(self, event: dict[str, object]) -> None:
        told = text(event.get("finish"))
        if told not in list(Finish):
            self._unknown.add("end without finish")
            return
        self._finish = Finish(told)
        self._finish_reason = text(event.get("reason")) or ""

    def _roster(self) -> Roster | None:
        if self._start is None:
            return None
        return Roster(
            version=label(self._start.get("version")),
            model=label(self._start.get("model")),
            skills=names(self._start.get("skills")),
            instruction_files=names(self._start.get("instruction_files")),
        )


def _is_answer(message: Message) -> bool:
    return message.kind == "text" and message.thread is None
