"""The program is found on the PATH that is given, asked its version, and its flags are checked."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bakeoff.harness import registry
from bakeoff.harness.claude_code.options import ClaudeCodeOptions
from bakeoff.harness.protocol import Probe

HELP = "--model --output-format --verbose --permission-prompts --strict-mcp-config --effort"


def ask(command: tuple[str, ...]) -> str | None:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]}
    )
    return done.stdout if done.returncode == 0 else None


def program(
    folder: Path, name: str = "claude", *, version: str = "2.1.332 (Claude Code)", helps: str = HELP
) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f'#!/bin/sh\ncase "$1" in --version) echo "{version}";; --help) echo "{helps}";; esac\n')
    path.chmod(0o755)
    return path


def probe(path: Path, **options: object) -> Probe:
    return registry.get("claude_code").probe(ask, str(path), ClaudeCodeOptions.model_validate(options))


def test_it_is_found_and_answers(tmp_path: Path) -> None:
    there = program(tmp_path / "real")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/claude").symlink_to(there)
    told = probe(tmp_path / "bin")
    assert told == Probe(available=True, version="2.1.332", executable=there)


def test_a_missing_program_says_how_to_install_it(tmp_path: Path) -> None:
    told = probe(tmp_path)
    assert not told.available
    assert "not on the PATH" in told.problem
    assert "npm install" in told.problem


def test_the_path_given_counts_not_the_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "mine")
    monkeypatch.setenv("PATH", f"{tmp_path / 'mine'}{os.pathsep}{os.environ['PATH']}")
    assert not probe(tmp_path).available


def test_another_name_or_path(tmp_path: Path) -> None:
    there = program(tmp_path / "bin", "claude-next")
    assert probe(tmp_path / "bin", executable="claude-next").executable == there
    assert probe(tmp_path / "nowhere", executable=str(there)).executable == there
    missing = probe(tmp_path, executable=str(tmp_path / "gone"))
    assert "is not an executable file" in missing.problem


def test_a_program_that_does_not_answer_is_not_there(tmp_path: Path) -> None:
    broken = tmp_path / "claude"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    told = probe(tmp_path)
    assert not told.available
    assert "did not answer" in told.problem


def test_a_program_that_answers_something_else_is_not_it(tmp_path: Path) -> None:
    program(tmp_path, version="hello")
    assert "answered 'hello'" in probe(tmp_path).problem


def test_flags_that_it_does_not_know_are_named(tmp_path: Path) -> None:
    program(tmp_path, version="1.0.100", helps="--output-format --verbose --strict-mcp-config --model")
    told = probe(tmp_path, effort="high")
    assert not told.available
    assert "does not list --permission-prompts, --effort in its --help" in told.problem
    assert probe(tmp_path, effort="high", flag_check=False).available
    assert probe(tmp_path, permission_prompts=None).available


def test_flags_of_extra_args_are_checked_too(tmp_path: Path) -> None:
    program(tmp_path)
    assert "--no-such" in probe(tmp_path, extra_args=["--no-such=1"]).problem


def test_flags_that_work_unlisted_are_let_through(tmp_path: Path) -> None:
    program(tmp_path)
    assert probe(tmp_path, max_turns=3, append_system_prompt="x").available


@pytest.mark.real_cli
def test_the_real_program_knows_every_flag(claude: Path, home: Path) -> None:
    def clean(command: tuple[str, ...]) -> str | None:
        env = {"PATH": "/usr/bin:/bin", "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, timeout=60)
        return done.stdout if done.returncode == 0 else None

    options = ClaudeCodeOptions.model_validate(
        {
            "max_turns": 1,
            "max_budget_usd": 1.0,
            "permission_mode": "acceptEdits",
            "allowed_tools": ["Read"],
            "disallowed_tools": ["WebFetch"],
            "tools": ["Read"],
            "bare": True,
            "setting_sources": "project",
            "append_system_prompt": "x",
            "effort": "low",
            "autocompact": "auto",
            "include_hook_events": True,
            "include_partial_messages": True,
        }
    )
    told = registry.get("claude_code").probe(clean, str(claude.parent), options)
    assert told.available, told.problem
    assert told.version is not None
    assert told.executable == claude.resolve()
