"""A full agent-exam project, run by the real Claude Code, sandboxed and offline."""

import json
import subprocess
import sys

import pytest
from examples.agent_exam import FULL_OUTCOMES, WRITES, build_full_project
from support.cli_rig import MODEL, run_bakeoff
from support.model_script import Route, Script, Tokens, ToolUse, Turn
from support.repositories import write_files

pytestmark = [pytest.mark.real_cli, pytest.mark.sandbox, pytest.mark.timeout(400)]

TOKENS = Tokens(input=100, output=10)
DENIED = """\
prompt: ROUTE-denied
assertions:
  - tool_called: Bash
    providers: [claude_code]
  - no_permission_errors:
  - file_exists: denied.txt
claude_code: {allowed_tools: ["Bash(ls *)"], permission_mode: default}
"""


def shell(command):
    return ToolUse(name="Bash", input={"command": command, "description": "a scripted command"})


def script():
    done = Turn(text="Done.", tokens=TOKENS)
    writes = (Turn(text="Writing.", tools=(shell(WRITES),), tokens=TOKENS), done)
    denied = (Turn(text="Trying.", tools=(shell("touch denied.txt"),), tokens=TOKENS), done)
    return Script(
        routes=(
            Route(when="ROUTE-notes", turns=writes),
            Route(when="ROUTE-environment", turns=writes),
            Route(when="ROUTE-denied", turns=denied),
            Route(turns=(done,)),
        )
    )


def test_each_task_comes_out_as_its_file_says(tmp_path, home):
    root = build_full_project(tmp_path / "shop")
    # The project lets every edit pass; this task does not.
    write_files(root, {"evals/suites/release/tasks/denied.yaml": DENIED})
    store = tmp_path / "store"

    run = run_bakeoff(
        ["run", "*", "--no-triggers", "--home", str(store), "--yes", "--sandbox", "bubblewrap", "-j", "2"],
        script=script(),
        cwd=root,
        home=home,
        timeout_s=300,
    )

    assert run.exit_code == 1, run.story
    argv = [sys.executable, "-m", "bakeoff", "show", "latest", "--json", "--home", str(store)]
    shown = json.loads(subprocess.run(argv, cwd=root, capture_output=True, check=True).stdout)["experiment"]
    outcomes = {line["task"]: line["outcome"] for line in shown["trials"]}
    assert outcomes == FULL_OUTCOMES | {"release::denied": "fail"}, run.story
    denied = next(line for line in shown["trials"] if line["task"] == "release::denied")
    assert (denied["verdicts"], denied["denials"]) == (
        {"tool_called-Bash": "passed", "no_permission_errors": "failed", "file_exists-denied.txt": "failed"},
        1,
    )
    assert {request.model for request in run.model_requests} == {MODEL}
    assert {line["arm"] for line in shown["trials"]} == {"claude_code"}
    assert run.left_behind == (), run.story
