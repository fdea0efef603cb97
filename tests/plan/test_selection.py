"""Which tasks and arms of an agent-exam project a command line selects."""

from __future__ import annotations

from pathlib import Path

import pytest
from dialects.agent_exam.exam_files import CONFIG, CONFIGURATION, HELLO, TASK, TRIGGER, write

from bakeoff.dialects.load import load_all
from bakeoff.errors import UserError
from bakeoff.model.suite import Arm
from bakeoff.plan.arms import ready_arms
from bakeoff.plan.select import Selection, select_arms, select_tasks

TAGS = """\
tags:
  slow: {exclude_by_default: true}
  net: {exclude_by_default: true}
  smoke:
  unused: {exclude_by_default: true}
"""
ALWAYS = ["a::plain", "a::quick", "b::when", "b::when"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two suites; tags hold back some tasks of the first and all of the second but its triggers."""
    return write(
        tmp_path_factory.mktemp("tags"),
        {
            CONFIGURATION: TAGS,
            HELLO: TASK + "tags: [slow]\n",
            "evals/suites/a/tasks/plain.yaml": TASK,
            "evals/suites/a/tasks/quick.yaml": TASK + "tags: [smoke]\n",
            "evals/suites/a/tasks/late.yaml": TASK + "tags: [slow, smoke]\n",
            "evals/suites/a/tasks/far.yaml": TASK + "tags: [slow, net]\n",
            "evals/suites/b/tasks/when.yaml": TRIGGER,
            "evals/suites/net/suite.yml": "tags: [net]\n",
            "evals/suites/net/tasks/x.yaml": TASK,
            "evals/suites/net/tasks/y.yaml": TASK + "tags: [slow]\n",
        },
    )


def chosen(project: Path, *specs: str, **selection: object) -> list[str]:
    suite = load_all(specs or (".",), cwd=project)
    tasks = select_tasks(suite, Selection(**selection))  # type: ignore[arg-type]  # checked by what it selects
    return [f"{task.suite}::{task.id}" for task in tasks]


def test_tags_that_are_excluded_by_default_hold_tasks_back(project: Path) -> None:
    assert chosen(project) == ALWAYS
    assert chosen(project, no_triggers=True) == ["a::plain", "a::quick"]


def test_a_tag_lifts_itself_and_no_other(project: Path) -> None:
    assert chosen(project, tags=("slow",)) == ["a::late", "greet::hello"]
    assert chosen(project, tags=("slow", "net")) == ["a::far", "a::late", "greet::hello", "net::x", "net::y"]
    # Several tags: any of them.
    assert chosen(project, tags=("smoke", "net")) == ["a::quick", "net::x"]


def test_all_tags_lifts_every_one(project: Path) -> None:
    everything = chosen(project, all_tags=True)
    assert len(everything) == 9
    assert chosen(project, all_tags=True, exclude_tags=("slow",)) == [*ALWAYS, "net::x"]


def test_naming_a_task_or_a_lone_suite_lifts_what_it_says_of_itself(project: Path) -> None:
    assert chosen(project, "a::far") == ["a::far"]
    assert chosen(project, "*::late") == ["a::late"]
    # The suite says `net` itself; its task `y` says `slow` besides.
    assert chosen(project, "net") == ["net::x"]
    assert chosen(project, "net", "a") == ["a::plain", "a::quick"]
    assert chosen(project, "net", "net::y") == ["net::x", "net::y"]


def test_an_excluded_tag_wins_over_everything(project: Path) -> None:
    for given in ({"tags": ("slow",)}, {"all_tags": True}, {}):
        with pytest.raises(UserError) as refused:
            chosen(project, "a::far", exclude_tags=("slow",), **given)
        (problem,) = refused.value.problems
        assert problem.message.endswith("is left by this selection: 1 left out by --exclude-tag slow")
        assert "--all-tags" not in problem.hint


def test_an_empty_selection_names_its_real_cause(project: Path) -> None:
    def refused(*specs: str, **selection: object) -> tuple[str, str]:
        with pytest.raises(UserError) as error:
            chosen(project, *specs, **selection)
        (problem,) = error.value.problems
        return problem.message.partition("selection: ")[2], problem.hint

    told, hint = refused("greet")
    assert told == "1 left out by default for the tag slow"
    assert "`--tag slow` or `--all-tags`" in hint
    assert refused("b", no_triggers=True)[0] == "2 left out by --no-triggers"
    assert refused("b", tags=("smoke",))[0] == "2 without the tag smoke"
    # A tag that is declared and that nothing has is no slip of the pen.
    assert refused("b", tags=("unused",))[0] == "2 without the tag unused"
    assert chosen(project, "b", exclude_tags=("unused",)) == ["b::when", "b::when"]
    with pytest.raises(UserError, match="has the tag 'slwo'") as error:
        chosen(project, tags=("slwo",))
    assert error.value.problems[0].hint == "did you mean 'slow'?"
    told, hint = refused("a", tags=("net",), drop=("plain",))
    assert told == ("2 without the tag net, 1 left out by default for the tag slow, 1 dropped by --drop")
    assert "`--tag slow`" in hint


def test_globs_on_ids_meet_every_suite(project: Path) -> None:
    assert chosen(project, tasks=("plain", "when")) == ["a::plain", "b::when", "b::when"]
    assert chosen(project, drop=("w*",)) == ["a::plain", "a::quick"]


PROVIDERS = """\
providers:
  claude_code:
    default_model: fast
    model_aliases: {fast: haiku, best: opus}
    extra_args: [--debug-file, x]
"""


def arms(root: Path, **selection: object) -> list[Arm]:
    suite = load_all((".",), cwd=root)
    return list(select_arms(suite, Selection(**selection)))  # type: ignore[arg-type]  # checked by what it selects


def test_a_harness_is_the_arm_of_its_name_with_what_the_project_says_of_it(tmp_path: Path) -> None:
    root = write(tmp_path, {CONFIGURATION: CONFIG + PROVIDERS + "default_harness: fake\n"})

    (usual,) = arms(root)
    assert (usual.id, usual.harness, usual.options) == ("fake", "fake", {})
    for name in ("claude_code", "claude"):
        (arm,) = arms(root, harness=name)
        assert (arm.id, arm.model, arm.options["extra_args"]) == (
            "claude_code",
            "haiku",
            ["--debug-file", "x"],
        )
    assert arms(root, harness="claude", model="best")[0].model == "opus"
    assert arms(root, harness="claude", model="claude-sonnet-5")[0].model == "claude-sonnet-5"
    # An alias belongs to its harness.
    assert arms(root, model="best")[0].model == "best"
    assert arms(root, arms=("claude_code",), harness="fake")[0].options == {}


def test_options_of_a_task_lie_over_those_of_the_arm_and_under_the_command_line(tmp_path: Path) -> None:
    config = CONFIG + "providers: {claude_code: {permission_mode: plan, extra_args: [--x]}}\n"
    own = (
        TASK
        + "claude_code: {permission_mode: auto, allowed_tools: [Bash]}\nopencode: {permission: {bash: ask}}\n"
    )
    root = write(tmp_path, {CONFIGURATION: config, HELLO: own, "evals/suites/greet/tasks/other.yaml": TASK})
    suite = load_all((".",), cwd=root)
    hello, other = suite.tasks

    (ready,) = ready_arms(suite.arms, {}, suite.tasks)
    merged = ready.options_for(hello).model_dump()
    assert (merged["permission_mode"], merged["allowed_tools"]) == ("auto", ("Bash", "Skill"))
    assert merged["extra_args"] == ("--x",)
    assert ready.options_for(other) == ready.options
    assert ready.options.model_dump()["permission_mode"] == "plan"
    assert len(ready.all_options) == 2

    given = {"permission_mode": "dontAsk"}
    (arm,) = select_arms(suite, Selection(options=given))
    (ready,) = ready_arms([arm], given, suite.tasks)
    assert ready.options_for(hello).model_dump()["permission_mode"] == "dontAsk"


def test_what_the_harness_refuses_of_both_together_is_told_with_the_task(tmp_path: Path) -> None:
    config = CONFIG + "providers: {claude_code: {permission_mode: auto}}\n"
    root = write(
        tmp_path, {CONFIGURATION: config, HELLO: TASK + "claude_code: {permission_mode: bypassPermissions}\n"}
    )
    suite = load_all((".",), cwd=root)

    with pytest.raises(UserError) as refused:
        ready_arms(suite.arms, {"allow_dangerous_permissions": False}, suite.tasks)

    (problem,) = refused.value.problems
    assert problem.message.startswith("task 'hello': arm 'claude_code'")
    assert str(problem.where).startswith(HELLO)
