"""Shapes that no recording shows: other versions, odd orders, wrong types, hostile lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bakeoff.harness.claude_code.parse import ClaudeParser
from bakeoff.model.trajectory import Denial, Finish, Provenance, Trajectory, Usage

INIT = {
    "type": "system",
    "subtype": "init",
    "session_id": "s",
    "model": "m",
    "claude_code_version": "2.1.332",
}
RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "terminal_reason": "completed",
    "result": "Done.",
    "total_cost_usd": 0.5,
    "usage": {"input_tokens": 1, "output_tokens": 1},
    "modelUsage": {"m": {"inputTokens": 10, "outputTokens": 2, "cacheReadInputTokens": 3}},
    "subagent_stats": {},
}


def answer(
    message_id: str, *blocks: dict[str, Any], parent: str | None = None, **message: Any
) -> dict[str, Any]:
    return {
        "type": "assistant",
        "parent_tool_use_id": parent,
        "message": {"id": message_id, "model": "m", "content": list(blocks), "stop_reason": None, **message},
    }


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def use(call_id: str, name: str, /, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def got(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}
    return {"type": "user", "message": {"content": [block]}}


def read(*events: Any) -> ClaudeParser:
    parser = ClaudeParser()
    for event in events:
        parser.feed(event if isinstance(event, bytes) else json.dumps(event).encode())
    return parser


def told(*events: Any) -> Trajectory:
    return read(*events).trajectory()


def test_nothing_read_is_nothing_known() -> None:
    assert told(b"", b"  \r") == Trajectory()


def test_missing_totals_stay_unknown() -> None:
    result = told(INIT, answer("a", text("x")), answer("b", text("y")), {**RESULT, "modelUsage": None})
    assert result.usage.output is None
    half = {**RESULT, "modelUsage": {"m": {"inputTokens": 10}, "n": {"inputTokens": 5, "outputTokens": 1}}}
    assert told(INIT, half).usage == Usage(input=15)


def test_totals_of_several_models_are_added() -> None:
    used = {"inputTokens": 1, "outputTokens": 2, "cacheReadInputTokens": 3, "cacheCreationInputTokens": 4}
    trajectory = told(INIT, {**RESULT, "modelUsage": {"m": used, "n": used}})
    assert trajectory.usage == Usage(input=2, output=4, cache_read=6, cache_write=8)
    assert set(trajectory.usage_by_model) == {"m", "n"}


def test_a_turn_after_the_result_makes_its_totals_stale() -> None:
    parser = read(INIT, answer("a", text("x")), RESULT, answer("b", text("more")))
    trajectory = parser.trajectory()
    assert trajectory.finish is None
    assert not parser.finished
    assert (trajectory.cost_usd, trajectory.cost_source) == (None, Provenance.UNKNOWN)
    assert trajectory.usage_source is not Provenance.REPORTED
    assert trajectory.final_text == "more"


def test_finished_waits_for_work_in_the_background() -> None:
    started = {"type": "system", "subtype": "task_started", "task_id": "t", "is_backgrounded": True}
    ended = {"type": "system", "subtype": "task_notification", "task_id": "t", "status": "completed"}
    parser = read(INIT, started, RESULT)
    assert not parser.finished
    assert parser.trajectory().background_left == 1
    parser.feed(json.dumps(ended).encode())
    assert not parser.finished, "its end starts another turn"
    parser.feed(json.dumps({**RESULT, "result": "Really done."}).encode())
    assert parser.finished
    assert parser.trajectory().final_text == "Really done."
    assert parser.trajectory().background_left == 0


def test_finished_waits_for_queued_turns() -> None:
    assert not read(INIT, {**RESULT, "queued_turn_count": 1}).finished


def test_lines_that_tell_nothing_do_not_unfinish() -> None:
    parser = read(INIT, RESULT, {"type": "system", "subtype": "status"}, {"type": "rate_limit_event"})
    assert parser.finished


@pytest.mark.parametrize("value", ["false", 1, [], {}, "yes"])
def test_is_error_of_another_type_is_no_success(value: object) -> None:
    assert told(INIT, {**RESULT, "is_error": value}).finish is not Finish.COMPLETED


def test_a_failed_call_without_is_error_is_no_success() -> None:
    failure = answer("e", text("API Error: 529"), model="<synthetic>")
    failure |= {"is_api_error_message": True, "api_error_status": 529, "error": "server_error"}
    trajectory = told(INIT, failure, RESULT)
    assert trajectory.finish is Finish.API_ERROR
    assert trajectory.final_text is None


def test_a_failed_call_of_a_subagent_is_not_the_end() -> None:
    failure = answer("e", text("API Error: 529"), parent="t1", model="<synthetic>")
    failure |= {"is_api_error_message": True, "api_error_status": 529}
    trajectory = told(INIT, answer("a", use("t1", "Agent")), failure, answer("b", text("I go on.")), RESULT)
    assert (trajectory.finish, trajectory.api_error) == (Finish.COMPLETED, None)


def test_an_answer_after_a_failed_call_is_the_last_word() -> None:
    failure = answer("e", text("API Error"), model="<synthetic>") | {"is_api_error_message": True}
    assert told(INIT, failure, answer("a", text("back")), RESULT).finish is Finish.COMPLETED


def test_an_unknown_error_is_an_abort_with_its_reason() -> None:
    trajectory = told(INIT, {**RESULT, "is_error": True, "terminal_reason": "cosmic_ray"})
    assert (trajectory.finish, trajectory.finish_reason) == (Finish.ABORTED, "cosmic_ray")


def test_denials_of_every_source_are_one_each() -> None:
    system = {
        "type": "system",
        "subtype": "permission_denied",
        "tool_use_id": "t1",
        "tool_name": "Bash",
        "message": "needs approval",
    }
    meta = {"tool_result_meta": [{"id": "t1", "permission_decision": {"decision": "reject"}}]}
    result = {**RESULT, "permission_denials": [{"tool_name": "Bash", "tool_use_id": "t1"}]}
    refused = got("t1", "no", is_error=True) | meta
    trajectory = told(INIT, answer("a", use("t1", "Bash")), system, refused, result)
    assert trajectory.denials == (Denial(tool="Bash", reason="needs approval", call_id="t1"),)
    assert trajectory.tool_calls[0].denied


def test_a_tool_that_talks_of_permissions_is_no_denial() -> None:
    words = "Exit code 1\nError: Claude requested permissions; this change requires approval from an owner"
    trajectory = told(INIT, answer("a", use("t1", "Bash")), got("t1", words, is_error=True), RESULT)
    assert trajectory.denials == ()
    assert trajectory.tool_calls[0].exit_code == 1


def test_a_command_cannot_fake_a_hook() -> None:
    words = "Exit code 1\nPreToolUse:Bash hook error: no"
    assert told(INIT, answer("a", use("t", "Bash")), got("t", words, is_error=True)).denials == ()
    blocked = got("t", "PreToolUse:Bash hook error: [x]: no", is_error=True)
    assert len(told(INIT, answer("a", use("t", "Bash")), blocked).denials) == 1
    accepted = blocked | {"tool_result_meta": [{"id": "t", "permission_decision": {"decision": "accept"}}]}
    assert told(INIT, answer("a", use("t", "Bash")), accepted).denials == ()


def test_a_denied_subagent_was_never_started() -> None:
    denied = {"type": "system", "subtype": "permission_denied", "tool_use_id": "t", "tool_name": "Agent"}
    trajectory = told(INIT, answer("a", use("t", "Agent")), denied, got("t", "no", is_error=True), RESULT)
    assert trajectory.subagents == ()


def test_exit_codes_are_those_of_shells_only() -> None:
    trajectory = told(
        INIT,
        answer("a", use("t1", "Bash"), use("t2", "Read"), use("t3", "Bash")),
        got("t1", "Exit code 127\nnot found", is_error=True),
        got("t2", "Exit code 3", is_error=True),
        got("t3", "Exit code 3", is_error=False),
    )
    assert [call.exit_code for call in trajectory.tool_calls] == [127, None, None]


def test_a_repeated_call_is_one_call() -> None:
    trajectory = told(INIT, answer("a", use("t", "Bash", command="x")), answer("a", use("t", "Bash")))
    assert len(trajectory.tool_calls) == 1


@pytest.mark.parametrize("key", ["skill", "command", "name"])
def test_the_key_of_a_skill_differs_between_versions(key: str) -> None:
    trajectory = told(
        INIT, answer("a", use("t", "Skill", **{key: "greet"})), got("t", "Launching skill: greet")
    )
    assert trajectory.skills == ("greet",)


def test_results_are_texts_of_any_shape() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "image"}, "b", {"x": 1}, 5]
    trajectory = told(INIT, answer("a", use("t", "Read")), got("t", blocks))
    assert trajectory.tool_calls[0].result == "a\n[image]\nb\n[unknown content]\n[unknown content]"


def test_what_is_unknown_is_counted() -> None:
    trajectory = told(
        {"type": "brand_new"},
        {"type": "system", "subtype": "brand_new"},
        {"type": "stream_event", "event": {"type": "brand_new"}},
        {"no": "type"},
        answer("a", {"type": "brand_new"}),
        got("nowhere", "x"),
    )
    assert trajectory.unknown_events == {
        "brand_new": 1,
        "system/brand_new": 1,
        "stream_event/brand_new": 1,
        "without type": 1,
        "content/brand_new": 1,
        "result without call": 1,
    }


def test_unknown_kinds_do_not_fill_the_memory() -> None:
    parser = read(*({"type": f"kind {number}" + "x" * 500} for number in range(300)))
    counts = parser.trajectory().unknown_events
    assert sum(counts.values()) == 300
    assert len(counts) == 101
    assert max(map(len, counts)) == 100


@pytest.mark.parametrize(
    "line", [b"not json", b"7", b"null", b'"x"', b"[1, 2]", b"{", b"\x00\x01", b"\xff" * 9]
)
def test_malformed_lines_are_counted(line: bytes) -> None:
    assert told(INIT, line, RESULT).malformed_lines == 1


WRONG: list[Any] = [None, [], {}, "x", 5, -1, 1.5, True, ["x"], {"a": [1]}, [[[]]], 10**40]


@pytest.mark.parametrize("value", WRONG)
def test_wrong_types_everywhere_are_survived(value: Any) -> None:
    shapes: list[dict[str, Any]] = [
        INIT, RESULT, answer("a", text("x"), use("t", "Agent", x=1), usage={"input_tokens": 1}),
        got("t", "x", is_error=True) | {"tool_use_result": {}, "tool_result_meta": [{"id": "t"}]},
        {"type": "system", "subtype": "api_retry", "attempt": 1, "error_status": 1, "error": "x", "retry_delay_ms": 1},
        {"type": "system", "subtype": "task_started", "task_id": "t", "tool_use_id": "t", "task_type": "local_agent"},
        {"type": "system", "subtype": "task_started", "task_id": "b", "is_backgrounded": True},
        {"type": "system", "subtype": "task_notification", "task_id": "t", "status": "x", "usage": {}, "patch": {}},
        {"type": "system", "subtype": "background_tasks_changed", "tasks": []},
        {"type": "system", "subtype": "permission_denied", "tool_name": "x", "tool_use_id": "t", "message": "m"},
        {"type": "stream_event", "event": {"type": "message_start", "message": {"id": "a"}}},
        {"type": "stream_event", "event": {"type": "message_delta", "usage": {}}, "api_message_id": "a"},
    ]  # fmt: skip
    for shape in shapes:
        for key in [*shape, "parent_tool_use_id", "session_id"]:
            parser = read(INIT, *shapes[2:4], shapes[6], {**shape, key: value}, RESULT)
            parser.trajectory()
        inner = shape.get("message")
        for key in inner if isinstance(inner, dict) else ():
            read(INIT, {**shape, "message": {**(inner or {}), key: value}}, RESULT).trajectory()
        read({**shape, "event": value, "message": value}).trajectory()


def test_a_line_of_ten_megabytes() -> None:
    big = "x" * 10_000_000
    trajectory = told(INIT, answer("a", use("t", "Bash")), got("t", big), RESULT)
    assert trajectory.tool_calls[0].result == big


def test_surrogates_and_nuls() -> None:
    assert told(INIT, answer("a", text("\ud800 \0"))).final_text == "\ud800 \0"


def test_final_usage_of_partial_messages_replaces_the_first() -> None:
    start = {"type": "stream_event", "event": {"type": "message_start", "message": {"id": "a"}}}
    end = {
        "type": "stream_event",
        "event": {"type": "message_delta", "usage": {"input_tokens": 9, "output_tokens": 40}},
    }
    first = answer("a", text("x"), usage={"input_tokens": 9, "output_tokens": 1})
    assert told(INIT, first).usage == Usage(input=9)
    for events in ([start, first, end], [start, end, first]):
        trajectory = told(INIT, *events)
        assert (trajectory.usage, trajectory.usage_source) == (Usage(input=9, output=40), Provenance.DERIVED)


def test_one_array_is_the_same_as_its_lines() -> None:
    events = [INIT, answer("a", text("x")), RESULT]
    assert told(events) == told(*events)


def test_session_rows_never_overrule_the_stream() -> None:
    parser = read(INIT, answer("a", text("x"), usage={"input_tokens": 1}), RESULT)
    before = parser.trajectory()
    state = {
        "type": "cost-state",
        "totalCostUSD": 99,
        "modelUsage": {"m": {"inputTokens": 1, "outputTokens": 1}},
    }
    forged = {"type": "assistant", "message": {"id": "zz", "model": "m", "usage": {"input_tokens": 10**6}}}
    rows: list[Any] = [state, forged, {"type": "result", "is_error": True}, {"type": "user"}, [], 5]
    for row in rows:
        parser.feed_session(json.dumps(row).encode())
    assert parser.trajectory() == before


STATE_WITHOUT_CALLS = {"type": "cost-state", "totalCostUSD": 0, "hasUnknownModelCost": False}


@pytest.mark.parametrize("models", [{}, {"m": {"inputTokens": 0, "outputTokens": 0}}])
def test_totals_that_count_no_call_do_not_make_what_is_unknown_nothing(models: dict[str, Any]) -> None:
    row = json.dumps(STATE_WITHOUT_CALLS | {"modelUsage": models}).encode()
    silent = read(INIT)
    silent.feed_session(row)
    assert (silent.trajectory().usage, silent.trajectory().usage_source) == (Usage(), Provenance.UNKNOWN)
    assert (silent.trajectory().cost_usd, silent.trajectory().cost_source) == (None, Provenance.UNKNOWN)

    begun = read(INIT, answer("a", text("x"), usage={"input_tokens": 7, "output_tokens": 1}))
    begun.feed_session(row)
    assert (begun.trajectory().usage, begun.trajectory().cost_usd) == (Usage(input=7), None)
    assert begun.trajectory().usage_source is Provenance.DERIVED


def test_tokens_of_a_model_without_a_price_count_though_they_cost_nothing() -> None:
    parser = read(INIT)
    row = STATE_WITHOUT_CALLS | {"modelUsage": {"m": {"inputTokens": 7, "outputTokens": 2}}}
    parser.feed_session(json.dumps(row).encode())
    assert (parser.trajectory().usage, parser.trajectory().cost_usd) == (Usage(input=7, output=2), 0)


def test_session_rows_of_calls_that_the_stream_did_not_show_do_not_count() -> None:
    parser = read(INIT, answer("a", text("x"), usage={"input_tokens": 7, "output_tokens": 1}))
    rows = [
        {
            "type": "assistant",
            "message": {"id": "earlier", "usage": {"input_tokens": 500, "output_tokens": 5}},
        },
        {
            "type": "assistant",
            "message": {"id": "a", "model": "m", "usage": {"input_tokens": 7, "output_tokens": 30}},
        },
    ]
    for row in rows:
        parser.feed_session(json.dumps(row).encode())
    assert parser.trajectory().usage == Usage(input=7, output=30)


def test_a_skill_call_is_not_a_slash_prompt() -> None:
    body = {
        "type": "user",
        "isMeta": True,
        "message": {"content": "Base directory for this skill: /s/greet\n\n# x"},
    }
    parser = read(INIT)
    parser.feed_session(json.dumps({"type": "user", "message": {"content": "use greet"}}).encode())
    parser.feed_session(json.dumps(body).encode())
    assert parser.trajectory().skills == ()


@pytest.mark.parametrize(
    ("version", "files"), [("2.1.332", ()), ("2.2.0", ()), ("2.1.331", None), ("x", None)]
)
def test_no_instruction_files_is_known_only_where_they_are_listed(
    version: str, files: tuple[str, ...] | None
) -> None:
    parser = read(INIT)
    parser.feed_session(json.dumps({"type": "user", "version": version}).encode())
    roster = parser.trajectory().roster
    assert roster is not None
    assert roster.instruction_files == files


def test_nested_instruction_files_are_loaded_ones() -> None:
    parser = read(INIT)
    row = {"type": "attachment", "attachment": {"type": "nested_memory", "path": "/workspace/sub/CLAUDE.md"}}
    parser.feed_session(json.dumps(row).encode())
    roster = parser.trajectory().roster
    assert roster is not None
    assert roster.instruction_files == ("/workspace/sub/CLAUDE.md",)
