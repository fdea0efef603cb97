"""Every rule of Harness Lab suites and experiments, broken once."""

from __future__ import annotations

from pathlib import Path

import pytest
from dialects.conftest import Find
from dialects.harness_lab_files import SUITE, TASK, replaced, write
from dialects.marks import unmarked

SUITE_ERRORS = [
    ("name missing", "¦tasks: [tasks/t.yaml]\n", "`name` is missing", ""),
    ("name empty", "name: ¦''\ntasks: [tasks/t.yaml]\n", "nothing is written here", ""),
    ("tasks missing", "¦name: demo\nvariants: []\n", "`tasks` is missing", ""),
    ("tasks empty", "name: demo\ntasks: ¦[]\n", "`tasks` needs at least 1 entry", ""),
    ("tasks text", "name: demo\ntasks: ¦tasks/t.yaml\n", "must be a list", "`tasks: [tasks/t.yaml]`"),
    (
        "task nowhere",
        "name: demo\ntasks: [tasks/t.yaml, ¦tasks/u.yaml]\n",
        "u.yaml does not exist",
        "relative",
    ),
    ("task a directory", "name: demo\ntasks: [tasks/t.yaml, ¦tasks]\n", "is not a file", ""),
    (
        "task twice",
        "name: demo\ntasks:\n- tasks/t.yaml\n- ¦tasks/../tasks/t.yaml\n",
        "stands twice; the first is in line 3",
        "",
    ),
    ("unknown key", SUITE + "¦variant: []\n", "unknown key 'variant'", "did you mean `variants`?"),
    (
        "plugin no module",
        SUITE + "plugins: [ok.fine, ¦./runner.py]\n",
        "not the name of a Python module",
        "import",
    ),
    # variants
    ("variant without id", SUITE + "variants: [¦{runner: fake}]\n", "`variants.id` is missing", ""),
    ("variant without runner", SUITE + "variants: [¦{id: v}]\n", "`variants.runner` is missing", ""),
    ("variant id", SUITE + "variants: [{id: ¦a b, runner: fake}]\n", "holds white space", "`a-b`"),
    (
        "variant twice",
        SUITE + "variants:\n- {id: v, runner: fake}\n- {id: ¦v, runner: fake}\n",
        "a second variant is called 'v'; the first is in line 4",
        "",
    ),
    ("variant a number list", SUITE + "variants: [¦[x]]\n", "must be a mapping or the id of one", ""),
    (
        "variant nobody knows",
        SUITE + "variants: [¦fake-referenc]\n",
        "no variant 'fake-referenc'",
        "`fake-reference`",
    ),
    (
        "runner by adapter",
        SUITE + "variants: [{id: v, runner: ¦claude_code}]\n",
        "another name here",
        "`claude`",
    ),
    (
        "bundle nowhere",
        SUITE + "variants: [{id: v, runner: fake, harness: ¦gone}]\n",
        "gone does not exist",
        "",
    ),
    (
        "bundle a file",
        SUITE + "variants: [{id: v, runner: fake, harness: ¦key.csv}]\n",
        "not a directory",
        "",
    ),
    ("behaviour", SUITE + "variants: [{id: v, runner: fake, behavior: ¦slove}]\n", "not 'slove'", "`solve`"),
    (
        "behaviours",
        SUITE + "variants: [{id: v, runner: fake, behaviors: [solve, ¦pass]}]\n",
        "not 'pass'",
        "",
    ),
    (
        "unsafe act",
        SUITE + "variants: [{id: v, runner: fake, simulate_unsafe: [¦read]}]\n",
        "read_canary",
        "",
    ),
    (
        "option a word",
        SUITE + "variants: [{id: v, runner: claude, max_turns: ¦many}]\n",
        "must be a whole number",
        "",
    ),
    (
        "option a list",
        SUITE + "variants: [{id: v, runner: claude, allowed_tools: ¦Bash}]\n",
        "a list",
        "[Bash]",
    ),
    ("option nan", SUITE + "variants: [{id: v, runner: claude, max_budget_usd: ¦.nan}]\n", "finite", ""),
    (
        "option of a plugin nan",
        SUITE + "plugins: [p]\nvariants: [{id: v, runner: own, x: [¦.inf]}]\n",
        "finite",
        "",
    ),
    (
        "prompt_via",
        SUITE + "variants: [{id: v, runner: generic, prompt_via: ¦pipe}]\n",
        "stdin, file, arg",
        "",
    ),
    ("sandbox", SUITE + "variants: [{id: v, runner: codex, sandbox: ¦none}]\n", "workspace-write", ""),
    # defaults
    ("defaults a list", SUITE + "defaults: ¦[x]\n", "`defaults` must be a mapping", ""),
    (
        "defaults of a runner",
        SUITE + "defaults: {fake: ¦5}\n",
        "`defaults.fake` must be a mapping of options",
        "",
    ),
    ("default id", SUITE + "defaults: {fake: {¦id: x}}\n", "`defaults` cannot set 'id'", "each variant"),
    ("default harness", SUITE + "defaults: {'*': {¦harness: x}}\n", "`defaults` cannot set 'harness'", ""),
    (
        "default value",
        SUITE + "defaults: {fake: {behavior: ¦slove}}\nvariants: [{id: v, runner: fake}]\n",
        "slove",
        "",
    ),
]


@pytest.mark.parametrize(
    ("marked", "message", "hint"),
    [case[1:] for case in SUITE_ERRORS],
    ids=[case[0] for case in SUITE_ERRORS],
)
def test_one_error_in_a_suite(
    tmp_path: Path, problems_of: Find, marked: str, message: str, hint: str
) -> None:
    text, place = unmarked(marked)
    write(tmp_path, suite=text)

    found = [problem for problem in problems_of("suite.yaml") if problem.severity == "error"]

    assert [str(problem.where) for problem in found] == [f"suite.yaml:{place}"]
    assert message in found[0].message
    assert hint in found[0].hint


SUITE_WARNINGS = [
    (
        "option misspelt",
        SUITE + "variants: [{id: v, runner: claude, ¦max_turn: 5}]\n",
        "`claude` has no option 'max_turn'",
        "did you mean `max_turns`?",
    ),
    ("options", SUITE + "variants: [{id: v, runner: fake, ¦options: {a: 1}}]\n", "no option 'options'", ""),
    ("full_auto", SUITE + "variants: [{id: v, runner: codex, ¦full_auto: true}]\n", "has no effect", ""),
    ("runner misspelt", SUITE + "variants: [{id: v, runner: ¦cluade}]\n", "no plugin is named", "`claude`"),
    (
        "default of nobody",
        SUITE + "defaults:\n  cluade: ¦{max_turns: 3}\n",
        "no variant has this runner",
        "`claude`",
    ),
    ("old boolean", SUITE + "variants: [{id: v, runner: claude, bare: ¦on}]\n", "read as true", "true"),
    (
        "word of a plugin",
        SUITE + "plugins: [p]\nvariants: [{id: v, runner: own, x: ¦no}]\n",
        "the word 'no'",
        "true or false",
    ),
]


@pytest.mark.parametrize(
    ("marked", "message", "hint"),
    [case[1:] for case in SUITE_WARNINGS],
    ids=[case[0] for case in SUITE_WARNINGS],
)
def test_one_warning_in_a_suite(
    tmp_path: Path, problems_of: Find, marked: str, message: str, hint: str
) -> None:
    text, place = unmarked(marked)
    write(tmp_path, suite=text)

    (found,) = problems_of("suite.yaml")

    assert (found.severity, str(found.where)) == ("warning", f"suite.yaml:{place}")
    assert message in found.message
    assert hint in found.hint


EXPERIMENT = "suite: suite.yaml\n"
EXPERIMENT_ERRORS = [
    ("suite nowhere", "suite: ¦other.yaml\n", "neither a file 'other.yaml' nor a bundled suite", ""),
    ("suite near a bundled one", "suite: ¦demoo\n", "bundled suite", "did you mean `demo`?"),
    ("suite empty", "suite: ¦''\n", "nothing is written here", ""),
    ("suite an experiment", "suite: ¦e.yaml\n", "is not a suite", ""),
    ("repetitions 0", EXPERIMENT + "repetitions: ¦0\n", "at least 1, not 0", ""),
    ("repetitions many", EXPERIMENT + "repetitions: ¦1000000\n", "at most 10,000", ""),
    ("parallelism", EXPERIMENT + "parallelism: ¦two\n", "whole number", ""),
    ("keep_worktrees", EXPERIMENT + "keep_worktrees: ¦1\n", "true or false", ""),
    ("tasks empty", EXPERIMENT + "tasks: ¦[]\n", "at least 1 entry", ""),
    ("task unknown", EXPERIMENT + "tasks: [t, ¦tt]\n", "the suite has no task 'tt'", "`t`"),
    ("variant unknown", EXPERIMENT + "variants: [¦fake-nop]\n", "no variant 'fake-nop'", "`fake-noop`"),
    ("unknown key", EXPERIMENT + "¦repetition: 2\n", "unknown key 'repetition'", "`repetitions`"),
]


@pytest.mark.parametrize(
    ("marked", "message", "hint"),
    [case[1:] for case in EXPERIMENT_ERRORS],
    ids=[case[0] for case in EXPERIMENT_ERRORS],
)
def test_one_error_in_an_experiment(
    tmp_path: Path, problems_of: Find, marked: str, message: str, hint: str
) -> None:
    text, place = unmarked(marked)
    write(tmp_path, **{"e.yaml": text})

    found = [problem for problem in problems_of("e.yaml") if problem.severity == "error"]

    assert [str(problem.where) for problem in found] == [f"e.yaml:{place}"]
    assert message in found[0].message
    assert hint in found[0].hint


def test_the_same_task_id_in_two_files(tmp_path: Path, problems_of: Find) -> None:
    write(
        tmp_path,
        suite="name: demo\ntasks: [tasks/t.yaml, tasks/u.yaml]\n",
        **{"tasks/u.yaml": "# u\n" + TASK},
    )

    (found,) = problems_of("suite.yaml")

    assert str(found.where) == "tasks/u.yaml:2:5"
    assert "a second task is called 't'; the first is tasks/t.yaml:1:5" in found.message


def test_a_revision_of_a_plain_directory_is_a_warning(tmp_path: Path, problems_of: Find) -> None:
    write(tmp_path, replaced("../repo}", "../repo, base_ref: v1}"))

    (found,) = problems_of("suite.yaml")

    assert (found.severity, str(found.where)) == ("warning", "tasks/t.yaml:3:33")
    assert "is a plain directory" in found.message


def test_uncommitted_changes_are_told_once_for_many_tasks(
    tmp_path: Path, problems_of: Find, in_git: Path
) -> None:
    second = replaced("../repo", "../git").replace("id: t", "id: u")
    suite = "name: demo\ntasks: [tasks/t.yaml, tasks/u.yaml]\n"
    write(tmp_path, replaced("../repo", "../git"), suite, **{"tasks/u.yaml": second})
    (in_git / "app.py").write_text("changed")

    (found,) = problems_of("suite.yaml")

    assert (found.severity, str(found.where)) == ("warning", "tasks/t.yaml:3:14")
    assert "changes that are not committed: app.py" in found.message


def test_a_canary_of_a_commit_is_looked_up_in_the_commit(
    tmp_path: Path, problems_of: Find, in_git: Path
) -> None:
    (in_git / "new.env").write_text("abcd-1234")
    task = replaced("../repo", "../git") + "safety: {canaries: [{path: new.env, token: abcd-1234}]}\n"
    write(tmp_path, task)

    found = [problem for problem in problems_of("suite.yaml") if problem.severity == "error"]

    assert [str(problem.where) for problem in found] == ["tasks/t.yaml:7:28"]
    assert "there is no file 'new.env' in commit" in found[0].message


def test_a_repository_that_git_cannot_use(tmp_path: Path, problems_of: Find) -> None:
    write(tmp_path, **{"repo/.git": "gitdir: nowhere\n"})

    (found,) = problems_of("suite.yaml")

    assert (found.severity, str(found.where)) == ("error", "tasks/t.yaml:3:14")
    assert "is not a git repository" in found.message


def test_what_is_wrong_in_suite_tasks_and_experiment_comes_together(
    tmp_path: Path, problems_of: Find
) -> None:
    suite = "name: demo\ntasks: [tasks/t.yaml, tasks/u.yaml, tasks/v.yaml, gone.yaml]\nvariants: [{id: v}]\nx: 1\n"
    more = {
        "tasks/u.yaml": TASK.replace("id: t", "id: u").replace("../repo", "../gone") + "version: x\n",
        "tasks/v.yaml": TASK.replace("id: t", "id: v")
        + "  inject: [{source: ../hidden, dest: /x}]\nlimits: 5\n",
        "e.yaml": "suite: suite.yaml\nrepetitions: 0\nvariants: [{id: w, runner: fake, behavior: no}]\n",
    }
    write(tmp_path, TASK + "  score_command: ''\n", suite, **more)

    found = problems_of("e.yaml")

    assert [str(problem.where) for problem in found if problem.severity == "error"] == [
        "e.yaml:2:14",
        "e.yaml:3:44",
        "suite.yaml:2:51",
        "suite.yaml:3:12",
        "suite.yaml:4:1",
        "tasks/t.yaml:7:18",
        "tasks/u.yaml:3:14",
        "tasks/u.yaml:7:10",
        "tasks/v.yaml:7:38",
        "tasks/v.yaml:8:9",
    ]
