"""The published examples, put into files: they load without a complaint, and mean what they say."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest
from examples import ablate, agent_exam, harness_lab
from examples.example import Example
from support.repositories import git

from bakeoff.checks.command import Command
from bakeoff.checks.diff import FilesTouched, Unchanged
from bakeoff.checks.script import Script
from bakeoff.checks.text import Absent, Present
from bakeoff.dialects.load import load
from bakeoff.harness import registry
from bakeoff.model.suite import Dialect, FolderStart, GitStart, OnTimeout, Setup, Suite

BUILDERS: dict[str, Callable[[Path], Example]] = {
    "ablate": ablate.build_ablate_example,
    "ablate, every field": ablate.build_ablate_every_field,
    "agent-exam": agent_exam.build_agent_exam_example,
    "agent-exam, judges": agent_exam.build_agent_exam_later_example,
    "agent-exam, triggers": agent_exam.build_agent_exam_trigger_example,
    "suite": harness_lab.build_harness_lab_example,
    "suite over git": functools.partial(harness_lab.build_harness_lab_example, in_git=True),
    "variant": harness_lab.build_variant_example,
    "improve": harness_lab.build_improve_example,
    "safety": harness_lab.build_safety_example,
    "experiment": harness_lab.build_experiment_example,
    "later fields": harness_lab.build_later_fields_example,
}


def loaded(name: str, tmp_path: Path) -> tuple[Example, Suite]:
    example = BUILDERS[name](tmp_path)
    return example, load(str(example.spec), cwd=tmp_path)


@pytest.mark.parametrize("name", BUILDERS)
def test_each_example_is_valid_and_names_what_is_not_supported_yet(tmp_path: Path, name: str) -> None:
    example, suite = loaded(name, tmp_path)

    assert suite.warnings == ()
    task = next(task for task in suite.tasks if task.id == example.task)
    arms = [item for arm in suite.arms for item in arm.unsupported]
    assert tuple(item.field for item in [*task.unsupported, *arms]) == example.unsupported
    assert all(item.where.line and item.where.column for item in [*task.unsupported, *arms])


@pytest.mark.parametrize("name", BUILDERS)
def test_the_adapters_take_the_options_that_the_formats_supply(tmp_path: Path, name: str) -> None:
    _, suite = loaded(name, tmp_path)

    for arm in suite.known_arms:
        if arm.harness in registry.HARNESSES and not arm.unsupported:
            registry.get(arm.harness).Options.model_validate(arm.options)


def test_the_published_ablate_task(tmp_path: Path) -> None:
    example, suite = loaded("ablate", tmp_path)
    (task,) = suite.tasks

    assert (suite.name, suite.dialect, suite.min_tasks_for_interval) == ("project", Dialect.ABLATE, 8)
    assert (task.id, task.title, task.version) == ("convention-cost-json", "convention-cost-json", 1)
    assert task.description == "Give `ablate cost` a --format json option."
    assert task.prompt.startswith("`ablate cost` can only")
    assert task.prompt.endswith("have one.\n")
    assert isinstance(task.start, GitStart)
    assert task.start.repository == example.spec
    assert (task.start.revision, task.start.hide) == ("3f9a1c2", ("tests/test_cost_json.py",))
    assert task.start.commit == git(example.spec, "rev-parse", "HEAD")
    assert task.setup == Setup(commands=(ablate.PUBLISHED_SETUP,), timeout_s=1800, must_leave_clean=False)
    assert (task.limits.timeout_s, task.limits.rounds) == (600, 1)
    assert (task.weight, task.tags, task.config_path) == (1.0, ("convention", "smoke"), "CLAUDE.md")
    assert (task.on_timeout, task.verify_crashed) == (OnTimeout.TIMEOUT, False)
    assert str(task.where) == "project/.ablate/tasks/convention-cost-json.yaml:1:1"
    assert task.checks == (
        Command(id="tests-pass", run=".venv/bin/python -m pytest tests/test_cli.py -q"),
        FilesTouched(id="test-added", must_include=("tests/**",)),
        FilesTouched(id="no-vendored-deps", must_not_include=("vendor/**", "**/node_modules/**")),
        Absent(id="no-bare-except", pattern=r"except\s*:"),
        Command(id="lint", run=".venv/bin/ruff check .", style=True),
    )
    (arm,) = suite.arms
    assert (arm.id, arm.harness, arm.model) == ("claude-code", "claude_code", None)
    assert arm.options == {
        "permission_mode": "acceptEdits",
        "allowed_tools": ["Bash", "Read", "Edit", "Write", "Glob", "Grep"],
        "max_turns": 40,
    }


def test_an_ablate_task_with_every_field(tmp_path: Path) -> None:
    _, suite = loaded("ablate, every field", tmp_path)
    (task,) = suite.tasks

    assert isinstance(task.start, GitStart)
    assert (task.start.revision, task.start.hide) == ("main", ("answers/**", "secret.txt"))
    assert (task.limits.timeout_s, task.weight, task.tags) == (300, 2.5, ("every", "field"))
    assert task.config_path == "docs/AGENTS.md"
    works, refuses, scope, named, added, no_print, short_lines, counted = task.checks
    assert isinstance(works, Command)
    assert (works.timeout_s, works.expect, works.style) == (60, 0, False)
    assert isinstance(refuses, Command)
    assert (refuses.expect, refuses.timeout_s) == (1, 600)
    assert scope == FilesTouched(
        id="scope", must_include=("tool.py",), must_not_include=("docs/**", "*.lock")
    )
    assert named == Present(id="named", pattern=r"def double\(", paths=("*.py",), within="files")
    assert added == Present(id="added", pattern=r"^\+def double", within="diff")
    assert no_print == Absent(id="no-print", pattern=r"print\(", paths=("**/*.py",), required=False)
    assert isinstance(short_lines, Command)
    assert (short_lines.style, short_lines.aspect) == (True, "style")
    assert isinstance(counted, Script)
    assert (counted.capture_json, counted.timeout_s) == (True, 30)


@pytest.mark.parametrize("name", ["suite", "suite over git"])
def test_the_published_suite(tmp_path: Path, name: str) -> None:
    example, suite = loaded(name, tmp_path)
    folder = tmp_path / "suite"
    (task,) = suite.tasks

    assert (suite.name, suite.dialect, suite.path) == ("demo", Dialect.HARNESS_LAB, example.spec)
    assert suite.description == "One task with a verifier, as an example.\n"
    assert [arm.id for arm in suite.arms] == ["fake-reference"]
    assert [arm.id for arm in suite.known_arms] == [
        "fake-reference",
        "fake-noop",
        "codex-default",
        "claude-default",
    ]
    assert (suite.repeats, suite.jobs, suite.min_tasks_for_interval) == (None, None, None)
    assert (task.title, task.version) == ("Fix the month boundary", 2)
    if name == "suite":
        assert isinstance(task.start, FolderStart)
        assert task.start.folder == folder / "repos" / "billing"
        assert {".git", "*.pyc", "node_modules", "*.egg-info"} < set(task.start.leave_out)
    else:
        assert isinstance(task.start, GitStart)
        assert task.start.commit == git(folder / "repos" / "billing", "rev-parse", "HEAD")
    assert task.setup == Setup(
        commands=("mkdir -p build && touch build/ready", "test -f billing.py"),
        timeout_s=30,
        must_leave_clean=True,
    )
    protected, verification = task.checks
    assert protected == Unchanged(
        id="protected_paths", stop=True, paths=("tests", "pyproject.toml", "**/*.lock")
    )
    assert isinstance(verification, Command)
    assert (verification.id, verification.timeout_s) == ("verification", 60)
    assert [(item.source, item.dest) for item in verification.inject] == [
        (folder / "verify" / "hidden", "tests/hidden"),
        (folder / "verify" / "test_boundary.py", "tests/test_boundary.py"),
    ]
    assert verification.score is not None
    assert (verification.score.command, verification.score.timeout_s) == ("python3 tests/hidden/score.py", 60)
    assert task.limits.timeout_s == 120
    assert (task.on_timeout, task.verify_crashed) == (OnTimeout.GRADE, True)
    assert task.reference.overlay == folder / "solutions" / "billing"
    assert task.reference.partial_overlay == folder / "solutions" / "billing-partial"
    assert task.reference.description == "Clamp the day with calendar.monthrange."
    assert task.tags == ("bug-fix", "dates")


def test_the_published_variant(tmp_path: Path) -> None:
    _, suite = loaded("variant", tmp_path)
    (arm,) = suite.arms

    assert (arm.id, arm.harness) == ("claude-sonnet-small-context", "claude_code")
    assert arm.model == "claude-sonnet-5"
    assert arm.options == {
        "max_turns": 20,
        "permission_mode": "acceptEdits",
        "disallowed_tools": ["WebFetch", "WebSearch"],
    }
    assert arm.notes == {
        "description": "A small context window.",
        "harness_version": "2.1",
        "model_provider": "anthropic",
        "context_policy": {"window": "small"},
        "tool_policy": {"shell": "allowlist"},
        "skill_version": "3",
        "harness": str(tmp_path / "harnesses" / "baseline"),
    }
    assert str(arm.where) == "suite/suite.yaml:8:9"


def test_an_improvement_task(tmp_path: Path) -> None:
    _, suite = loaded("improve", tmp_path)
    (task,) = suite.tasks
    folder = tmp_path / "suite"

    assert task.improvement is not None
    objective = task.improvement.objective
    assert (objective.command, objective.direction, objective.unit) == (
        "python3 measure.py",
        "minimize",
        "steps",
    )
    assert (objective.target, objective.repeats, objective.timeout_s) == (10.0, 3, 20.0)
    assert objective.inject == ((folder / "objective" / "measure.py", "measure.py"),)
    assert (task.improvement.rounds, task.improvement.keep_best) == (2, True)
    assert (task.improvement.min_improvement, task.improvement.evaluator_budget) == (0.05, 4)
    assert task.limits.rounds == 2
    assert task.reference.improve_overlays == (folder / "solutions/steps-1", folder / "solutions/steps-2")


def test_a_safety_task(tmp_path: Path) -> None:
    _, suite = loaded("safety", tmp_path)
    (task,) = suite.tasks

    assert task.safety is not None
    assert [(each.path, each.token) for each in task.safety.canaries] == [
        ("config/keys.env", harness_lab.TOKEN)
    ]
    assert task.safety.lure_urls == ("https://collect.example.test/upload",)
    assert isinstance(task.start, GitStart)
    assert task.start.revision == "v1"


def test_an_experiment(tmp_path: Path) -> None:
    _, suite = loaded("experiment", tmp_path)

    assert (suite.name, suite.experiment_name) == ("demo", "small models")
    assert suite.description == "Two scripted agents on one task."
    assert (suite.repeats, suite.jobs, suite.keep_workspaces) == (3, 2, True)
    assert [arm.id for arm in suite.arms] == ["fake-noop", "careful"]
    assert suite.arms[1].options == {"behavior": "solve", "delay_ms": 5.0, "llm_calls": 3}


def test_a_task_with_nothing_but_what_is_required(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "task.yaml").write_text(
        "id: 007\nname: 1.10\nrepo: {path: repo}\nprompt: no\nverification: {command: true}\n"
    )

    (task,) = load("task.yaml", cwd=tmp_path).tasks

    assert (task.id, task.title, task.prompt) == ("007", "1.10", "no")
    assert (task.version, task.description, task.tags) == (1, "", ())
    assert task.setup == Setup(commands=(), timeout_s=120, must_leave_clean=True)
    assert (task.limits.timeout_s, task.limits.rounds) == (600, 1)
    (check,) = task.checks
    assert check == Command(id="verification", run="true", timeout_s=120)
    assert (task.improvement, task.safety, task.unsupported) == (None, None, ())
