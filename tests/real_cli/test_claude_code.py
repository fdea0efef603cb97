"""The pinned Claude Code program works offline against the scripted model server."""

import json
import subprocess

import pytest
from support.cli_rig import MODEL, run_claude
from support.model_script import Failure, Tokens, ToolUse, Turn, one_route

pytestmark = pytest.mark.real_cli


@pytest.fixture
def work(tmp_path):
    """A repository with a fault in it."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "app.py").write_text("def add(a, b):\n    return a - b\n")
    subprocess.run("git init -q && git add -A && git commit -qm start", shell=True, cwd=folder, check=True)
    return folder


def lines_of(run):
    return [json.loads(line) for line in run.stdout.splitlines()]


def result_of(run):
    return next(line for line in lines_of(run) if line["type"] == "result")


def test_it_fixes_a_file_with_tools_from_the_script_and_prices_its_tokens(claude, work, tmp_path):
    script = one_route(
        [
            Turn(
                text="I will read it.",
                tools=(ToolUse(name="Read", input={"file_path": "{{cwd}}/app.py"}),),
                tokens=Tokens(input=10, output=50, cache_write=20_000),
            ),
            Turn(
                text="Editing.",
                tools=(
                    ToolUse(
                        name="Edit",
                        input={"file_path": "{{cwd}}/app.py", "old_string": "a - b", "new_string": "a + b"},
                    ),
                ),
                tokens=Tokens(input=5, output=60, cache_read=20_000, cache_write=300),
            ),
            Turn(text="Fixed add().", tokens=Tokens(input=7, output=20, cache_read=20_300)),
        ],
        when="Fix add()",
    )

    run = run_claude(claude, "Fix add() in app.py.", script=script, work=work, home=tmp_path / "home")

    assert run.exit_code == 0, run.story
    assert (work / "app.py").read_text() == "def add(a, b):\n    return a + b\n"
    assert [request.place for request in run.model_requests] == ["0.0", "0.1", "0.2"], run.story
    assert {request.model for request in run.model_requests} == {MODEL}
    assert len({request.session for request in run.model_requests} - {""}) == 1
    assert {"Read", "Edit", "Bash"} <= set(run.model_requests[0].tools)
    assert run.model_requests[0].headers["x-api-key"] == "(not kept)"
    result = result_of(run)
    assert result["result"] == "Fixed add()."
    # 22 in, 130 out, 40,300 read from and 20,300 written to the cache, at the list prices.
    assert result["total_cost_usd"] == pytest.approx(
        (22 * 3 + 130 * 15 + 40_300 * 0.30 + 20_300 * 3.75) / 1e6
    )
    assert run.left_behind == ()


def test_it_tries_again_after_failures_that_end(claude, work, tmp_path):
    script = one_route([Turn(text="At last.", failure=Failure(status=429, times=1, retry_after_s=0))])

    run = run_claude(claude, "Say something.", script=script, work=work, home=tmp_path / "home")

    assert run.exit_code == 0, run.story
    assert [request.status for request in run.model_requests] == [429, 200]
    assert [line["error_status"] for line in lines_of(run) if line.get("subtype") == "api_retry"] == [429]
    assert result_of(run)["result"] == "At last."


def test_it_is_ended_when_the_model_falls_silent(claude, work, tmp_path):
    script = one_route([Turn(text="never said", hang_s=600)])

    run = run_claude(claude, "Say something.", script=script, work=work, home=tmp_path / "home", timeout_s=8)

    assert run.timed_out, run.story
    assert run.exit_code != 0
    assert run.wall_s < 20
    assert [request.status for request in run.model_requests] == [0]
    assert not any(line["type"] == "result" for line in lines_of(run))


def test_no_other_network_is_there(claude, work, tmp_path):
    look = "python3 -c 'import socket; print([name for _, name in socket.if_nameindex()])'"
    script = one_route(
        [Turn(tools=(ToolUse(name="Bash", input={"command": look}),)), Turn(text="{{tool_result}}")]
    )

    run = run_claude(claude, "Which interfaces are there?", script=script, work=work, home=tmp_path / "home")

    assert result_of(run)["result"].startswith("['lo']"), run.story


def test_a_child_that_it_leaves_behind_is_seen_and_ended(claude, work, tmp_path):
    leave = "setsid nohup python3 -c 'import time; time.sleep(300)' >/dev/null 2>&1 & echo started"
    script = one_route(
        [Turn(tools=(ToolUse(name="Bash", input={"command": leave}),)), Turn(text="Left one behind.")]
    )

    run = run_claude(claude, "Start something.", script=script, work=work, home=tmp_path / "home")

    assert run.exit_code == 0, run.story
    assert ["sleep(300)" in command for command in run.left_behind] == [True]
