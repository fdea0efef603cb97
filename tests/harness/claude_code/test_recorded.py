"""Every recorded stream is understood as a person who read it said it should be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bakeoff.harness.claude_code.parse import ClaudeParser
from bakeoff.harness.outcome import conclude
from bakeoff.model.trajectory import Message, ToolCall, Trajectory, Usage
from bakeoff.process.supervise import EndReason, ProcessEnd

RECORDED = Path(__file__).parents[2] / "recorded" / "claude"
SCENARIOS = sorted(path.parent.name for path in RECORDED.glob("*/expected.json"))


def expected(scenario: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((RECORDED / scenario / "expected.json").read_text())
    return facts


def parsed(scenario: str) -> ClaudeParser:
    parser = ClaudeParser()
    for line in (RECORDED / scenario / "stdout.jsonl").read_bytes().split(b"\n"):
        parser.feed(line)
    return parser


def with_session(scenario: str) -> ClaudeParser:
    parser = parsed(scenario)
    for path in sorted((RECORDED / scenario / "session").rglob("*.jsonl")):
        for line in path.read_bytes().split(b"\n"):
            parser.feed_session(line)
    return parser


def thread_number(trajectory: Trajectory, thread: str | None) -> int | None:
    return None if thread is None else [item.id for item in trajectory.subagents].index(thread)


def texts(trajectory: Trajectory) -> list[str]:
    told = []
    for step in trajectory.steps:
        if isinstance(step, Message):
            number = thread_number(trajectory, step.thread)
            mark = "~" if step.kind == "reasoning" else ""
            told.append(mark + (f"@{number} " if number is not None else "") + step.text)
    return told


def tool_facts(trajectory: Trajectory, call: ToolCall) -> dict[str, Any]:
    """Only what differs from a call of the main thread that succeeded."""
    facts = {
        "name": call.name,
        "is_error": call.is_error,
        "denied": call.denied,
        "exit_code": call.exit_code,
        "skill": call.skill,
        "thread": thread_number(trajectory, call.thread),
    }
    usual = {"is_error": False, "denied": False, "exit_code": None, "skill": None, "thread": None}
    return {key: value for key, value in facts.items() if key not in usual or value != usual[key]}


def usage_facts(usage: Usage) -> dict[str, Any] | None:
    facts = {
        name: getattr(usage, name) for name in ("input", "cache_read", "cache_write", "output", "reasoning")
    }
    return facts if any(value is not None for value in facts.values()) else None


def facts(parser: ClaudeParser) -> dict[str, Any]:
    trajectory = parser.trajectory()
    roster = trajectory.roster
    return {
        "finish": trajectory.finish,
        "finished": parser.finished,
        "turns": trajectory.turns,
        "model_calls": trajectory.model_calls,
        "usage": usage_facts(trajectory.usage),
        "usage_source": trajectory.usage_source,
        "cost_usd": trajectory.cost_usd,
        "cost_source": trajectory.cost_source,
        "model_answered": list(trajectory.model_answered),
        "final_text": trajectory.final_text,
        "texts": texts(trajectory),
        "tool_calls": [tool_facts(trajectory, call) for call in trajectory.tool_calls],
        "denials": [denial.tool for denial in trajectory.denials],
        "retries": [[retry.attempt, retry.status, retry.kind] for retry in trajectory.retries],
        "api_error": trajectory.api_error
        and {"status": trajectory.api_error.status, "kind": trajectory.api_error.kind},
        "skills": list(trajectory.skills),
        "subagents": [
            {
                "kind": item.kind,
                "description": item.description,
                "status": item.status,
                "tokens": item.tokens,
                "tool_calls": item.tool_calls,
            }
            for item in trajectory.subagents
        ],
        "background_left": trajectory.background_left,
        "malformed_lines": trajectory.malformed_lines,
        "unknown_events": dict(trajectory.unknown_events),
        "roster": roster
        and {"version": roster.version, "model": roster.model, "permission_mode": roster.permission_mode},
        "instruction_files": roster
        and (None if roster.instruction_files is None else list(roster.instruction_files)),
    }


def same(told: Any, wanted: Any) -> bool:
    """Equal, where a wanted text that ends with `*` stands for any rest."""
    if isinstance(wanted, str) and wanted.endswith("*"):
        return isinstance(told, str) and told.startswith(wanted[:-1])
    if isinstance(wanted, list):
        return isinstance(told, list) and len(told) == len(wanted) and all(map(same, told, wanted))
    return bool(told == wanted)


def differences(told: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    return {
        key: {"read": told[key], "expected": value}
        for key, value in wanted.items()
        if not same(told[key], value)
    }


NOT_READ = {"reason", "end", "ending", "void", "session"}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_stream_is_understood(scenario: str) -> None:
    wanted = expected(scenario)
    told = facts(parsed(scenario))
    assert not differences(told, {key: value for key, value in wanted.items() if key not in NOT_READ})


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_trial_is_classified(scenario: str) -> None:
    wanted = expected(scenario)
    end = ProcessEnd(
        reason=EndReason(wanted["end"]["reason"]), exit_code=wanted["end"]["exit_code"], duration_s=60.0
    )
    conclusion = conclude(end, parsed(scenario).trajectory())
    assert (conclusion.ending, conclusion.void) == (wanted["ending"], wanted["void"]), conclusion.detail
    assert conclusion.detail.endswith(".")


@pytest.mark.parametrize("scenario", [name for name in SCENARIOS if "session" in expected(name)])
def test_session_files_fill_in_what_the_stream_leaves_out(scenario: str) -> None:
    assert not differences(facts(with_session(scenario)), expected(scenario)["session"])


def test_enough_situations_are_recorded() -> None:
    assert len(SCENARIOS) >= 60
    assert all(expected(name)["reason"] for name in SCENARIOS)
