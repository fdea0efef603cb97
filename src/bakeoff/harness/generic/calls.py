"""The steps of an agent in the making: messages, and tool calls whose results come later."""

from __future__ import annotations

from dataclasses import dataclass, field

from bakeoff.harness.generic.protocol import DENIED, FAILED, ToolFinished
from bakeoff.model.trajectory import Denial, Message, Step, ToolCall


@dataclass(slots=True, kw_only=True)
class _Call:
    """A tool call while its result is still to come."""

    id: str
    told_id: str | None
    name: str
    input: dict[str, object]
    thread: str | None
    skill: str | None = None
    open: bool = True
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
            result=self.result,
            is_error=self.is_error,
            denied=self.denied,
            denial=self.denial,
            exit_code=self.exit_code,
            thread=self.thread,
            skill=self.skill,
        )


@dataclass(slots=True)
class Calls:
    """Messages and calls in the order in which they were told."""

    _steps: list[Message | _Call] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)
    _by_told_id: dict[str, _Call] = field(default_factory=dict)
    _open: dict[str | None, list[_Call]] = field(default_factory=dict)
    _denials: list[Denial] = field(default_factory=list)

    @property
    def steps(self) -> tuple[Step, ...]:
        """All of them."""
        return tuple(item.frozen() if isinstance(item, _Call) else item for item in self._steps)

    @property
    def denials(self) -> tuple[Denial, ...]:
        """What was refused."""
        return tuple(self._denials)

    @property
    def any_calls(self) -> bool:
        """Whether a tool call was told."""
        return bool(self._ids)

    @property
    def any_skills(self) -> bool:
        """Whether the loading of a skill was told."""
        return any(isinstance(item, _Call) and item.skill for item in self._steps)

    @property
    def answer(self) -> str | None:
        """The last message of the agent itself."""
        for item in reversed(self._steps):
            if isinstance(item, Message) and item.kind == "text" and item.thread is None:
                return item.text
        return None

    def say(self, message: Message) -> None:
        """Add a message."""
        self._steps.append(message)

    def start(
        self,
        told_id: str | None,
        name: str,
        arguments: dict[str, object],
        thread: str | None,
        *,
        skill: str | None = None,
    ) -> None:
        """Add a call."""
        call = _Call(
            id=self._unused(told_id),
            told_id=told_id,
            name=name,
            input=arguments,
            thread=thread,
            skill=skill,
        )
        if told_id is not None:
            self._by_told_id[told_id] = call
        self._open.setdefault(thread, []).append(call)
        self._steps.append(call)

    def _unused(self, wanted: str | None) -> str:
        name = wanted or f"call-{len(self._ids) + 1}"
        number = len(self._ids) + 1
        unused = name
        while unused in self._ids:
            unused = f"{name}#{number}"
            number += 1
        self._ids.add(unused)
        return unused

    def finish(self, event: ToolFinished) -> bool:
        """Give a call its result; False when there is none that it can belong to."""
        call = self._found(event.call_id, event.thread)
        if call is None:
            return False
        call.open = False
        call.result = event.output if event.output is not None else (call.result or "")
        call.exit_code = event.exit_code
        failed = event.status in FAILED or event.status in DENIED or bool(event.exit_code)
        call.is_error = failed if event.is_error is None else event.is_error
        if event.status in DENIED:
            self._deny(call, event.reason or event.output or "")
        return True

    def deny(self, told_id: str | None, name: str | None, reason: str, thread: str | None) -> None:
        """A call was refused; one that was never told is only a denial."""
        call = self._by_told_id.get(told_id) if told_id is not None else None
        if call is not None:
            self._deny(call, reason)
        else:
            self._denials.append(Denial(tool=name or "", reason=reason, thread=thread))

    def _deny(self, call: _Call, reason: str) -> None:
        if call.denied:
            return
        call.denied, call.denial = True, reason
        self._denials.append(Denial(tool=call.name, reason=reason, call_id=call.id, thread=call.thread))

    def _found(self, told_id: str | None, thread: str | None) -> _Call | None:
        if told_id is not None:
            return self._by_told_id.get(told_id)
        waiting = self._open.get(thread, [])
        while waiting:
            call = waiting.pop()
            if call.open:
                return call
        return None
