"""Threads beside the main one: subagents, and what runs in the background."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bakeoff.harness.claude_code.conversation import Call
from bakeoff.harness.json_line import count, fields, items, label, text
from bakeoff.model.trajectory import Subagent

AGENT_TOOLS = frozenset({"Agent", "Task"})
"""The tool that starts a subagent, by its present and its former name."""

_ENDED = frozenset({"completed", "failed", "stopped", "killed", "error", "cancelled"})
_ENDED_FROM_OUTSIDE = frozenset({"stopped", "killed", "cancelled"})


@dataclass(slots=True)
class Tasks:
    """Which subagents there were and which tasks are still running in the background."""

    _subagents: dict[str, Subagent] = field(default_factory=dict)
    """By the id of the call that started it, which is also the id of its thread."""
    _call_of_task: dict[str, str] = field(default_factory=dict)
    _running: dict[str, None] = field(default_factory=dict)
    _cut_off: dict[str, None] = field(default_factory=dict)
    """Background tasks that were stopped since the last result line: our own signal does that."""
    _told: bool = False

    def on_call(self, call: Call) -> None:
        """A tool call; the ones that start a subagent count."""
        if call.name in AGENT_TOOLS and call.id not in self._subagents:
            self._subagents[call.id] = Subagent(
                id=call.id,
                kind=text(call.input.get("subagent_type")) or "",
                description=text(call.input.get("description")) or "",
                status="started",
            )

    def on_call_result(self, call: Call, told: object) -> None:
        """The result of a call that started a subagent."""
        known = self._subagents.get(call.id)
        if known is None:
            return
        if call.denied:
            del self._subagents[call.id]
            return
        facts = fields(told)
        if facts.get("isAsync") is True or facts.get("status") == "async_launched":
            return
        status = "failed" if call.is_error else text(facts.get("status")) or "completed"
        self._subagents[call.id] = replace(
            known,
            status=known.status if known.status in _ENDED else status,
            tokens=_first(known.tokens, count(facts.get("totalTokens"))),
            tool_calls=_first(known.tool_calls, count(facts.get("totalToolUseCount"))),
        )

    def on_started(self, event: Mapping[str, object]) -> None:
        """A task began."""
        self._told = True
        task, call_id = label(event.get("task_id")), label(event.get("tool_use_id"))
        if task is None:
            return
        if call_id is not None:
            self._call_of_task[task] = call_id
        if event.get("is_backgrounded") is True:
            self._running[task] = None
        if event.get("task_type") == "local_agent" and call_id is not None:
            known = self._subagents.get(call_id) or Subagent(id=call_id, status="started")
            self._subagents[call_id] = replace(
                known,
                kind=known.kind or text(event.get("subagent_type")) or "",
                description=known.description or text(event.get("description")) or "",
            )

    def on_progress(self, event: Mapping[str, object]) -> None:
        """How far a task is, how it ended, and what it used."""
        self._told = True
        task = label(event.get("task_id"))
        if task is None:
            return
        told = text(event.get("status")) or text(fields(event.get("patch")).get("status"))
        if told in _ENDED:
            if told in _ENDED_FROM_OUTSIDE and task in self._running:
                self._cut_off[task] = None
            self._running.pop(task, None)
        call_id = label(event.get("tool_use_id")) or self._call_of_task.get(task)
        known = self._subagents.get(call_id or "")
        if known is not None:
            usage = fields(event.get("usage"))
            self._subagents[known.id] = replace(
                known,
                status=told if told in _ENDED else known.status,
                tokens=_first(count(usage.get("total_tokens")), known.tokens),
                tool_calls=_first(count(usage.get("tool_uses")), known.tool_calls),
            )

    def on_background(self, event: Mapping[str, object]) -> None:
        """The list of what runs in the background now."""
        if not isinstance(event.get("tasks"), list):
            return
        self._told = True
        now = [label(fields(item).get("task_id")) for item in items(event.get("tasks"))]
        self._running = dict.fromkeys(task for task in now if task is not None)

    def on_result(self, event: Mapping[str, object]) -> None:
        """A result line: tasks that were stopped before it are the agent's own doing."""
        self._cut_off.clear()
        if isinstance(event.get("subagent_stats"), dict):
            self._told = True

    @property
    def subagents(self) -> tuple[Subagent, ...]:
        """All of them, in the order they were started."""
        return tuple(self._subagents.values())

    @property
    def any_running(self) -> bool:
        """Whether a task runs in the background now."""
        return bool(self._running)

    @property
    def background_left(self) -> int | None:
        """How many were running at the end; None when this version does not tell."""
        return len(self._running.keys() | self._cut_off.keys()) if self._told else None


def _first(preferred: int | None, other: int | None) -> int | None:
    return other if preferred is None else preferred
