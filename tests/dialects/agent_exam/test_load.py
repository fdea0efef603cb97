"""What the files of an agent-exam project mean once they are loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from dialects.agent_exam.exam_files import CONFIG, CONFIGURATION, HELLO, TASK, TRIGGER, write
from support.repositories import write_files

from bakeoff.checks.command import Command
from bakeoff.checks.files import FileContains, FileExists
from bakeoff.checks.permissions import NoPermissionErrors
from bakeoff.checks.skills import FirstSkill, SkillInvoked, SkillNotInvoked
from bakeoff.checks.text import Present
from bakeoff.checks.tools import ToolCalled, ToolCount, ToolNotCalled
from bakeoff.dialects.agent_exam.cases import case_name
from bakeoff.dialects.load import load
from bakeoff.errors import Problem, UserError
from bakeoff.harness import registry
from bakeoff.model.suite import Dialect, FolderStart, Suite


def project(root: Path, files: dict[str, str] | None = None) -> Suite:
    return load(".", cwd=write(root, files))


def problems_of(root: Path) -> list[Problem]:
    with pytest.raises(UserError) as refused:
        load(".", cwd=root)
    return list(refused.value.problems)


FULL = """\
description: for people
setup:
  fixture: small
  env: {TOKEN: null, GREETING: "hello", VERSION: '1.10', WORD: word}
concurrency_group: github
timeout_seconds: 2.5
tags: [smoke]
known_issue: not built yet
prompt: |
  Write hello.txt.
assertions:
  - file_exists: ./dist//notes.md
  - file_exists: {path: a.txt}
  - file_contains: {path: a.txt, pattern: '## 2\\.1', regex: true}
  - file_contains: {path: a.txt, pattern: 'x'}
  - tool_called: Bash
    providers: [claude_code, fake, claude_code]
    known_issue: flaky
  - tool_not_called: {name: WebFetch}
  - tool_count: {name: Bash, exactly: 2}
  - tool_count: {name: WebFetch, min: 1, max: 5}
  - first_skill: github-release
  - skill_invoked: {skill: github-release}
  - skill_not_invoked: other
  - no_permission_errors:
  - command: test -f a.txt
  - present: {pattern: x, in: files}
claude_code:
  allowed_tools: ["Bash(gh*)"]
  permission_mode: bypassPermissions
opencode:
  permission: {bash: {"*": ask, "gh *": allow}, edit: allow}
codex_cli:
  network_access: true
  sandbox: workspace-write
  writable_roots: ["~/.cache/uv"]
  prefix_rules:
    - {pattern: [gh, [release, pr]], justification: under test}
copilot_cli:
  allowed_tools: [bash, web_search]
"""


def test_every_field_of_a_task(tmp_path: Path) -> None:
    (task,) = project(tmp_path, {HELLO: FULL}).tasks

    assert (task.id, task.suite, task.case, task.key) == ("hello", "greet", None, "greet::hello")
    assert (task.description, task.prompt, task.dialect) == (
        "for people",
        "Write hello.txt.\n",
        Dialect.AGENT_EXAM,
    )
    assert task.start == FolderStart(folder=tmp_path / "evals/fixtures/small", leave_out=(".git", ".gitkeep"))
    assert task.environment.set == {"GREETING": "hello", "VERSION": "1.10", "WORD": "word"}
    assert task.environment.unset == ("TOKEN",)
    assert (task.concurrency_group, task.limits.timeout_s, task.tags) == ("github", 2.5, ("smoke",))
    assert (task.known_issue, task.held_back_by, task.unsupported) == ("not built yet", (), ())
    assert task.checks == (
        FileExists(id="file_exists-dist-notes.md", path="dist/notes.md"),
        FileExists(id="file_exists-a.txt", path="a.txt"),
        FileContains(id="file_contains-a.txt", path="a.txt", pattern=r"## 2\.1", regex=True),
        FileContains(id="file_contains-a.txt-2", path="a.txt", pattern="x"),
        ToolCalled(
            id="tool_called-Bash", name="Bash", providers=("claude_code", "fake"), known_issue="flaky"
        ),
        ToolNotCalled(id="tool_not_called-WebFetch", name="WebFetch"),
        ToolCount(id="tool_count-Bash", name="Bash", exactly=2),
        ToolCount(id="tool_count-WebFetch", name="WebFetch", min=1, max=5),
        FirstSkill(id="first_skill-github-release", skill="github-release"),
        SkillInvoked(id="skill_invoked-github-release", skill="github-release"),
        SkillNotInvoked(id="skill_not_invoked-other", skill="other"),
        NoPermissionErrors(id="no_permission_errors"),
        Command(id="command", run="test -f a.txt"),
        Present.model_validate({"id": "present", "pattern": "x", "in": "files"}),
    )
    assert task.harness_options == {
        "claude_code": {
            "allowed_tools": ["Bash(gh*)", "Skill"],
            "permission_mode": "bypassPermissions",
            "allow_dangerous_permissions": True,
        },
        "opencode": {"permission": {"bash": {"*": "ask", "gh *": "allow"}, "edit": "allow"}},
        "codex_cli": {
            "network_access": True,
            "sandbox": "workspace-write",
            "writable_roots": ["~/.cache/uv"],
            "prefix_rules": [
                {"pattern": ["gh", ["release", "pr"]], "decision": "allow", "justification": "under test"}
            ],
        },
        "copilot_cli": {"allowed_tools": ["bash", "web_search"]},
    }


def test_what_a_task_leaves_out(tmp_path: Path) -> None:
    suite = project(tmp_path)

    (task,) = suite.tasks
    assert (suite.name, suite.path, suite.warnings) == ("greet", tmp_path / "evals", ())
    assert task.start == FolderStart(folder=None)
    assert (task.limits.timeout_s, task.tags, task.harness_options) == (300.0, (), {})
    assert suite.concurrency_groups == {"github": 2}
    assert suite.declared_tags == ("slow", "smoke")
    assert [arm.id for arm in suite.arms] == ["claude_code"]
    assert [arm.id for arm in suite.known_arms] == [
        "claude_code",
        "codex_cli",
        "copilot_cli",
        "opencode",
        "fake",
    ]


def test_a_project_needs_no_configuration_and_no_pyproject(tmp_path: Path) -> None:
    write_files(tmp_path, {"evals/suites/s/tasks/t.yml": TASK, "evals/config.yaml": "# nothing yet\n"})

    assert [task.key for task in load(".", cwd=tmp_path).tasks] == ["s::t"]


def test_the_folder_of_evals_may_have_another_name(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "pyproject.toml": '[tool.agent-exam]\nevals_dir = "checks/evals"\n',
            "checks/evals/suites/s/tasks/t.yaml": TASK,
            "inner/pyproject.toml": "[project]\nname = 'inner'\n",
        },
    )

    assert load(".", cwd=tmp_path).path == tmp_path / "checks/evals"
    assert [task.id for task in load("s", cwd=tmp_path / "inner").tasks] == ["t"]


def test_the_local_configuration_is_merged_key_by_key_and_its_lists_replace(tmp_path: Path) -> None:
    shared = """\
default_harness: codex_cli
default_task_timeout_seconds: 60
providers:
  claude_code: {default_model: fast, extra_args: [--a, --b], model_aliases: {fast: haiku, best: opus}}
"""
    local = """\
default_harness: claude_code
default_task_timeout_seconds:
providers: {claude_code: {extra_args: [--c], permission_mode: plan, model_aliases: {best: sonnet}}}
"""
    suite = project(tmp_path, {CONFIGURATION: shared, "evals/config.local.yaml": local})

    (arm,) = suite.arms
    assert (arm.id, arm.harness, arm.model) == ("claude_code", "claude_code", "haiku")
    assert arm.model_aliases == {"fast": "haiku", "best": "sonnet"}
    assert arm.options == {
        "setting_sources": ["project", "local"],
        "extra_args": ["--c"],
        "permission_mode": "plan",
    }
    assert suite.tasks[0].limits.timeout_s == 300.0
    registry.get("claude_code").Options.model_validate(arm.options)


def test_a_mistake_of_the_local_configuration_is_told_in_its_file(tmp_path: Path) -> None:
    write(tmp_path, {"evals/config.local.yaml": "providers:\n  claude_code: {permission_mode: bypas}\n"})

    (problem,) = problems_of(tmp_path)

    assert str(problem.where) == "evals/config.local.yaml:2:34"


def test_other_harnesses_are_arms_that_run_refuses(tmp_path: Path) -> None:
    config = "default_harness: codex_cli\nproviders: {opencode: {pure: false}}\n"
    suite = project(tmp_path, {CONFIGURATION: config})

    refused = {arm.id: arm for arm in suite.known_arms if arm.unsupported}
    assert [arm.id for arm in suite.arms] == ["codex_cli"]
    assert {name: str(arm.unsupported[0].where) for name, arm in refused.items()} == {
        "codex_cli": "evals/config.yaml:1:18",
        "opencode": "evals/config.yaml:2:23",
    }
    assert refused["opencode"].options == {"pure": False}


def test_what_a_careful_user_wants_to_know_of_providers(tmp_path: Path) -> None:
    config = "providers: {claude_code: {permission_mode: bypassPermissions, blocked_plugins: [x]}}\n"
    suite = project(tmp_path, {CONFIGURATION: config})

    assert [item.message.split(" ")[0] for item in suite.warnings] == [
        "`permission_mode:",
        "`blocked_plugins`",
    ]
    assert suite.arms[0].options["allow_dangerous_permissions"] is True


def test_tags_of_the_suite_and_those_that_hold_tasks_back(tmp_path: Path) -> None:
    files = {
        "evals/suites/greet/suite.yml": "tags: [smoke]\n",
        HELLO: TASK + "tags: [slow, smoke]\n",
        "evals/suites/other/tasks/x.yaml": TASK + "tags: [slow]\n",
    }
    tasks = project(tmp_path, files).tasks

    assert [(task.key, task.tags, task.held_back_by) for task in tasks] == [
        ("greet::hello", ("smoke", "slow"), ("slow",)),
        ("other::x", ("slow",), ("slow",)),
    ]


def test_a_lone_suite_is_not_held_back_by_its_own_tags(tmp_path: Path) -> None:
    suite = {"evals/suites/greet/suite.yaml": "tags: [slow]\n"}
    assert [task.held_back_by for task in project(tmp_path, suite).tasks] == [()]

    write_files(tmp_path, {"evals/suites/other/tasks/x.yaml": TASK})
    held = {task.key: task.held_back_by for task in load(".", cwd=tmp_path).tasks}
    assert held == {"greet::hello": ("slow",), "other::x": ()}
    assert [task.held_back_by for task in load("greet", cwd=tmp_path).tasks] == [()]


def test_cases_of_triggers_have_names_that_do_not_depend_on_their_place(tmp_path: Path) -> None:
    files = {HELLO: TRIGGER, "evals/suites/greet/tasks/again.yaml": TRIGGER + "  - tidy up\n"}
    tasks = project(tmp_path, files).tasks

    cases = {(task.id, task.case): task for task in tasks}
    hello = case_name("say hello")
    assert hello.startswith("say-hello-")
    assert list(cases) == [
        ("again", hello),
        ("again", case_name("make coffee")),
        ("again", case_name("tidy up")),
        ("hello", hello),
        ("hello", case_name("make coffee")),
    ]
    assert cases["hello", hello].checks == (FirstSkill(id="first_skill", skill="greet"),)
    assert cases["hello", case_name("make coffee")].checks == (
        SkillNotInvoked(id="skill_not_invoked", skill="greet"),
    )
    assert cases["hello", hello].prompt == "say hello"
    assert str(cases["hello", hello].where) == f"{HELLO}:4:5"
    # They keep the limit of every task: there is no hidden minute.
    assert cases["hello", hello].limits.timeout_s == 300.0
    assert {item.field for task in tasks for item in task.unsupported} == {"kind: trigger"}
    assert len({task.key for task in tasks}) == len(tasks)


def test_a_prompt_that_is_inserted_renames_no_other_case(tmp_path: Path) -> None:
    before = {task.case: task for task in project(tmp_path, {HELLO: TRIGGER}).tasks}
    inserted = TRIGGER.replace("positive:\n", "positive:\n  - good morning\n")
    after = {task.case: task for task in project(tmp_path, {HELLO: inserted}).tasks}

    assert len(after) == len(before) + 1
    for name, task in before.items():
        assert (after[name].prompt, after[name].checks) == (task.prompt, task.checks)


@pytest.mark.parametrize("prompt", ["12", "Grüße", "こんにちは", "!?", "x" * 500, "a\nb"])
def test_the_name_of_any_case_can_stand_in_an_address(prompt: str) -> None:
    name = case_name(prompt)

    assert name.isascii()
    assert not name.isdigit()
    assert "::" not in name
    assert len(name) < 60
    assert name != case_name(prompt + " ")


def test_triggers_may_be_known_issues_and_have_a_fixture(tmp_path: Path) -> None:
    trigger = TRIGGER + "setup: {fixture: small}\nknown_issue: why\ntags: [smoke]\n"
    tasks = project(tmp_path, {HELLO: trigger}).tasks

    assert {(task.known_issue, task.start, task.tags) for task in tasks} == {
        (
            "why",
            FolderStart(folder=tmp_path / "evals/fixtures/small", leave_out=(".git", ".gitkeep")),
            ("smoke",),
        )
    }


LATER = [
    (HELLO, TASK + "  - judge: it is nice\n", "assertions.judge", "4:5"),
    (HELLO, TASK + "  - judge_agent: {criterion: it is nice}\n", "assertions.judge_agent", "4:5"),
    (HELLO, TASK + "  - first_mcp_tool: x\n", "assertions.first_mcp_tool", "4:5"),
    (HELLO, TASK + "mcp_servers: []\n", "mcp_servers", "4:1"),
    (HELLO, TRIGGER.replace("skill: greet", "mcp_tool: x"), "mcp_tool", "2:1"),
    (CONFIGURATION, CONFIG + "mcp_servers: {s: {command: x}}\n", "mcp_servers", "5:1"),
    ("pyproject.toml", "[tool.agent-exam]\npre_run_hook = 'pkg.module:hook'\n", "pre_run_hook", "2:1"),
    ("evals/suites/greet/suite.yml", "evaluated_skills: [greet]\n", "evaluated_skills", "1:1"),
]


@pytest.mark.parametrize(("file", "text", "field", "place"), LATER)
def test_what_run_cannot_honour_yet_is_valid_and_has_a_place(
    tmp_path: Path, file: str, text: str, field: str, place: str
) -> None:
    suite = project(tmp_path, {file: text})

    items = [*suite.unsupported, *(item for task in suite.tasks for item in task.unsupported)]
    assert (field, f"{file}:{place}") in [(item.field, str(item.where)) for item in items]


def test_skills_are_refused_only_where_there_are_some_and_misspelt_ones_are_found(tmp_path: Path) -> None:
    files = {
        "skills/greet/SKILL.md": "x",
        "skills/notes.txt": "",
        "evals/suites/greet/suite.yml": "evaluated_skills: [plugin:greet]\n",
        HELLO: TASK + "  - skill_not_invoked: gret\n",
    }
    suite = project(tmp_path, files)
    assert [str(item.where) for item in suite.unsupported] == ["skills", "evals/suites/greet/suite.yml:1:1"]
    # What asks whether a skill stays quiet passes for ever when its name is wrong.
    assert [(str(item.where), item.hint) for item in suite.warnings] == [
        (f"{HELLO}:4:24", "did you mean `greet`?")
    ]

    write_files(tmp_path, {"evals/suites/greet/suite.yml": "evaluated_skills: [gret]\n"})
    (problem,) = [item for item in problems_of(tmp_path) if item.severity == "error"]
    assert (str(problem.where), problem.hint) == (
        "evals/suites/greet/suite.yml:1:20",
        "did you mean `greet`?",
    )


def test_an_empty_list_of_skills_directories_stages_nothing(tmp_path: Path) -> None:
    assert project(tmp_path, {CONFIGURATION: "skills_dirs: []\n", "skills/x/SKILL.md": ""}).unsupported == ()
