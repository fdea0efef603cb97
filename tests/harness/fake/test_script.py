"""A script is played step by step, and what is told is what happened."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError
from support.scripted import play

from bakeoff.errors import UserError
from bakeoff.harness import registry
from bakeoff.harness.fake.options import FakeOptions
from bakeoff.harness.protocol import LaunchRequest, Purpose
from bakeoff.model.suite import Reference
from bakeoff.model.trajectory import (
    ApiError,
    Denial,
    Finish,
    Message,
    Provenance,
    Retry,
    Subagent,
    ToolCall,
    Usage,
)
from bakeoff.model.trial import Ending, VoidReason


def test_told_steps_become_the_trajectory(tmp_path: Path) -> None:
    script = [
        {"reasoning": "hm"},
        {"text": "Hello."},
        {"tool": "Grep", "input": {"pattern": "x"}, "result": "a\nb"},
        {
            "tool": "Bash",
            "id": "b1",
            "input": {"command": "false"},
            "result": "",
            "error": True,
            "exit_code": 1,
        },
        {"tool": "Read", "result": None},
        {"denied": "WebFetch", "reason": "rule", "input": {"url": "http://x"}},
        {"skill": "greet"},
        {"skill": "nope", "error": True},
        {"subagent": {"id": "sub1", "kind": "explore", "description": "look", "tokens": 12, "tool_calls": 1}},
        {"text": "from below", "thread": "sub1"},
        {"usage": {"input": 10, "cache_read": 1, "cache_write": 2, "output": 5}},
        {"usage": {"input": 3, "output": 1}, "thread": "sub1", "model": "small"},
        {"cost_usd": 0.1},
        {"cost_usd": 0.2},
        {"retry": {"attempt": 1, "status": 429, "kind": "rate_limit", "delay_s": 0.5}},
        {"text": "Done."},
    ]
    result = play(tmp_path, {"script": script}, model="big")
    told = result.trajectory
    assert told.steps[:4] == (
        Message(text="hm", kind="reasoning"),
        Message(text="Hello."),
        ToolCall(id="call-1", name="Grep", input={"pattern": "x"}, result="a\nb", is_error=False),
        ToolCall(id="b1", name="Bash", input={"command": "false"}, result="", is_error=True, exit_code=1),
    )
    assert told.tool_calls[2].result is None
    assert told.denials == (Denial(tool="WebFetch", reason="rule", call_id=told.tool_calls[3].id),)
    assert told.tool_calls[3].denied
    assert told.skills == ("greet",)
    assert told.subagents == (
        Subagent(id="sub1", kind="explore", description="look", status="completed", tokens=12, tool_calls=1),
    )
    assert Message(text="from below", thread="sub1") in told.steps
    assert told.usage == Usage(input=13, cache_read=1, cache_write=2, output=6)
    assert set(told.usage_by_model) == {"big", "small"}
    assert (told.turns, told.model_calls) == (1, 2)
    assert (told.cost_usd, told.cost_source) == (0.3, Provenance.REPORTED)
    assert told.retries == (Retry(attempt=1, status=429, kind="rate_limit", delay_s=0.5),)
    assert (told.final_text, told.finish) == ("Done.", Finish.COMPLETED)
    assert told.unknown_events == {}
    assert result.finished
    assert result.conclusion.ending is Ending.COMPLETED


def test_real_steps_change_the_workspace(tmp_path: Path) -> None:
    script = [
        {"write": "a/b.txt", "content": "one\n"},
        {"append": "a/b.txt", "content": "two\n"},
        {"write": "gone.txt", "content": "x"},
        {"delete": "gone.txt"},
        {"delete": "never-there"},
        {"run": "cat a/b.txt; echo to-stderr >&2; exit 4"},
        {"run": "pwd; printenv MARK; printenv HOME"},
    ]
    result = play(tmp_path, {"script": script}, environment={"MARK": "seen"})
    assert (result.workspace / "a/b.txt").read_text() == "one\ntwo\n"
    assert not (result.workspace / "gone.txt").exists()
    calls = result.trajectory.tool_calls
    assert [call.name for call in calls] == ["Write", "Edit", "Write", "Delete", "Delete", "Bash", "Bash"]
    assert [call.is_error for call in calls] == [False, False, False, False, True, True, False]
    assert calls[5].result == "one\ntwo\nto-stderr\n"
    assert calls[5].exit_code == 4
    assert calls[6].result == f"{result.workspace}\nseen\n{result.home}\n"
    assert calls[5].input == {"command": "cat a/b.txt; echo to-stderr >&2; exit 4"}


def test_a_command_that_leaves_a_child_holding_the_output_does_not_hold_the_agent(tmp_path: Path) -> None:
    script = [{"run": "sleep 30 & echo $! > pid; echo started"}, {"run": "kill $(cat pid)"}]
    result = play(tmp_path, {"script": script}, timeout_s=15)
    assert not result.timed_out
    assert result.trajectory.tool_calls[0].result == "started\n"


def test_a_command_with_a_time_limit_is_told_as_ended(tmp_path: Path) -> None:
    call = play(tmp_path, {"script": [{"run": "exec sleep 30", "timeout_s": 0.3}]}).trajectory.tool_calls[0]
    assert (call.is_error, call.exit_code) == (True, None)


def test_a_signal_is_told_as_a_shell_tells_it(tmp_path: Path) -> None:
    call = play(tmp_path, {"script": [{"run": "kill -9 $$"}]}).trajectory.tool_calls[0]
    assert call.exit_code == 137


def test_overlay_steps_use_the_tasks_reference(tmp_path: Path) -> None:
    (tmp_path / "solution").mkdir()
    (tmp_path / "solution/x").write_text("solved")
    reference = Reference(overlay=tmp_path / "solution")
    script = [{"overlay": "solution"}, {"append": "x", "content": " and more"}]
    result = play(tmp_path / "trial", {"script": script}, reference=reference)
    assert (result.workspace / "x").read_text() == "solved and more"
    with pytest.raises(UserError, match="no reference partial"):
        play(tmp_path / "trial", {"script": [{"overlay": "partial"}]}, reference=reference)


def test_exit_ends_without_a_last_word(tmp_path: Path) -> None:
    result = play(tmp_path, {"script": [{"text": "Oops."}, {"exit": 3, "stderr": "why"}, {"text": "never"}]})
    assert result.exit_code == 3
    assert result.stderr == b"why\n"
    assert result.trajectory.finish is None
    assert result.trajectory.final_text == "Oops."
    assert result.conclusion.ending is Ending.CRASHED


def test_finish_can_be_said_before_hanging(tmp_path: Path) -> None:
    script = [{"text": "Done."}, {"finish": "completed"}, {"hang": True}]
    result = play(tmp_path, {"script": script}, timeout_s=4.0)
    assert result.timed_out
    assert result.finished
    assert result.conclusion.ending is Ending.COMPLETED


def test_work_in_the_background_is_not_finished(tmp_path: Path) -> None:
    script = [{"background": 1}, {"finish": "completed"}, {"hang": True}]
    result = play(tmp_path, {"script": script}, timeout_s=4.0)
    assert not result.finished
    assert result.trajectory.background_left == 1
    assert result.conclusion.ending is Ending.TIMEOUT


@pytest.mark.parametrize(
    ("finish", "ending"),
    [("completed", Ending.COMPLETED), ("turn_limit", Ending.TURN_LIMIT), ("aborted", Ending.CRASHED)],
)
def test_each_finish_is_told(tmp_path: Path, finish: str, ending: Ending) -> None:
    result = play(tmp_path, {"script": [{"finish": finish, "reason": "because"}]})
    assert result.trajectory.finish_reason == "because"
    assert result.conclusion.ending is ending


@pytest.mark.parametrize(
    ("status", "kind", "void"),
    [
        (529, "overloaded", VoidReason.API_ERROR),
        (429, "rate_limit", VoidReason.RATE_LIMIT),
        (401, "authentication_failed", VoidReason.AUTHENTICATION),
        (400, "invalid_request_error", None),
        (None, "connection", VoidReason.API_ERROR),
    ],
)
def test_api_errors_end_it(tmp_path: Path, status: int | None, kind: str, void: VoidReason | None) -> None:
    script = [{"text": "x"}, {"api_error": {"status": status, "kind": kind, "message": "m"}}, {"write": "no"}]
    result = play(tmp_path, {"script": script})
    assert result.exit_code == 1
    assert not (result.workspace / "no").exists()
    assert result.trajectory.api_error == ApiError(status=status, kind=kind, message="m")
    assert (result.conclusion.ending, result.conclusion.void) == (Ending.CRASHED, void)


def test_endless_retries_without_an_answer_are_void_at_the_clock(tmp_path: Path) -> None:
    script = [{"retry": {"status": 529, "kind": "overloaded"}}, {"hang": True}]
    conclusion = play(tmp_path, {"script": script}, timeout_s=4.0).conclusion
    assert (conclusion.ending, conclusion.void) == (Ending.TIMEOUT, VoidReason.API_ERROR)


def test_raw_lines_are_counted_and_survived(tmp_path: Path) -> None:
    script = [
        {"raw": "no json"},
        {"raw": '{"type": "new", "x": 1}'},
        {"raw": '{"type": "result", "id": "nowhere"}'},
        {"raw": '{"type": "message", "text": "\\ud800\\u0000"}'},
    ]
    told = play(tmp_path, {"script": script}).trajectory
    assert told.malformed_lines == 1
    assert told.unknown_events == {"new": 1, "result without call": 1}
    assert told.final_text == "\ud800\0"


def test_the_agent_removes_its_plan_before_it_plays(tmp_path: Path) -> None:
    result = play(tmp_path, {"script": [{"run": "find $HOME -type f; echo end"}]})
    assert result.trajectory.tool_calls[0].result == "end\n"


def test_it_tells_what_an_agent_would_have_loaded(tmp_path: Path) -> None:
    skill = tmp_path / "workspace/.claude/skills/greet"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: greet\n---\n")
    (tmp_path / "workspace/CLAUDE.md").write_text("# Rules\n")
    roster = play(tmp_path, {"script": []}).trajectory.roster
    assert roster is not None
    assert (roster.instruction_files, roster.skills) == (("CLAUDE.md",), ("greet",))


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"txt": "x"}, "did you mean 'text'"),
        ({"text": "x", "thred": "s"}, "did you mean 'thread'"),
        ({"text": 5}, "text: Input should be a valid string"),
        ({"text": "x", "run": "y"}, "does one thing"),
        ({"finish": "complete"}, "did you mean 'completed'"),
        ({"exit": 300}, "less than or equal to 255"),
        ({"hang": False}, "hang"),
        ({"usage": {"inputs": 1}}, "usage.inputs"),
        ({"usage": {"input": -1}}, "usage.input"),
        ({"sleep_s": "1"}, "sleep_s"),
        ({"cost_usd": float("nan")}, "cost_usd"),
        ({"overlay": "solutoin"}, "did you mean 'solution'"),
        ({"append": "x"}, "content"),
        ("text", "a step is a mapping"),
        ({}, "a step is a mapping"),
    ],
)
def test_wrong_steps_are_refused(step: object, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        FakeOptions.model_validate({"script": [{"text": "fine"}, step]})


def test_the_number_of_a_wrong_step_is_told() -> None:
    with pytest.raises(ValidationError) as caught:
        FakeOptions.model_validate({"script": [{"text": "fine"}, {"txt": "x"}]})
    assert caught.value.errors()[0]["loc"] == ("script", 1)


def test_a_script_and_a_behaviour_exclude_each_other() -> None:
    with pytest.raises(ValidationError, match="command mean nothing beside a script"):
        FakeOptions.model_validate({"script": [], "command": "ls"})
    assert FakeOptions.model_validate({"script": [], "delay_ms": 5}).delay_ms == 5


@pytest.mark.parametrize("change", [{"purpose": Purpose.JUDGE}, {"resume": "session"}])
def test_what_it_cannot_play_is_refused(change: dict[str, object]) -> None:
    given = {"prompt": "p", "workspace": "/w", "home": "/h", "tmp": "/t", "options": FakeOptions(), **change}
    with pytest.raises(UserError, match="not supported yet"):
        registry.get("fake").launch(LaunchRequest(**given))  # type: ignore[arg-type]  # built from a mapping
