"""Harnesses are found by name; anything else is refused with the way out."""

from __future__ import annotations

import pytest

from bakeoff.errors import UserError
from bakeoff.harness import registry


def test_registered_harnesses_are_found() -> None:
    for name, harness in registry.HARNESSES.items():
        assert registry.get(name) is harness
        assert harness.name == name


@pytest.mark.parametrize("name", ["codex_cli", "copilot_cli", "opencode"])
def test_known_ones_that_cannot_be_run_yet_are_told_apart(name: str) -> None:
    with pytest.raises(UserError, match="not supported yet") as caught:
        registry.get(name)
    assert "claude_code" in caught.value.problems[0].hint


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("claude", "did you mean 'claude_code'?"),
        ("codex", "did you mean 'codex_cli'?"),
        ("claude_cod", "did you mean 'claude_code'?"),
        ("Fake", "did you mean 'fake'?"),
        ("zzz", "harnesses that can be run: claude_code, fake, generic"),
    ],
)
def test_unknown_names_get_a_suggestion(name: str, hint: str) -> None:
    with pytest.raises(UserError, match="there is no harness") as caught:
        registry.get(name)
    assert caught.value.problems[0].hint == hint
