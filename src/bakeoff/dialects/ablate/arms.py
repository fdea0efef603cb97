"""The arms that an ablate task can run under: the format names none of its own."""

from __future__ import annotations

from bakeoff.model.suite import Arm

_ALLOWED_TOOLS = ("Bash", "Read", "Edit", "Write", "Glob", "Grep")
_MOST_TURNS = 40

CLAUDE_CODE = Arm(
    id="claude-code",
    harness="claude_code",
    options={
        "permission_mode": "acceptEdits",
        "allowed_tools": list(_ALLOWED_TOOLS),
        "max_turns": _MOST_TURNS,
    },
)
CODEX = Arm(id="codex", harness="codex_cli")

SELECTED = (CLAUDE_CODE,)
"""What runs when the command line names no arm."""

KNOWN = (CLAUDE_CODE, CODEX)
