"""Every stream of the agent protocol is understood as the person who wrote it said it should be."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from bakeoff.harness.generic.parse import EventParser
from bakeoff.harness.generic.protocol import EVENTS
from bakeoff.harness.outcome import conclude
from bakeoff.model.trajectory import Trajectory
from bakeoff.process.supervise import EndReason, ProcessEnd

RECORDED = Path(__file__).parents[2] / "recorded" / "generic"
SITUATIONS = sorted(path.parent.name for path in RECORDED.glob("*/expected.json"))


def lines_of(situation: str) -> list[bytes]:
    return (RECORDED / situation / "stdout.jsonl").read_bytes().split(b"\n")


def facts(trajectory: Trajectory, exit_code: int) -> dict[str, Any]:
    conclusion = conclude(ProcessEnd(reason=EndReason.EXITED, exit_code=exit_code), trajectory)
    calls = trajectory.tool_calls
    return {
        **{name: getattr(trajectory, name) for name in Trajectory.__dataclass_fields__},
        "exit_code": exit_code,
        "ending": conclusion.ending,
        "void": conclusion.void,
        "usage": asdict(trajectory.usage),
        "model_answered": list(trajectory.model_answered),
        "tools": [call.name for call in calls],
        "inputs": [call.input for call in calls],
        "results": [call.result for call in calls],
        "errors": [call.name for call in calls if call.is_error],
        "denials": [denial.tool for denial in trajectory.denials],
        "retries": [retry.status for retry in trajectory.retries],
        "skills": list(trajectory.skills),
        "subagents": [item.id for item in trajectory.subagents],
        "untold": list(trajectory.untold),
    }


@pytest.mark.parametrize("situation", SITUATIONS)
def test_it_is_understood(situation: str) -> None:
    wanted = json.loads((RECORDED / situation / "expected.json").read_text())
    assert wanted.pop("why")
    parser = EventParser()
    for line in lines_of(situation):
        parser.feed(line)
    told = facts(parser.trajectory(), wanted["exit_code"])
    assert {name: told[name] for name in wanted} == wanted
    assert parser.finished == any(b'"run_finished"' in line for line in lines_of(situation))


def test_each_kind_of_event_is_in_a_recorded_stream() -> None:
    told = {
        json.loads(line).get("kind")
        for situation in ("whole", "rate-limit", "denied")
        for line in lines_of(situation)
        if line
    }
    assert told == set(EVENTS)
