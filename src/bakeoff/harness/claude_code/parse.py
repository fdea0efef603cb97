"""Reading Claude Code's output: one event for each line, or all of them in one array."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bakeoff.harness.claude_code.conversation import Conversation
from bakeoff.harness.claude_code.last_word import SYNTHETIC_MODEL, LastWord
from bakeoff.harness.claude_code.meter import Meter
from bakeoff.harness.claude_code.session import Session
from bakeoff.harness.claude_code.tasks import Tasks
from bakeoff.harness.json_line import Unreadable, fields, items, label, names, read_json, text
from bakeoff.harness.unknown_events import UnknownEvents
from bakeoff.model.trajectory import Roster, Trajectory

Event = Mapping[str, object]

_SILENT_TYPES = frozenset({
    "auth_status", "keep_alive", "prompt_suggestion", "rate_limit_event", "tool_progress", "tool_use_summary",
})  # fmt: skip
"""Known kinds of lines that tell nothing a trajectory holds."""

_SILENT_SYSTEM = frozenset({
    "api_metrics", "compact_boundary", "files_persisted", "hook_progress", "hook_response", "hook_started",
    "informational", "local_command_output", "model_refusal_no_fallback", "session_state_changed", "status",
    "thinking_tokens", "ui_invalidate",
})  # fmt: skip
_SILENT_PARTIAL = frozenset({
    "content_block_delta", "content_block_start", "content_block_stop", "message_stop", "ping",
})  # fmt: skip


@dataclass(slots=True)
class ClaudeParser:
    """Builds a trajectory from the lines of one launch; survives any line."""

    _unknown: UnknownEvents = field(default_factory=UnknownEvents)
    _conversation: Conversation = field(init=False)
    _meter: Meter = field(default_factory=Meter)
    _tasks: Tasks = field(default_factory=Tasks)
    _last_word: LastWord = field(default_factory=LastWord)
    _session: Session = field(init=False)
    _init: Event | None = None
    _session_id: str | None = None
    _has_messages: bool = False
    _models: dict[str, None] = field(default_factory=dict)
    _open_message: dict[str | None, str | None] = field(default_factory=dict)
    _malformed: int = 0

    def __post_init__(self) -> None:
        """Join the parts that share a counter."""
        self._conversation = Conversation(unknown=self._unknown)
        self._session = Session(meter=self._meter)

    def feed(self, line: bytes) -> None:
        """Take one line of standard output."""
        for event in self._events(line):
            self._take(event)

    def feed_session(self, line: bytes) -> None:
        """Take one row of a session file; what cannot be read is left out."""
        try:
            row = read_json(line)
        except Unreadable:
            return
        self._session.take(fields(row))

    @property
    def finished(self) -> bool:
        """The last result line came and nothing runs in the background."""
        return self._last_word.final and not self._tasks.background_left

    @property
    def stop_now(self) -> bool:
        """Never: nothing in the stream makes the rest pointless."""
        return False

    def trajectory(self) -> Trajectory:
        """All that was learned so far."""
        answers = self._conversation.answers
        tells_messages = self._init is not None or self._has_messages
        reading = self._meter.reading(result_is_last=self._last_word.result_is_last)
        return Trajectory(
            steps=self._conversation.steps,
            final_text=self._last_word.answer or self._conversation.last_text,
            finish=self._last_word.finish,
            finish_reason=self._last_word.reason,
            session_id=self._session_id,
            turns=sum(thread is None for thread in answers.values()) if tells_messages else None,
            model_calls=len(answers) if tells_messages else None,
            usage=reading.usage,
            usage_source=reading.usage_source,
            usage_by_model=reading.by_model,
            cost_usd=reading.cost_usd,
            cost_source=reading.cost_source,
            model_answered=tuple(self._models) or self._meter.models_by_totals,
            roster=self._roster(),
            denials=self._conversation.denials,
            retries=self._last_word.retries,
            api_error=self._last_word.api_error,
            subagents=self._tasks.subagents,
            injected_skills=self._session.injected_skills,
            background_left=self._tasks.background_left,
            malformed_lines=self._malformed,
            unknown_events=self._unknown.counts(),
        )

    def _events(self, line: bytes) -> list[Event]:
        if not line.strip():
            return []
        try:
            value = read_json(line)
        except Unreadable:
            self._malformed += 1
            return []
        events = [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]
        if not events:
            self._malformed += 1
        return list(events)

    def _take(self, event: Event) -> None:
        self._session_id = self._session_id or label(event.get("session_id"))
        kind = label(event.get("type")) or "without type"
        take: Callable[[Event], None] | None = {
            "system": self._on_system,
            "assistant": self._on_assistant,
            "user": self._on_user,
            "result": self._on_result,
            "stream_event": self._on_partial,
        }.get(kind)
        if take is not None:
            take(event)
        elif kind not in _SILENT_TYPES:
            self._unknown.add(kind)

    def _on_system(self, event: Event) -> None:
        kind = label(event.get("subtype")) or "without subtype"
        take: Callable[[Event], None] | None = {
            "init": self._on_init,
            "api_retry": self._on_retry,
            "permission_denied": self._on_denied,
            "task_started": self._tasks.on_started,
            "task_progress": self._tasks.on_progress,
            "task_updated": self._tasks.on_progress,
            "task_notification": self._on_task_end,
            "background_tasks_changed": self._tasks.on_background,
        }.get(kind)
        if take is not None:
            take(event)
        elif kind not in _SILENT_SYSTEM:
            self._unknown.add(f"system/{kind}")

    def _on_init(self, event: Event) -> None:
        # Another one comes when work in the background starts another turn; the first tells what was loaded.
        if self._init is None:
            self._init = event
            self._meter.on_version(label(event.get("claude_code_version")))
        self._last_word.on_activity()

    def _on_retry(self, event: Event) -> None:
        self._last_word.on_retry(event)
        self._last_word.on_activity()

    def _on_task_end(self, event: Event) -> None:
        # The end of a background task makes another turn; a stopped one makes none.
        was_running = self._tasks.any_running
        self._tasks.on_progress(event)
        if was_running and text(event.get("status")) in {"completed", "failed"}:
            self._last_word.on_activity()

    def _on_denied(self, event: Event) -> None:
        reason = text(event.get("decision_reason")) or text(event.get("message")) or ""
        self._conversation.deny(label(event.get("tool_use_id")), label(event.get("tool_name")), reason)

    def _on_assistant(self, event: Event) -> None:
        thread = label(event.get("parent_tool_use_id"))
        message = fields(event.get("message"))
        self._has_messages = True
        self._last_word.on_activity()
        model = label(message.get("model"))
        if model == SYNTHETIC_MODEL or event.get("is_api_error_message") is True:
            self._last_word.on_failure(event, thread)
            return
        if thread is None:
            self._last_word.on_answer()
        if model is not None:
            self._models[model] = None
        self._conversation.on_answer(message, thread)
        self._meter.on_answer(message)
        for block in items(message.get("content")):
            call = self._conversation.call(label(fields(block).get("id")))
            if call is not None:
                self._tasks.on_call(call)

    def _on_user(self, event: Event) -> None:
        self._has_messages = True
        self._conversation.on_user(event)
        for block in items(fields(event.get("message")).get("content")):
            call = self._conversation.call(label(fields(block).get("tool_use_id")))
            if call is not None:
                self._tasks.on_call_result(call, event.get("tool_use_result"))

    def _on_result(self, event: Event) -> None:
        self._last_word.on_result(event)
        self._meter.on_result(event)
        self._tasks.on_result(event)
        for item in items(event.get("permission_denials")):
            denial = fields(item)
            self._conversation.deny(label(denial.get("tool_use_id")), label(denial.get("tool_name")), "")

    def _on_partial(self, event: Event) -> None:
        """A piece of a message: the full lines tell the same, but only this tells its final usage."""
        piece = fields(event.get("event"))
        kind = label(piece.get("type")) or "without type"
        thread = label(event.get("parent_tool_use_id"))
        if kind == "message_start":
            self._open_message[thread] = label(fields(piece.get("message")).get("id"))
            self._last_word.on_activity()
        elif kind == "message_delta":
            message_id = label(event.get("api_message_id")) or self._open_message.get(thread)
            self._meter.on_message_end(message_id, piece.get("usage"))
        elif kind not in _SILENT_PARTIAL:
            self._unknown.add(f"stream_event/{kind}")

    def _roster(self) -> Roster | None:
        loaded = self._session.instruction_files
        if self._init is None:
            return Roster(instruction_files=loaded) if loaded is not None else None
        event = self._init
        return Roster(
            version=label(event.get("claude_code_version")),
            model=label(event.get("model")),
            permission_mode=label(event.get("permissionMode")),
            tools=names(event.get("tools")),
            skills=names(event.get("skills")),
            agents=names(event.get("agents")),
            plugins=names(event.get("plugins")),
            mcp_servers=names(event.get("mcp_servers")),
            instruction_files=loaded,
            commands=names(event.get("slash_commands")),
        )
