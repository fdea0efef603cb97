"""What only the session file tells: instruction files, skills of slash prompts, late totals.

The file lies in the private HOME, where the agent can write; so it never overrides what
the stream told, and never decides how a trial ended.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bakeoff.harness.claude_code.conversation import content_text
from bakeoff.harness.claude_code.meter import Meter
from bakeoff.harness.json_line import fields, items, label, text

LISTS_INSTRUCTIONS_SINCE = (2, 1, 332)
"""The version in which rows about instruction files were seen; before it their absence says nothing."""

_COMMAND = re.compile(
    r"<command-message>.*?</command-message>\s*<command-name>/([^<\s]+)</command-name>", re.DOTALL
)
_SKILL_FOLDER = re.compile(r"Base directory for this skill: ([^\n]+)")


@dataclass(slots=True)
class Session:
    """Reads rows of session files."""

    meter: Meter
    _instruction_files: dict[str, None] = field(default_factory=dict)
    _injected: dict[str, None] = field(default_factory=dict)
    _command: str | None = None
    _lists_instructions: bool = False

    def take(self, row: Mapping[str, object]) -> None:
        """One row of any session file."""
        self._see_version(text(row.get("version")) or "")
        kind = row.get("type")
        if kind == "attachment":
            self._on_attachment(fields(row.get("attachment")))
        elif kind == "assistant":
            self.meter.on_session_answer(fields(row.get("message")))
        elif kind == "user" and row.get("isSidechain") is not True:
            self._on_user(row)
        elif kind == "cost-state":
            self.meter.on_session_state(row)

    @property
    def instruction_files(self) -> tuple[str, ...] | None:
        """The instruction files that were loaded, in order; None when this version does not tell."""
        if not self._lists_instructions and not self._instruction_files:
            return None
        return tuple(self._instruction_files)

    @property
    def injected_skills(self) -> tuple[str, ...]:
        """Skills whose text a slash prompt put before the agent, without a tool call."""
        return tuple(self._injected)

    def _see_version(self, version: str) -> None:
        match = re.match(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})", version)
        if match and tuple(int(part) for part in match.groups()) >= LISTS_INSTRUCTIONS_SINCE:
            self._lists_instructions = True

    def _on_attachment(self, attachment: Mapping[str, object]) -> None:
        kind = attachment.get("type")
        if kind == "instructions":
            for item in items(attachment.get("files")):
                self._add_file(fields(item).get("path"))
        elif kind == "nested_memory":
            self._add_file(attachment.get("path"))

    def _add_file(self, path: object) -> None:
        name = label(path)
        if name is not None:
            self._instruction_files[name] = None

    def _on_user(self, row: Mapping[str, object]) -> None:
        told = content_text(fields(row.get("message")).get("content"))
        if row.get("isMeta") is not True:
            command = _COMMAND.match(told)
            self._command = command[1] if command else None
            return
        folder = _SKILL_FOLDER.match(told)
        # Only the body that follows a slash command at once; a Skill call is in the stream.
        if folder and self._command is not None:
            self._injected[self._command or os.path.basename(folder[1])] = None
            self._command = None
