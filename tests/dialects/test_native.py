"""Native suites: what every key means, and what is said about those that are wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from dialects.native_files import write_suite

from bakeoff.checks.command import Command
from bakeoff.checks.diff import FilesTouched, Unchanged
from bakeoff.checks.script import Script
from bakeoff.checks.text import Absent, Present
from bakeoff.dialects.load import load
from bakeoff.errors import Problem
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
TASK = "  - {id: t, prompt: x, start: empty, checks: [{command: x}]}\n"

WRONG = {
    "version": ("bakeoff: 7\nsuite: s\n", "1:10: the file is of version 7", "newer Bakeoff"),
    "no version": ("bakeoff: x\nsuite: s\n", "1:10: `bakeoff` is the version", "write `bakeoff: 0`"),
    "unknown key": (f"{HEAD}tsks: []\ntasks:\n{TASK}", "4:1: unknown key 'tsks'", "did you mean `tasks`?"),
    "arm key": (
        f"bakeoff: 0\nsuite: s\narms: [{{harness: fake, modle: x}}]\ntasks:\n{TASK}",
        "3:24: unknown key 'arms.modle'",
        "did you mean `model`?",
    ),
    "harness": (
        f"bakeoff: 0\nsuite: s\narms: [claude]\ntasks:\n{TASK}",
        "3:8: `arms.harness`: there is no harness 'claude'",
        "write `claude_code`",
    ),
    "option": (
        f"bakeoff: 0\nsuite: s\narms: [{{harness: fake, options: {{behaviour: x}}}}]\ntasks:\n{TASK}",
        "3:34: fake has no option 'behaviour'",
        "did you mean `behavior`?",
    ),
    "option value": (
        f"bakeoff: 0\nsuite: s\narms: [{{harness: fake, options: {{behavior: slove}}}}]\ntasks:\n{TASK}",
        "3:44: `options.behavior`: 'slove' is not one of",
        "",
    ),
    "circle": (
        (
            "bakeoff: 0\nsuite: s\narms:\n- {id: a, extends: c}\n- {id: b, extends: a}\n- {id: c, extends: b}\n"
            f"tasks:\n{TASK}"
        ),
        "5:20: `extends` goes round in a circle: a → c → b → a",
        "let one of them stand on its own",
    ),
    "extends nobody": (
        f"bakeoff: 0\nsuite: s\narms: [{{id: base, harness: fake}}, {{id: b, extends: bse}}]\ntasks:\n{TASK}",
        "3:52: `extends`: there is no arm 'bse'",
        "did you mean `base`?",
    ),
    "same arm": (
        f"bakeoff: 0\nsuite: s\narms: [fake, {{harness: fake, model: x}}]\ntasks:\n{TASK}",
        "3:24: a second arm is called 'fake'; the first is in line 3",
        "own `id`",
    ),
    "placement": (
        f"bakeoff: 0\nsuite: s\narms: [{{harness: fake, place: [{{instructions: no.md}}]}}]\ntasks:\n{TASK}",
        "no.md does not exist",
        "relative to this file",
    ),
    "placements": (
        (
            "bakeoff: 0\nsuite: s\narms: [{harness: fake, place: [{skills: null}, {instructions: null, to: .claude/skills}]}]\n"
            f"tasks:\n{TASK}"
        ),
        "3:48: `place`: a second thing goes to .claude/skills",
        "another target",
    ),
    "default arms": (
        f"{HEAD}default_arms: [fakes]\ntasks:\n{TASK}",
        "4:16: `default_arms`: there is no arm 'fakes'",
        "did you mean `fake`?",
    ),
    "no start": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, checks: [{{command: x}}]}}\n",
        "5:5: `start` is missing",
        "{folder: DIR}",
    ),
    "start": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: {{gti: .}}, checks: [{{command: x}}]}}\n",
        "5:31: `start` names neither a git repository nor a folder",
        "did you mean `git`?",
    ),
    "no checks": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty}}\n",
        "5:5: the task has no checks",
        "write at least one",
    ),
    "check": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{comand: x}}]}}\n",
        "5:48: there is no check 'comand'",
        "did you mean `command`?",
    ),
    "check key": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{command: x, timeouts: 1}}]}}\n",
        "5:60: unknown key 'command.timeouts'",
        "did you mean `timeout_s`?",
    ),
    "two checks": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{command: x, present: y}}]}}\n",
        "5:60: an entry is one check, and this one is 'command' already",
        "begin another one",
    ),
    "typed check": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{type: command, run: x}}]}}\n",
        "5:48: there is no check 'type'",
        "the name of a check is a key",
    ),
    "beside": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{command: {{run: x}}, expect: 1}}]}}\n",
        "5:67: unknown key 'expect'",
        "indent it: it belongs below `command:`",
    ),
    "below": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{command: {{run: x, id: a}}}}]}}\n",
        "5:66: `id` stands below `command`",
        "write it beside `command:`",
    ),
    "same check": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{id: a, command: x}}, {{id: a, command: y}}]}}\n",
        "5:73: a second check is called 'a'; the first is in line 5",
        "leave it out",
    ),
    "providers": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{command: x, providers: [codex]}}]}}\n",
        "5:72: `providers`: there is no harness 'codex'",
        "write `codex_cli`",
    ),
    "same task": (
        f"{HEAD}tasks:\n{TASK}{TASK}",
        "6:10: a second task is called 't'; the first is bakeoff.yaml:5:10",
        "own id",
    ),
    "tag": (
        f"{HEAD}tags: {{smoke: }}\ntasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{command: x}}], tags: [smok]}}\n",
        "6:69: the tag 'smok' is not declared in `tags` of the suite",
        "did you mean `smoke`?",
    ),
    "group": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{command: x}}], concurrency_group: db}}\n",
        "5:81: `concurrency_group`: the suite declares no group 'db'",
        "concurrency_groups: {db: 1}",
    ),
    "no such file": (f"{HEAD}tasks: [t.yaml]\n", "t.yaml does not exist", "relative to this file"),
    "no match": (
        f"{HEAD}tasks: [none/*.yaml]\n",
        "4:9: `tasks`: 'none/*.yaml' matches no file",
        "globs begin",
    ),
    "bad glob": (
        f"{HEAD}tasks: ['[a/*.yaml']\n",
        "4:9: `tasks`: the glob '[a/*.yaml' has an unclosed `[`",
        "",
    ),
    "prompt file": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: {{file: p.md}}, start: empty, checks: [{{command: x}}]}}\n",
        "p.md does not exist",
        "relative to this file",
    ),
    "plugin": (
        f"{HEAD}plugins: [a-b]\ntasks:\n{TASK}",
        "4:11: `plugins`: 'a-b' is not the name",
        "as in `import`",
    ),
    "defaults": (
        f"{HEAD}defaults: {{limits: {{timeout_s: 0}}}}\ntasks:\n{TASK}{TASK.replace('id: t', 'id: u')}",
        "4:32: `limits.timeout_s` must be more than 0, not 0",
        "",
    ),
    "variable": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, env: {{pass: ['A=1']}}, checks: [{{command: x}}]}}\n",
        "not a name of an environment variable: 'A=1'",
        "A",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_once_with_place_and_hint(
    tmp_path: Path, problems_of: Callable[[str], list[Problem]], name: str
) -> None:
    text, message, hint = WRONG[name]
    (tmp_path / "bakeoff.yaml").write_text(text)

    found = [problem for problem in problems_of("bakeoff.yaml") if problem.severity == "error"]

    assert len(found) == 1, [str(problem) for problem in found]
    assert message in str(found[0])
    assert hint in found[0].hint


def test_problems_of_all_files_come_out_together(
    tmp_path: Path, problems_of: Callable[[str], list[Problem]]
) -> None:
    (tmp_path / "bakeoff.yaml").write_text(
        "bakeoff: 0\nsuite: s\njobs: 0\narms: [{harness: fake, options: {nope: 1}}]\ntasks: ['*/t.yaml', {id: ' '}]\n"
    )
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.yaml").write_text(
            f"id: {name}\nprompt: x\nstrat: empty\nchecks: [{{nope: 1}}]\n"
        )

    places = [str(problem).split(": ")[0] for problem in problems_of("bakeoff.yaml")]

    assert places == [
        "bakeoff.yaml:3:7",
        "bakeoff.yaml:4:34",
        "bakeoff.yaml:5:21",
        "bakeoff.yaml:5:21",
        "bakeoff.yaml:5:21",
        "bakeoff.yaml:5:26",
        "a/t.yaml:1:1",
        "a/t.yaml:3:1",
        "a/t.yaml:4:11",
        "b/t.yaml:1:1",
        "b/t.yaml:3:1",
        "b/t.yaml:4:11",
    ]


def test_a_task_file_alone_says_where_it_belongs(
    tmp_path: Path, problems_of: Callable[[str], list[Problem]]
) -> None:
    (tmp_path / "t.yaml").write_text("id: t\nprompt: x\nstart: empty\nchecks: [{command: x}]\n")

    (problem,) = problems_of("t.yaml")

    assert problem.message == "a native task belongs to a suite"


def test_globs_that_match_nothing_are_warnings(
    tmp_path: Path, problems_of: Callable[[str], list[Problem]]
) -> None:
    write_suite(tmp_path)
    (tmp_path / "bakeoff.yaml").write_text(
        f"{HEAD}tasks:\n  - id: t\n    prompt: x\n    start: {{git: repo, hide: [secrets.txt]}}\n"
        "    checks: [{unchanged: [test]}, {files_touched: {must_not_include: [tests]}}, {present: 'a*'}]\n"
    )

    told = [(str(problem.where), problem.hint) for problem in problems_of("bakeoff.yaml")]

    assert told == [
        ("bakeoff.yaml:7:31", "did you mean `secret.txt`?"),
        ("bakeoff.yaml:8:27", "did you mean `tests`?"),
        ("bakeoff.yaml:8:71", "write `tests/**` to cover what is in it"),
        ("bakeoff.yaml:8:91", "this check always passes"),
    ]


def test_a_suite_is_found_from_the_directories_below_it(tmp_path: Path) -> None:
    path = write_suite(tmp_path)

    assert load(".", cwd=tmp_path / "tasks" / "more").path == path
    assert load("tasks", cwd=tmp_path).path == path
    (task,) = load("bakeoff.yaml::two", cwd=tmp_path).tasks
    assert (task.id, task.held_back_by) == ("two", ())
