"""Native suites: what every key means, and what is said about those that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from dialects.native_files import write_suite

from bakeoff.checks.command import Command
from bakeoff.checks.diff import FilesTouched, Unchanged
from bakeoff.checks.script import Script
from bakeoff.checks.text import Absent, Present
from bakeoff.dialects.load import load
from bakeoff.model.suite import (
    Canary,
    Dialect,
    FolderStart,
    GitStart,
    Limits,
    OnTimeout,
    Placement,
    PlacementKind,
    Setup,
    Suite,
)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    write_suite(tmp_path)
    return load(".", cwd=tmp_path)


def test_a_suite_says_how_its_experiments_are_run(suite: Suite, tmp_path: Path) -> None:
    assert suite.warnings == ()
    assert (suite.name, suite.dialect, suite.path) == ("every key", Dialect.NATIVE, tmp_path / "bakeoff.yaml")
    assert (suite.experiment_name, suite.repeats, suite.jobs, suite.keep_workspaces) == (
        "first try",
        2,
        3,
        True,
    )
    assert (suite.min_tasks_for_interval, suite.concurrency_groups) == (8, {"database": 1})
    assert suite.declared_tags == ("smoke", "slow")
    assert [task.key for task in suite.tasks] == ["one", "three", "other::two::first", "better"]


def test_an_arm_takes_over_what_it_does_not_say(suite: Suite, tmp_path: Path) -> None:
    rules, none, careful, bare = suite.known_arms

    assert [arm.id for arm in suite.arms] == ["none", "rules"]
    assert (rules.harness, rules.model, rules.model_aliases) == ("fake", "small", {"s": "small"})
    assert rules.options == {"behavior": "noop", "delay_ms": 5.0, "command": "0123"}
    assert rules.notes == {"why": "yes", "size": 1.5, "list": [1, 2.0, None, True]}
    instructions, skills, bundle = rules.placements
    assert instructions == Placement(
        kind=PlacementKind.INSTRUCTIONS,
        name="CLAUDE.md",
        target="CLAUDE.md",
        source=tmp_path / "rules" / "CLAUDE.md",
    )
    assert (skills.name, skills.target) == ("notes", ".agents/skills")
    assert (bundle.kind, bundle.target) == (PlacementKind.BUNDLE, "parts")
    assert (none.model, none.options) == ("small", {**rules.options, "delay_ms": 0.0})
    assert none.placements == (
        Placement(kind=PlacementKind.INSTRUCTIONS, name="no instructions", target="CLAUDE.md", source=None),
        skills,
        bundle,
    )
    assert (careful.model, careful.model_aliases) == (None, {})
    assert careful.options == {"max_turns": 9, "setting_sources": ["project"]}
    assert careful.placements == none.placements
    assert (bare.id, bare.harness, bare.options) == ("fake", "fake", {})


def test_a_task_says_what_its_trials_are(suite: Suite, tmp_path: Path) -> None:
    task = suite.tasks[0]

    assert (task.id, task.title, task.description, task.version) == ("one", "The first", "For people.", 3)
    assert task.prompt == "Write the total.\n\tMind the tab.\n"
    assert isinstance(task.start, GitStart)
    assert (task.start.repository, task.start.revision, task.start.hide) == (
        tmp_path / "repo",
        "main",
        ("secret.txt",),
    )
    assert task.setup == Setup(commands=("echo 1 > gen",), timeout_s=30.5, must_leave_clean=True)
    assert task.environment.pass_through == ("LANG",)
    assert (task.environment.set, task.environment.unset) == ({"TZ": "UTC", "N": "010"}, ("CI",))
    assert (task.limits, task.config_path, task.weight) == (Limits(timeout_s=60), "docs/CLAUDE.md", 0.5)
    assert (task.concurrency_group, task.tags) == ("database", ("smoke",))
    assert task.harness_options == {"fake": {"delay_ms": 1.0}, "claude_code": {"max_turns": 3}}
    assert (task.on_timeout, task.verify_crashed) == (OnTimeout.GRADE, True)
    assert (task.known_issue, task.held_back_by, task.unsupported) == ("not built yet", (), ())
    assert task.reference.overlay == tmp_path / "solutions" / "one"
    assert task.reference.partial_overlay == tmp_path / "solutions" / "half"
    assert task.reference.description == "Add it."


def test_checks_have_short_and_long_spellings(suite: Suite, tmp_path: Path) -> None:
    protected, command, hidden, touched, script, present = suite.tasks[0].checks

    assert protected == Unchanged(id="unchanged-tests", stop=True, paths=("tests",))
    assert command == Command(id="command-grep-total-app.py", run="grep total app.py")
    assert isinstance(hidden, Command)
    assert (hidden.id, hidden.expect) == ("hidden", 1)
    assert [(item.source, item.dest) for item in hidden.inject] == [(tmp_path / "verify", "hid")]
    assert hidden.score is not None
    assert touched == FilesTouched(
        id="files_touched",
        required=False,
        known_issue="later",
        providers=("fake",),
        must_include=("app.py",),
    )
    assert script == Script(id="script-cat", run="cat", capture_json=True)
    assert present == Present(id="present-total", pattern="total", paths=("*.py",), lines="added")


def test_tasks_of_other_files_and_later_fields(suite: Suite, tmp_path: Path) -> None:
    _, three, two, better = suite.tasks

    assert three.start == FolderStart(folder=None)
    assert two.prompt == "no"
    assert two.start == FolderStart(
        folder=tmp_path / "fixtures" / "plain", leave_out=(".git", "*.tmp"), hide=("app.py",)
    )
    assert two.setup.commands == ("echo one > gen", "echo two >> gen")
    assert (two.tags, two.held_back_by) == (("smoke", "slow"), ("slow",))
    assert two.checks[1] == Absent(id="absent-todo", pattern="todo", within="files")
    assert str(two.where) == "tasks/two.yaml:1:1"
    assert better.improvement is not None
    assert better.improvement.objective.inject == ((tmp_path / "objective" / "measure.py", "m.py"),)
    assert (better.improvement.rounds, better.limits.rounds) == (2, 2)
    assert better.safety is not None
    assert better.safety.canaries == (Canary(path="keys.env", token="abcd-1234-efgh"),)
    assert [item.field for item in better.unsupported] == ["improve", "safety.canaries", "safety.lure_urls"]


HEAD = "bakeoff: 0\nsuite: s\narms: [fake]\n"


def test_a_suite_is_found_from_the_directories_below_it(tmp_path: Path) -> None:
    path = write_suite(tmp_path)

    assert load(".", cwd=tmp_path / "tasks" / "more").path == path
    assert load("tasks", cwd=tmp_path).path == path
    (task,) = load("bakeoff.yaml::two", cwd=tmp_path).tasks
    assert (task.id, task.held_back_by) == ("two", ())


def test_every_check_can_be_written_as_briefly_as_it_can_be_meant(tmp_path: Path) -> None:
    entries = [
        "unchanged: tests",
        "unchanged: [tests, docs]",
        "file_exists: dist/notes.md",
        "file_contains: {path: a, pattern: b}",
        "{tool_count: Bash, min: 1, max: 3}",
        "tool_called: Bash",
        "first_skill: notes",
        "no_permission_errors",
        "{no_permission_errors: , required: false}",
    ]
    checks = "".join(f"\n      - {entry}" for entry in entries)
    (tmp_path / "s.yaml").write_text(
        f"{HEAD}tasks:\n  - id: t\n    prompt: x\n    start: empty\n    checks:{checks}\n"
    )

    (task,) = load("s.yaml", cwd=tmp_path).tasks

    assert [check.id for check in task.checks] == [
        "unchanged-tests",
        "unchanged-tests-2",
        "file_exists-dist-notes.md",
        "file_contains",
        "tool_count-Bash",
        "tool_called-Bash",
        "first_skill-notes",
        "no_permission_errors",
        "no_permission_errors-2",
    ]
    assert task.checks[0] == Unchanged(id="unchanged-tests", paths=("tests",))
    assert task.checks[-1].required is False


def test_a_task_says_only_what_its_defaults_do_not(tmp_path: Path) -> None:
    write_suite(tmp_path)
    (tmp_path / "s.yaml").write_text(
        f"{HEAD}defaults:\n"
        "  start: {git: repo, at: main}\n"
        "  setup: {run: a, timeout_s: 9}\n"
        "  env: {pass: [LANG], set: {A: x}}\n"
        "  options: {fake: {delay_ms: 1, llm_calls: 2}}\n"
        "  tags: [one]\n"
        "  checks: [{command: first}]\n"
        "tasks:\n"
        "  - {id: t, prompt: x, start: {hide: [app.py]}, setup: {run: [b]}, env: {set: {B: y}},"
        " options: {fake: {delay_ms: 5}}, tags: [two], checks: [{command: second}]}\n"
        "  - {id: u, prompt: x, start: {folder: fixtures/plain}, setup: c}\n"
    )

    t, u = load("s.yaml", cwd=tmp_path).tasks

    assert isinstance(t.start, GitStart)
    assert (t.start.revision, t.start.hide) == ("main", ("app.py",))
    assert t.setup == Setup(commands=("b",), timeout_s=9)
    assert (t.environment.pass_through, t.environment.set) == (("LANG",), {"A": "x", "B": "y"})
    assert t.harness_options == {"fake": {"delay_ms": 5.0, "llm_calls": 2}}
    assert t.tags == ("one", "two")
    assert [check.id for check in t.checks] == ["command-first", "command-second"]
    assert isinstance(u.start, FolderStart)
    assert u.setup == Setup(commands=("c",))
