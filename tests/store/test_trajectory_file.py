"""Trajectories read back as they were, redacted text by text, and never fail to be written."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.record_strategies import any_text, json_values

from bakeoff.model.trajectory import (
    ApiError,
    Denial,
    Finish,
    Message,
    Provenance,
    Retry,
    Roster,
    Subagent,
    ToolCall,
    Trajectory,
    Usage,
)
from bakeoff.store.trajectory_file import UnreadableTrajectory, dump_trajectory, parse_trajectory

# A high and a low surrogate side by side are one character to every JSON reader.
text = any_text.map(
    lambda value: (
        value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        if not value.isascii()
        else value
    )
)
plain_values = json_values.map(lambda value: json.loads(json.dumps(value)))
counts = st.none() | st.integers(0, 2**60)
usages = st.builds(
    Usage, input=counts, cache_read=counts, cache_write=counts, output=counts, reasoning=counts
)
names = st.none() | st.lists(text, max_size=2).map(tuple)
threads = st.none() | text
steps = st.one_of(
    st.builds(Message, text=text, kind=st.sampled_from(["text", "reasoning"]), thread=threads),
    st.builds(
        ToolCall,
        id=text,
        name=text,
        input=st.dictionaries(st.text(max_size=5), plain_values, max_size=3),
        result=st.none() | text,
        is_error=st.none() | st.booleans(),
        denied=st.booleans(),
        denial=text,
        exit_code=st.none() | st.integers(),
        thread=threads,
        skill=st.none() | text,
    ),
)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "steps": st.lists(steps, max_size=5).map(tuple),
    "final_text": st.none() | text,
    "finish": st.none() | st.sampled_from(Finish),
    "finish_reason": text,
    "session_id": st.none() | text,
    "turns": counts,
    "model_calls": counts,
    "usage": usages,
    "usage_source": st.sampled_from(Provenance),
    "usage_by_model": st.dictionaries(st.text(max_size=5), usages, max_size=2),
    "cost_usd": st.none() | st.floats(0, 1e6),
    "cost_source": st.sampled_from(Provenance),
    "model_answered": st.lists(text, max_size=2).map(tuple),
    "roster": st.none()
    | st.builds(Roster, version=st.none() | text, tools=names, skills=names, mcp_servers=names),
    "denials": st.lists(st.builds(Denial, tool=text, reason=text, call_id=threads), max_size=2).map(tuple),
    "retries": st.lists(
        st.builds(
            Retry, attempt=st.integers(), status=counts, kind=text, delay_s=st.none() | st.floats(0, 9)
        ),
        max_size=2,
    ).map(tuple),
    "api_error": st.none() | st.builds(ApiError, status=counts, kind=text, message=text),
    "subagents": st.lists(st.builds(Subagent, id=text, kind=text, tokens=counts), max_size=2).map(tuple),
    "background_left": counts,
    "malformed_lines": st.integers(0, 9),
    "unknown_events": st.dictionaries(st.text(max_size=5), st.integers(0, 9), max_size=2),
    "injected_skills": st.lists(text, max_size=2).map(tuple),
    "untold": st.lists(st.sampled_from(["tools", "skills", "denials"]), max_size=2).map(tuple),
    "ends_by_exit_code": st.booleans(),
}
trajectories = st.builds(Trajectory, **FIELDS)


@given(trajectory=trajectories)
def test_a_trajectory_reads_back_as_it_was(trajectory: Trajectory) -> None:
    assert parse_trajectory(dump_trajectory(trajectory)) == trajectory


@given(trajectory=trajectories)
def test_the_file_is_strict_json_lines_in_ascii(trajectory: Trajectory) -> None:
    lines = dump_trajectory(trajectory).decode("ascii").split("\n")
    assert lines.pop() == ""
    whole, *rest = [json.loads(line) for line in lines]
    assert whole["schema"] == "bakeoff.trajectory"
    assert whole["version"] == 1
    assert [step["step"] for step in rest] == [
        "message" if isinstance(step, Message) else "tool_call" for step in trajectory.steps
    ]


def test_every_field_of_a_trajectory_is_tried() -> None:
    """A field that is added to the model is noticed here before it gets lost in the file."""
    assert set(FIELDS) == {item.name for item in dataclasses.fields(Trajectory)}


def test_secrets_are_replaced_before_they_are_escaped() -> None:
    secret = 'päss"word\\\n'
    trajectory = Trajectory(
        steps=(
            Message(text=f"it is {secret}!"),
            ToolCall(id="1", name="Bash", input={"deep": [{secret: f"x{secret}"}]}, result=secret),
        ),
        final_text=secret,
        unknown_events={secret: 1},
    )
    data = dump_trajectory(trajectory, lambda value: value.replace(secret, "[redacted:KEY#1]"))
    assert b'ss\\"word' not in data
    read = parse_trajectory(data)
    assert read.final_text == "[redacted:KEY#1]"
    call = read.tool_calls[0]
    assert call.input == {"deep": [{"[redacted:KEY#1]": "x[redacted:KEY#1]"}]}
    assert call.result == "[redacted:KEY#1]"
    assert read.unknown_events == {"[redacted:KEY#1]": 1}


def test_what_json_cannot_hold_is_written_as_text() -> None:
    deep: object = "bottom"
    for _ in range(5_000):
        deep = [deep]
    call = ToolCall(id="1", name="x", input={"nan": math.nan, "inf": -math.inf, "deep": deep})
    read = parse_trajectory(dump_trajectory(Trajectory(steps=(call,)))).tool_calls[0].input
    assert (read["nan"], read["inf"]) == ("nan", "-inf")
    assert "nested too deeply" in json.dumps(read["deep"])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"not json",
        b"[]",
        b"\xff\xfe",
        b'{"schema": "bakeoff.trajectory", "version": 2}\n',
        b'{"schema": "other", "version": 1}\n',
        dump_trajectory(Trajectory()) + b'{"step": "surprise"}\n',
        dump_trajectory(Trajectory()) + b'{"step": "message", "unheard": 1}\n',
        dump_trajectory(Trajectory()) + b"[1]\n",
        dump_trajectory(Trajectory())[:-20],
        b"[" * 100_000,
    ],
)
def test_what_is_no_trajectory_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableTrajectory):
        parse_trajectory(data)
