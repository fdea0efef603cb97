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


def used(trial, *turns):
    """Tokens and cost are those of these answers, to the digit."""
    tokens, cost_usd = situations.figures(*turns)
    assert {kind: trial["usage"][kind] for kind in tokens} == tokens
    assert trial["usage"]["cost_usd"] == pytest.approx(cost_usd, abs=1e-12)


def test_a_right_solution_passes_and_its_cost_is_that_of_the_script(ran):
    trial = ran.trial("fixed")
    assert facts(trial, "outcome", "ending", "exit_code") == ("pass", "completed", 0), trial["why"]
    used(trial, *situations.FIX)
    assert facts(trial["usage"], "input", "output", "cache_read", "cache_write", "source") == (
        22,
        130,
        40_300,
        20_300,
        "reported",
    )
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
    used(trial, *situations.SITUATIONS["denied"])
    assert trial["changes"] == []


def test_a_rate_limit_that_passes_is_a_retry_and_no_failure(ran):
    trial = ran.trial("limited")
    assert facts(trial, "outcome", "ending", "retries") == ("pass", "completed", 1)
    assert [retry["status"] for retry in trial["retried"]] == [429]
    used(trial, *situations.FIX)


def test_a_request_that_the_conversation_made_invalid_counts_against_the_agent(ran):
    trial = ran.trial("invalid")
    assert facts(trial, "outcome", "void_reason", "ending") == ("fail", None, "crashed"), trial["why"]
    used(trial, situations.FIX[0])


@pytest.mark.parametrize(
    ("task", "reason"), [("overloaded", "api_error"), ("unauthorised", "authentication")]
)
def test_an_api_that_does_not_answer_makes_the_trial_void(ran, task, reason):
    trial = ran.trial(task)
    assert facts(trial, "outcome", "void_reason", "ending") == ("void", reason, "crashed"), trial["why"]
    assert trial["score"] is None
    used(trial)


def test_an_agent_that_falls_silent_is_ended_at_its_limit_and_judged_all_the_same(ran):
    trial = ran.trial("silent")
    assert facts(trial, "outcome", "ending") == ("fail", "timeout"), trial["why"]
    assert situations.SILENCE_S <= trial["agent_s"] < situations.SILENCE_S + 8
    # It had answered once, and the second question was never answered.
    asked = [
        request.place.partition(".")[2] for request in situations.requests_of(ran.run.requests, "silent")
    ]
    assert asked == ["0", "1"]
    used(trial, situations.FIX[0])


def test_a_skill_is_seen(ran):
    trial = ran.trial("skilled")
    assert facts(trial, "outcome", "ending", "skills") == ("pass", "completed", ["sums"]), trial["why"]
    used(trial, *situations.SITUATIONS["skilled"])
    assert "sums" in trial["roster"]["skills"]


def test_the_work_of_a_subagent_is_part_of_the_trial(ran):
    trial = ran.trial("delegated")
    assert facts(trial, "outcome", "ending") == ("pass", "completed"), trial["why"]
    assert facts(trial["usage"], "input", "output") == (1500, 350)
    assert situations.tokens_given(ran.run.requests, trial["session_id"]) == (1500, 350)
    assert trial["usage"]["cost_usd"] == pytest.approx((1500 * 3 + 350 * 15) / 1e6, abs=1e-12)
    # The last answer of a subagent comes only as the result of the tool that started it.
    assert facts(trial, "turns", "model_calls") == (2, 4)
    assert trial["tools"]["Edit"] == 1


def test_a_subagent_in_the_background_is_waited_for_and_counted(ran):
    trial = ran.trial("background")
    assert facts(trial, "outcome", "ending") == ("pass", "completed"), trial["why"]
    given = situations.tokens_given(ran.run.requests, trial["session_id"])
    assert given >= (1500, 350)
    assert facts(trial["usage"], "input", "output") == given
    assert trial["usage"]["cost_usd"] == pytest.approx((given[0] * 3 + given[1] * 15) / 1e6, abs=1e-12)


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
