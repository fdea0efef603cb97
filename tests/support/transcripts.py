"""Transcripts for checks that judge what the agent did."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from support.checking import MemoryEvidence

from bakeoff.model.trajectory import Finish, Message, Subagent, ToolCall, Trajectory

WORDS = Message(text="done")


def call(name: str = "Bash", **fields: Any) -> ToolCall:
    """A call that went well, unless `fields` say otherwise."""
    return ToolCall(**{"id": f"{name}-{id(fields)}", "name": name, "result": "", "is_error": False, **fields})


def skill(name: str, **fields: Any) -> ToolCall:
    """A call that loads a skill."""
    return call("Skill", skill=name, input={"skill": name}, **fields)


def saw(*calls: ToolCall, **fields: Any) -> MemoryEvidence:
    """A whole transcript with these calls."""
    return MemoryEvidence(trajectory=Trajectory(steps=(*calls, WORDS), finish=Finish.COMPLETED, **fields))


def losing(evidence: MemoryEvidence, what: str) -> MemoryEvidence:
    """The same evidence after something of it was lost; one of `HOLES` or `CUTS`."""
    trajectory = evidence.trajectory
    if what in CUTS:
        losses = {"a crash": ()}.get(what, (f"{what} cut it",))
        return replace(evidence, trajectory=replace(trajectory, finish=None), losses=losses)
    all_changes: dict[str, dict[str, Any]] = {
        "malformed lines": {"malformed_lines": 1},
        "a result without its call": {"unknown_events": {"result without call": 1}},
        "a part of a message that nobody knows": {"unknown_events": {"content/future_tool_use": 1}},
        "calls of a subagent": {"subagents": (Subagent(id="lost", tool_calls=1),)},
        "a harness that does not tell": {"untold": ("tools", "skills", "denials")},
    }
    return replace(evidence, trajectory=replace(trajectory, **all_changes[what]))


HOLES = (
    "malformed lines",
    "a result without its call",
    "a part of a message that nobody knows",
    "calls of a subagent",
    "a harness that does not tell",
)
"""Losses that may lie anywhere in a transcript."""

CUTS = ("the time limit", "a flood of lines", "a crash")
"""Losses of its end."""
