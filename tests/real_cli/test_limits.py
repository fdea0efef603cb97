"""Limits and the supervisor without a sandbox, with the real Claude Code."""

import json
import subprocess
import sys

import pytest
from real_cli import situations
from support.cli_rig import MODEL, run_bakeoff
from support.model_script import one_route
from support.repositories import make_repository

pytestmark = [pytest.mark.real_cli, pytest.mark.timeout(300)]


def trial_of(task, cwd):
    argv = [sys.executable, "-m", "bakeoff", "show", f"latest::{task}", "--json"]
    trial = json.loads(subprocess.run(argv, cwd=cwd, capture_output=True, check=True).stdout)["trial"]
    return trial["line"] | trial


def run_situations(root, home, *arguments):
    suite = situations.build(root)
    run = run_bakeoff(
        ["run", str(suite), "--yes", *arguments],
        script=situations.script(),
        cwd=root,
        home=home,
    )
    assert run.left_behind == (), run.story
    return run


def test_without_a_sandbox_the_same_is_recorded_and_what_was_missing(tmp_path, home):
    tasks = "fixed,silent,leaving"
    run = run_situations(tmp_path, home, "--arm", "claude", "--tasks", tasks, "--sandbox", "process")
    assert run.exit_code in {0, 1}, run.story

    fixed = trial_of("fixed", tmp_path)
    assert (fixed["outcome"], fixed["ending"]) == ("pass", "completed"), run.story
    assert fixed["usage"]["cost_usd"] == pytest.approx(situations.used(situations.FIX).cost_usd, abs=1e-12)
    assert fixed["sandbox"] == "process"
    assert "filesystem_hidden" in fixed["protections_missing"]

    silent = trial_of("silent", tmp_path)
    assert (silent["outcome"], silent["ending"]) == ("fail", "timeout"), silent["why"]
    assert situations.statuses(run.requests, silent["session_id"]) == [200, 0], run.story
    assert silent["usage"]["cost_usd"] == pytest.approx(
        situations.used(situations.ANSWERED["silent"]).cost_usd, abs=1e-12
    )

    leaving = trial_of("leaving", tmp_path)
    assert (leaving["outcome"], leaving["ending"]) == ("fail", "completed"), leaving["why"]
    assert leaving["changes"] == []


def test_a_limit_of_turns_is_an_ending_and_the_work_is_judged(tmp_path, home):
    run = run_situations(tmp_path, home, "--arm", "short", "--tasks", "fixed", "--model", MODEL)
    trial = trial_of("fixed", tmp_path)
    # Two turns are enough to read and edit, and one too few to say so.
    assert (trial["outcome"], trial["ending"]) == ("pass", "turn_limit"), run.story
    assert trial["model_calls"] == 2


def test_an_ablate_task_that_runs_out_of_time_is_a_timeout_whatever_was_solved(tmp_path, home):
    project = make_repository(tmp_path / "project", situations.PROJECT)
    tasks = project / ".ablate" / "tasks"
    tasks.mkdir(parents=True)
    (tasks / "slow.yaml").write_text(
        """
id: slow
timeout_s: 30
prompt: Fix add() in app.py.
assert:
  - {id: right, type: exit_code, run: "python3 -c 'import app; assert app.add(2, 3) == 5'"}
"""
    )
    turns = (*situations.FIX[:2], situations.SITUATIONS["silent"][1])
    run = run_bakeoff(
        ["run", ".", "--yes", "--model", MODEL],
        script=one_route(turns),
        cwd=project,
        home=home,
    )
    trial = trial_of("slow", project)
    assert (trial["outcome"], trial["ending"]) == ("timeout", "timeout"), run.story
    assert situations.statuses(run.requests, trial["session_id"]) == [200, 200, 0], run.story
    assert {verdict["check"]: verdict["status"] for verdict in trial["verdicts"]} == {"right": "passed"}
