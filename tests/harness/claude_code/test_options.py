"""Options are typed, and what cannot be honoured is refused."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from bakeoff.harness.claude_code.options import ClaudeCodeOptions


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_turns": 0}, "greater than or equal to 1"),
        ({"max_turns": "30"}, "integer"),
        ({"max_turns": True}, "integer"),
        ({"max_budget_usd": 0}, "greater than 0"),
        ({"max_budget_usd": float("inf")}, "finite"),
        ({"permission_mode": "acceptedits"}, "did you mean 'acceptEdits'"),
        ({"permission_mode": "bypassPermissions"}, "allow_dangerous_permissions: true"),
        ({"extra_args": ["--dangerously-skip-permissions"]}, "allow_dangerous_permissions: true"),
        ({"permission_prompts": "nobody"}, "none, host"),
        ({"allowed_tools": "Bash"}, "tuple"),
        ({"allowed_tools": [""]}, "pattern"),
        ({"disallowed_tools": ["--model"]}, "pattern"),
        ({"setting_sources": ["projects"]}, "did you mean 'project'"),
        ({"setting_sources": "project,global"}, "user, project, local"),
        ({"effort": "hi"}, "low, medium, high"),
        ({"effort": "high", "reasoning_effort": "low"}, "are the same option and differ"),
        ({"autocompact": 5000}, "100000"),
        ({"autocompact": "never"}, "neither auto nor a number of tokens"),
        ({"autocompact": True}, "neither auto nor a number of tokens"),
        ({"extra_args": ["fix it"]}, "taken for the prompt"),
        ({"extra_args": ["--output-format", "text"]}, "'--output-format' is set by Bakeoff"),
        ({"extra_args": ["--add-dir", "x", "--model=y"]}, "'--model' is set by Bakeoff"),
        ({"extra_args": ["--debug", "--"]}, "'--' is set by Bakeoff"),
        ({"env_passthrough": ["A=b"]}, "give names only"),
        ({"executable": ""}, "at least 1"),
        ({"action_policy": {"deny": []}}, "not supported yet"),
        ({"improve_session": "resume"}, "not supported yet"),
        ({"improve_rounds": 2}, "not supported yet"),
        ({"improve_eval_budget": 2}, "not supported yet"),
        ({"max_turn": 3}, "Extra inputs"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        ClaudeCodeOptions.model_validate(options)


def test_nothing_is_implied() -> None:
    options = ClaudeCodeOptions()
    given = options.model_dump(exclude={"permission_prompts", "flag_check"})
    assert not any(given.values())


def test_both_spellings_of_effort_may_agree() -> None:
    assert ClaudeCodeOptions(effort="high", reasoning_effort="high").effort == "high"


def test_setting_sources_may_be_a_list_or_a_text() -> None:
    for written in (["project", "local"], "project, local"):
        options = ClaudeCodeOptions.model_validate({"setting_sources": written})
        assert options.setting_sources == ("project", "local")


def test_bypass_is_known_by_mode_and_by_flag() -> None:
    dangerous = {"allow_dangerous_permissions": True}
    by_mode = ClaudeCodeOptions.model_validate({"permission_mode": "bypassPermissions", **dangerous})
    by_flag = ClaudeCodeOptions.model_validate(
        {"extra_args": ["--dangerously-skip-permissions"], **dangerous}
    )
    assert by_mode.bypasses
    assert by_flag.bypasses
    assert not ClaudeCodeOptions.model_validate(dangerous).bypasses
