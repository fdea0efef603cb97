"""What was said and done: messages, tool calls, their results and refusals, all threads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bakeoff.harness.json_line import fields, flag, items, label, text
from bakeoff.harness.unknown_events import UnknownEvents
from bakeoff.model.trajectory import Denial, Message, Step, ToolCall

SHELLS = frozenset({"Bash", "PowerShell"})
_CALL_BLOCKS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_EXIT_CODE = re.compile(r"Exit code (\d{1,3})(?:\n|\Z)")
_BLOCKED_BY_HOOK = re.compile(r"PreToolUse:\S+ hook (?:error|blocked)")
_NOT_EXECUTED = frozenset({"user-rejected", "permission-rule"})
_SILENT_BLOCKS = frozenset({"redacted_thinking", "image", "document", "tool_reference"})


@dataclass(slots=True)
class Call:
    """A tool call while its result is still to come."""

    id: str
    name: str
    input: dict[str, object]
    thread: str | None
    result: str | None = None
    is_error: bool | None = None
    exit_code: int | None = None
    denied: bool = False
    denial: str = ""

    @property
    def skill(self) -> str | None:
        """The skill that it loads; the key differs between versions."""
        if self.name != "Skill":
            return None
        return next(
            (name for key in ("skill", "command", "name") if (name := label(self.input.get(key)))), None
        )

    def frozen(self) -> ToolCall:
        """The call as the trajectory holds it."""
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
class Conversation:
    """Messages and calls in the order they happened."""

    unknown: UnknownEvents
    _steps: list[Message | Call] = field(default_factory=list)
    _calls: dict[str, Call] = field(default_factory=dict)
    _denials: list[Denial] = field(default_factory=list)
    _answers: dict[str, str | None] = field(default_factory=dict)
    """Message id to thread, in the order of first appearance."""

    def on_answer(self, message: Mapping[str, object], thread: str | None) -> None:
        """A model's message, or one content block of it."""
        self._answers.setdefault(label(message.get("id")) or f"unnamed {len(self._answers)}", thread)
        content = message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for block in items(content):
            self._on_block(fields(block), thread)

    def on_user(self, event: Mapping[str, object]) -> None:
        """A user line: the results of tools. Texts in it are the harness's, never the agent's."""
        meta = {
            identity: fields(item)
            for item in items(event.get("tool_result_meta"))
            if (identity := label(fields(item).get("id")))
        }
        for block in items(fields(event.get("message")).get("content")):
            result = fields(block)
            if result.get("type") == "tool_result":
                self._on_result(result, meta.get(label(result.get("tool_use_id")) or "", {}))

    def deny(self, call_id: str | None, tool: str | None, reason: str) -> None:
        """An action was refused; told again for the same call it adds only what was missing."""
        call = self._calls.get(call_id or "")
        name = tool or (call.name if call else "")
        if call is not None:
            call.denied = True
            call.denial = call.denial or reason
        for number, known in enumerate(self._denials):
            if known.call_id == call_id and (call_id is not None or known.tool == name):
                if reason and not known.reason:
                    self._denials[number] = Denial(
                        tool=known.tool, reason=reason, call_id=known.call_id, thread=known.thread
                    )
                return
        thread = call.thread if call else None
        self._denials.append(Denial(tool=name, reason=reason, call_id=call_id, thread=thread))

    def call(self, call_id: str | None) -> Call | None:
        """The call with this id."""
        return self._calls.get(call_id or "")

    @property
    def steps(self) -> tuple[Step, ...]:
        """Everything so far."""
        return tuple(item.frozen() if isinstance(item, Call) else item for item in self._steps)

    @property
    def denials(self) -> tuple[Denial, ...]:
        """One for each refused action."""
        return tuple(self._denials)

    @property
    def answers(self) -> Mapping[str, str | None]:
        """The id of each model call that can be told apart, to its thread."""
        return self._answers

    @property
    def last_text(self) -> str | None:
        """The last text of the main thread."""
        said = (
            item.text
            for item in reversed(self._steps)
            if isinstance(item, Message) and item.kind == "text" and item.thread is None
        )
        return next(said, None)

    def _on_block(self, block: Mapping[str, object], thread: str | None) -> None:
        kind = label(block.get("type")) or "without type"
        if kind == "text":
            self._say(text(block.get("text")), "text", thread)
        elif kind == "thinking":
            self._say(text(block.get("thinking")), "reasoning", thread)
        elif kind in _CALL_BLOCKS:
            self._on_call(block, thread)
        elif kind.endswith("_tool_result"):
            self._on_result(block, {})
        elif kind not in _SILENT_BLOCKS:
            self.unknown.add(f"content/{kind}")

    def _say(self, said: str | None, kind: str, thread: str | None) -> None:
        if said:
            self._steps.append(Message(text=said, kind=kind, thread=thread))

    def _on_call(self, block: Mapping[str, object], thread: str | None) -> None:
        call_id = label(block.get("id")) or f"unnamed {len(self._calls)}"
        if call_id in self._calls:
            return
        given = block.get("input")
        call = Call(
            id=call_id,
            name=label(block.get("name")) or "",
            input=dict(fields(given)) if isinstance(given, dict | None) else {"input": given},
            thread=thread,
        )
        self._calls[call_id] = call
        self._steps.append(call)

    def _on_result(self, block: Mapping[str, object], meta: Mapping[str, object]) -> None:
        call = self._calls.get(label(block.get("tool_use_id")) or "")
        if call is None:
            self.unknown.add("result without call")
            return
        call.result = content_text(block.get("content"))
        call.is_error = flag(block.get("is_error")) or False
        if not call.is_error:
            return
        if call.name in SHELLS and (match := _EXIT_CODE.match(call.result)):
            call.exit_code = int(match[1])
        decision = fields(meta.get("permission_decision")).get("decision")
        # The first words of a hook's refusal are the harness's own, for versions without meta.
        blocked = decision is None and _BLOCKED_BY_HOOK.match(call.result)
        if decision == "reject" or text(meta.get("non_execution_kind")) in _NOT_EXECUTED or blocked:
            self.deny(call.id, call.name, call.result)


def content_text(content: object) -> str:
    """The text of a tool's result: a text, or the texts of its blocks; others are named."""
    if isinstance(content, str):
        return content
    parts = []
    for item in items(content):
        block = fields(item)
        kind = label(block.get("type"))
        told = item if isinstance(item, str) else text(block.get("text"))
        parts.append(told if told is not None else f"[{kind or 'unknown content'}]")
    return "\n".join(parts)
