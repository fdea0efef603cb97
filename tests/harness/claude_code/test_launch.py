"""The command line, the environment and the files of a launch."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.errors import UserError
from bakeoff.harness import registry
from bakeoff.harness.claude_code.options import ClaudeCodeOptions
from bakeoff.harness.protocol import Launch, LaunchRequest, Purpose

HARNESS = registry.get("claude_code")
PROGRAM = Path("/opt/cli/node_modules/@anthropic-ai/claude-code/bin/claude")


def launch(options: dict[str, object] | None = None, **more: object) -> Launch:
    given: dict[str, object] = {
        "prompt": "Fix it.",
        "workspace": "/workspace",
        "home": "/home/agent",
        "tmp": "/tmp/agent",
        "options": ClaudeCodeOptions.model_validate(options or {}),
        "executable": PROGRAM,
        **more,
    }
    return HARNESS.launch(LaunchRequest(**given))  # type: ignore[arg-type]  # built from a mapping


def test_the_plain_launch() -> None:
    told = launch()
    assert told.argv == (
        str(PROGRAM),
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        "--permission-prompts",
        "none",
        "--strict-mcp-config",
    )
    assert told.stdin == b"Fix it."
    assert told.home_files == {}
    assert told.env == {
        "CLAUDE_CONFIG_DIR": "/home/agent/.claude",
        "CLAUDE_CODE_TMPDIR": "/tmp/agent",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_BUG_COMMAND": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
    }
    assert told.session_files
    assert told.pass_env == ()


def test_every_option_reaches_the_command_line() -> None:
    told = launch(
        {
            "max_turns": 30,
            "max_budget_usd": 0.1,
            "permission_mode": "acceptEdits",
            "permission_prompts": "host",
            "setting_sources": ["project", "local"],
            "append_system_prompt": "Be terse.",
            "reasoning_effort": "high",
            "autocompact": 150_000,
            "bare": True,
            "include_hook_events": True,
            "include_partial_messages": True,
            "tools": ["Bash", "Edit"],
            "disallowed_tools": ["WebFetch", "WebSearch"],
            "allowed_tools": ["Bash(python3 *)", "Write"],
            "extra_args": ["--add-dir", "/x"],
        },
        model="claude-sonnet-5",
        resume="abc",
    )
    assert told.argv[5:] == (
        "--model", "claude-sonnet-5",
        "--resume", "abc",
        "--permission-mode", "acceptEdits",
        "--permission-prompts", "host",
        "--strict-mcp-config",
        "--max-turns", "30",
        "--max-budget-usd", "0.1",
        "--setting-sources", "project,local",
        "--append-system-prompt-file", "/home/agent/.claude-launch/append-system-prompt.md",
        "--effort", "high",
        "--autocompact", "150000",
        "--bare",
        "--include-hook-events",
        "--include-partial-messages",
        "--add-dir", "/x",
        "--tools", "Bash,Edit",
        "--disallowedTools", "WebFetch", "WebSearch",
        "--allowedTools", "Bash(python3 *)", "Write",
    )  # fmt: skip
    assert told.home_files == {".claude-launch/append-system-prompt.md": b"Be terse."}


def test_no_tools_at_all_is_told_as_an_empty_list() -> None:
    assert launch({"tools": []}).argv[-2:] == ("--tools", "")


def test_the_flag_that_old_versions_lack_can_be_left_out() -> None:
    assert "--permission-prompts" not in launch({"permission_prompts": None}).argv


def test_small_amounts_are_written_without_an_exponent() -> None:
    argv = launch({"max_budget_usd": 0.00001}).argv
    assert argv[argv.index("--max-budget-usd") + 1] == "0.00001"


def test_a_value_that_looks_like_a_flag_stays_with_its_flag() -> None:
    assert "--model=--help" in launch(model="--help").argv


def test_bypassing_tells_that_it_is_in_a_sandbox() -> None:
    told = launch({"permission_mode": "bypassPermissions", "allow_dangerous_permissions": True})
    assert told.env["IS_SANDBOX"] == "1"
    assert "IS_SANDBOX" not in launch().env


def test_bounds_of_model_calls_are_variables() -> None:
    env = launch({"max_retries": 0, "api_timeout_s": 2.5}).env
    assert (env["CLAUDE_CODE_MAX_RETRIES"], env["API_TIMEOUT_MS"]) == ("0", "2500")


def test_variables_to_hand_on_are_named() -> None:
    assert launch({"env_passthrough": ["GH_TOKEN"]}).pass_env == ("GH_TOKEN",)


def test_an_npm_installation_is_visible_with_the_packages_beside_it() -> None:
    assert launch().visible == (Path("/opt/cli/node_modules/@anthropic-ai"),)
    alone = Path("/home/me/.local/share/claude/versions/2.1.332")
    assert launch(executable=alone).visible == (alone,)
    assert launch(executable=None).argv[0] == "claude"


@pytest.mark.parametrize("purpose", [Purpose.JUDGE, Purpose.OPTIMISER])
def test_other_purposes_are_refused(purpose: Purpose) -> None:
    with pytest.raises(UserError, match="not supported yet"):
        launch(purpose=purpose)
