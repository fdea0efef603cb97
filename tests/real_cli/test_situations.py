"""The real Claude Code under Bakeoff, sandboxed and offline: each situation is recorded for what it was."""

import json
import subprocess
import sys

import pytest
from real_cli import situations
from support.cli_rig import DUMMY_KEY, MODEL, run_bakeoff

pytestmark = [pytest.mark.real_cli, pytest.mark.sandbox, pytest.mark.timeout(400)]


class Ran:
    """One experiment over all situations, and what is recorded about each."""

    def __init__(self, root, run):
        self.root = root
        self.run = run

    def bakeoff(self, *arguments):
        """What a command prints that reads the store."""
        argv = [sys.executable, "-m", "bakeoff", *arguments]
        return subprocess.run(argv, cwd=self.root, capture_output=True, text=True, check=True).stdout

    def trial(self, task):
        """The record of the one trial of a task."""
        trial = json.loads(self.bakeoff("show", f"latest::{task}", "--json"))["trial"]
        return trial["line"] | trial


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """All situations in one experiment, two trials at a time."""
    root = tmp_path_factory.mktemp("situations")
    suite = situations.build(root)
    home = tmp_path_factory.mktemp("user")
    arguments = ["run", str(suite), "--arm", "claude", "--yes", "--sandbox", "bubblewrap", "-j", "2"]
    run = run_bakeoff(
        arguments,
        script=situations.script(),
        cwd=root,
        home=home,
        env={"CLAUDE_CODE_MAX_RETRIES": "1"},
        timeout_s=300,
    )
    assert run.exit_code in {0, 1}, run.story
    assert run.left_behind == (), run.story
    return Ran(root, run)


def facts(trial, *names):
    return tuple(trial[name] for name in names)


ENDS = {
    "fixed": ("pass", None, "completed"),
    "denied": ("fail", None, "completed"),
    "limited": ("pass", None, "completed"),
    "invalid": ("fail", None, "crashed"),
    "overloaded": ("void", "api_error", "crashed"),
    "unauthorised": ("void", "authentication", "crashed"),
    "silent": ("fail", None, "timeout"),
    "silent-at-once": ("fail", None, "timeout"),
    "skilled": ("pass", None, "completed"),
    "delegated": ("pass", None, "completed"),
    "background": ("pass", None, "completed"),
    "leaving": ("fail", None, "completed"),
    "telling": ("fail", None, "completed"),
}
"""Outcome, reason of a void one, ending."""

UNKNOWN = {"silent-at-once"}
"""Ended in the first model call: what it used, nobody told."""


def test_each_turn_of_the_script_has_tokens_of_its_own():
    turns = [*situations.SUBAGENT, *(turn for turns in situations.SITUATIONS.values() for turn in turns)]
    for kind in ("input", "output", "cache_read", "cache_write"):
        numbers = [getattr(turn.tokens, kind) for turn in turns]
        assert all(numbers)
        assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("task", situations.SITUATIONS)
def test_outcome_ending_tokens_and_cost_are_those_of_the_script(ran, task):
    trial = ran.trial(task)
    assert facts(trial, "outcome", "void_reason", "ending") == ENDS[task], trial["why"]

    given = situations.turns_given(ran.run.requests, trial["session_id"])
    told = situations.used(given)
    wanted = situations.used(situations.ANSWERED[task])
    if task == "background":
        # Its main thread may be asked once more, when the subagent has ended; it says the same again.
        more = situations.used([*situations.ANSWERED[task], situations.SITUATIONS[task][-1]])
        assert told in {wanted, more}
    else:
        assert told == wanted, ran.run.story

    usage = trial["usage"]
    tokens = facts(usage, "input", "output", "cache_read", "cache_write")
    if task in UNKNOWN:
        assert tokens == (None, None, None, None)
        assert facts(usage, "source", "cost_usd", "cost_source") == ("unknown", None, "unknown")
        return
    assert tokens == (told.input, told.output, told.cache_read, told.cache_write)
    assert facts(usage, "source", "cost_source") == ("reported", "reported")
    assert usage["cost_usd"] == pytest.approx(told.cost_usd, abs=1e-12)
    assert trial["line"]["cost_usd"] == usage["cost_usd"]


def test_a_right_solution_passes_and_everything_about_it_is_recorded(ran):
    trial = ran.trial("fixed")
    assert facts(trial, "outcome", "ending", "exit_code") == ("pass", "completed", 0), trial["why"]
    assert facts(trial, "turns", "model_calls", "tools", "retries", "denials") == (
        3,
        3,
        {"Read": 1, "Edit": 1},
        0,
        0,
    )
    assert facts(trial, "models_answered", "final_text") == ([MODEL], "Fixed.")
    assert trial["harness_version"] == "2.1.332"
    assert [change["path"] for change in trial["changes"]] == ["app.py"]
    assert facts(trial, "sandbox", "protections_missing") == ("bubblewrap", [])


def test_a_refused_tool_is_counted_and_the_task_is_not_solved(ran):
    trial = ran.trial("denied")
    assert facts(trial, "outcome", "ending", "denials") == ("fail", "completed", 1)
    assert [denied["tool"] for denied in trial["denied"]] == ["Bash"]
    assert trial["changes"] == []


def test_a_rate_limit_that_passes_is_a_retry_and_no_failure(ran):
    trial = ran.trial("limited")
    assert facts(trial, "outcome", "ending", "retries") == ("pass", "completed", 1)
    assert [retry["status"] for retry in trial["retried"]] == [429]


def test_a_request_that_the_conversation_made_invalid_counts_against_the_agent(ran):
    trial = ran.trial("invalid")
    assert facts(trial, "outcome", "void_reason", "ending") == ("fail", None, "crashed"), trial["why"]


@pytest.mark.parametrize(("task", "status"), [("overloaded", 529), ("unauthorised", 401)])
def test_an_api_that_does_not_answer_makes_the_trial_void(ran, task, status):
    trial = ran.trial(task)
    assert facts(trial, "outcome", "score", "model_calls") == ("void", None, 0), trial["why"]
    assert set(situations.statuses(ran.run.requests, trial["session_id"])) == {status}


@pytest.mark.parametrize(("task", "statuses"), [("silent", [200, 0]), ("silent-at-once", [0])])
def test_an_agent_that_falls_silent_is_ended_at_its_limit_and_judged_all_the_same(ran, task, statuses):
    trial = ran.trial(task)
    # The last model call was left hanging until the agent was ended, and no other was made.
    assert situations.statuses(ran.run.requests, trial["session_id"]) == statuses, ran.run.story
    assert facts(trial, "outcome", "ending", "model_calls") == ("fail", "timeout", statuses.count(200))
    assert trial["agent_s"] >= situations.SILENCE_S


def test_a_skill_is_seen(ran):
    trial = ran.trial("skilled")
    assert facts(trial, "outcome", "skills") == ("pass", ["sums"]), trial["why"]
    assert "sums" in trial["roster"]["skills"]


def test_the_work_of_a_subagent_is_part_of_the_trial(ran):
    trial = ran.trial("delegated")
    assert facts(trial, "outcome", "ending") == ("pass", "completed"), trial["why"]
    # The last answer of a subagent comes only as the result of the tool that started it.
    assert facts(trial, "turns", "model_calls") == (2, 4)
    assert trial["tools"]["Edit"] == 1


def test_a_subagent_in_the_background_is_waited_for_and_counted(ran):
    trial = ran.trial("background")
    assert facts(trial, "outcome", "ending") == ("pass", "completed"), trial["why"]
    given = situations.turns_given(ran.run.requests, trial["session_id"])
    assert [turn for turn in given if turn in situations.SUBAGENT] == list(situations.SUBAGENT)
    assert trial["tools"]["Edit"] == 1


def test_what_an_agent_leaves_running_cannot_change_the_verdict(ran):
    trial = ran.trial("leaving")
    assert facts(trial, "outcome", "ending") == ("fail", "completed"), trial["why"]
    assert trial["changes"] == []
    assert "left_behind" in [finding["kind"] for finding in trial["findings"]]


def test_the_key_is_nowhere_in_what_was_kept(ran):
    trial = ran.trial("telling")
    assert "ANTHROPIC_API_KEY=" in trial["final_text"]
    holding = [
        path for path in ran.root.rglob("*") if path.is_file() and DUMMY_KEY.encode() in path.read_bytes()
    ]
    assert holding == []
    assert DUMMY_KEY not in ran.run.stdout.decode() + ran.run.stderr.decode()
