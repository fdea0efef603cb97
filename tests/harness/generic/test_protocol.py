"""The agent protocol: whatever is printed, reading never fails, and the schema says what is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import bakeoff.harness.generic
from bakeoff.cli.main import run
from bakeoff.harness.generic.parse import LONGEST_ANSWER, EventParser, TextParser
from bakeoff.harness.generic.protocol import EVENTS, json_schema
from bakeoff.model.trajectory import Message, Trajectory, Usage

KEYS = sorted({name for shape in EVENTS.values() for name in shape.model_fields} - {"kind"})
ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["1", "t", "call", "total", "denied", "error", "completed", "rate_limit", 429, -1]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
EVENT = st.fixed_dictionaries({"kind": st.sampled_from([*EVENTS, "unheard of"])}).flatmap(
    lambda kind: st.dictionaries(st.sampled_from([*KEYS, "payload"]), ODD, max_size=5).map(
        lambda keys: {**keys, **kind}
    )
)


def read(*events: object) -> Trajectory:
    parser = EventParser()
    for event in events:
        parser.feed(event if isinstance(event, bytes) else json.dumps(event).encode())
    return parser.trajectory()


@settings(max_examples=300, deadline=None)
@given(events=st.lists(EVENT, max_size=8))
def test_any_values_are_survived_and_no_number_is_nonsense(events: list[dict[str, Any]]) -> None:
    told = read(*events)
    assert told == read(*events)
    numbers = [told.usage.input, told.usage.output, told.turns, told.model_calls, told.cost_usd]
    assert all(number is None or 0 <= number < 2**60 for number in numbers)
    assert sum(told.unknown_events.values()) <= len(events)
    assert told.malformed_lines == 0


@settings(max_examples=100, deadline=None)
@given(events=st.lists(EVENT, max_size=5), later=st.lists(EVENT, min_size=1, max_size=3))
def test_what_follows_the_last_word_is_only_counted(events: list[Any], later: list[Any]) -> None:
    before = [event for event in events if event["kind"] != "run_finished"]
    whole, longer = read(*before, {"kind": "run_finished"}), read(*before, {"kind": "run_finished"}, *later)
    assert longer.unknown_events == {**whole.unknown_events, "after run_finished": len(later)}
    assert (longer.steps, longer.usage, longer.finish) == (whole.steps, whole.usage, whole.finish)


@pytest.mark.parametrize(
    ("second", "input_tokens"),
    [
        ({"input_tokens": 1}, 11),
        ({"input_tokens": 2.0}, 12),
        ({"input_tokens": "1"}, None),
        ({"input_tokens": True}, None),
        ({"input_tokens": 2**60}, None),
        ({"input_tokens": None}, None),
        ({}, None),
    ],
)
def test_a_sum_is_known_only_when_each_part_is(second: dict[str, Any], input_tokens: int | None) -> None:
    usage = {"kind": "usage", "input_tokens": 10, "output_tokens": 1}
    told = read(usage, {"kind": "usage", "output_tokens": 1, **second})
    assert told.usage == Usage(input=input_tokens, output=2)
    assert told.model_calls == 2


def test_a_price_is_known_only_when_each_call_has_one() -> None:
    priced = {"kind": "usage", "input_tokens": 1, "output_tokens": 1, "cost_usd": 0.1}
    assert read(priced, priced).cost_usd == 0.2
    assert read(priced, {**priced, "cost_usd": "free"}).cost_usd is None
    assert read(priced, {"kind": "usage", "input_tokens": 1, "output_tokens": 1}).cost_usd is None
    assert read(priced, {"kind": "run_finished", "cost_usd": 0.7}).cost_usd == 0.7
    assert read(priced, {"kind": "run_finished", "cost_usd": -1}).cost_usd is None


def test_a_total_of_one_model_leaves_the_others() -> None:
    told = read(
        {"kind": "usage", "scope": "total", "model": "a", "input_tokens": 5, "output_tokens": 1},
        {"kind": "usage", "scope": "total", "model": "b", "input_tokens": 7, "output_tokens": 1},
        {"kind": "usage", "scope": "total", "model": "a", "input_tokens": 9, "output_tokens": 2},
    )
    assert told.usage_by_model == {"a": Usage(input=9, output=2), "b": Usage(input=7, output=1)}
    assert told.usage == Usage(input=16, output=3)
    assert told.model_calls is None


def test_the_same_id_twice_is_two_calls() -> None:
    call = {"kind": "tool_started", "call_id": "1", "name": "t"}
    told = read(call, {"kind": "tool_finished", "call_id": "1", "output": "a"}, call)
    assert [(step.id, step.result) for step in told.tool_calls] == [("1", "a"), ("1#2", None)]


def test_a_command_ended_by_a_signal_is_an_error() -> None:
    told = read({"kind": "command_started", "command": "x"}, {"kind": "command_finished", "exit_code": -9})
    assert [(call.name, call.exit_code, call.is_error) for call in told.tool_calls] == [("shell", -9, True)]


def test_plain_text_is_one_answer_of_bounded_size() -> None:
    parser = TextParser()
    for line in (b"Working ...", b"", b"Done.\r", b'{"kind":"error","status":429}'):
        parser.feed(line)
    text = 'Working ...\nDone.\n{"kind":"error","status":429}'
    told = parser.trajectory()
    assert told.steps == (Message(text=text),)
    assert (told.final_text, told.api_error, told.untold) == (text, None, ("tools", "skills", "denials"))
    for _ in range(3000):
        parser.feed(b"x" * 999)
    assert len(parser.trajectory().final_text or "") <= LONGEST_ANSWER


def test_the_schema_is_printed_and_recorded_streams_fit_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "agent-protocol"]) == 0
    validator = Draft202012Validator(json.loads(capsys.readouterr().out))
    recorded = Path(__file__).parents[2] / "recorded" / "generic"
    for situation in ("whole", "payload", "totals", "rate-limit", "denied", "too-long", "turn-limit"):
        for line in (recorded / situation / "stdout.jsonl").read_text().splitlines():
            assert validator.is_valid(json.loads(line)), line
    for wrong in (
        {},
        {"kind": "telemetry"},
        {"kind": "usage", "input_tokens": -1},
        {"kind": "error", "status": 7},
    ):
        assert not validator.is_valid(wrong)


def test_the_package_holds_the_schema_of_the_classes_that_read() -> None:
    path = Path(bakeoff.harness.generic.__file__).with_name("agent-protocol.schema.json")
    assert json.loads(path.read_text()) == json_schema()
