"""The files of a project around its tasks: pyproject, fixtures, names, and what is out of place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from dialects.agent_exam.exam_files import CONFIG, CONFIGURATION, HELLO, TASK, write
from support.repositories import make_repository, write_files
from support.workspaces import plain_walk, workspace

from bakeoff.dialects.load import load
from bakeoff.errors import Problem, UserError
from bakeoff.workspace.seal import seal


def problems_of(root: Path) -> list[Problem]:
    with pytest.raises(UserError) as refused:
        load(".", cwd=root)
    return list(refused.value.problems)


PYPROJECTS = [
    ("[tool.agent-exam]\n  evals_dri = 'x'\n", "unknown key 'tool.agent-exam.evals_dri'", "2:3"),
    ("[tool.agent-exam]\nevals_dir = '../x'\n", "leaves the project", "2:1"),
    ("[tool.agent-exam]\nevals_dir = 3\n", "must be text", "2:1"),
    ("[tool.agent-exam]\nevals_dir = 'nowhere'\n", "is no directory", "2:1"),
    ("[tool.agent-exam]\npre_run_hook = 'module'\n", "is no function", "2:1"),
    ("[tool\n", "is not valid TOML", "1:6"),
]


@pytest.mark.parametrize(("text", "message", "place"), PYPROJECTS)
def test_what_is_wrong_with_pyproject(tmp_path: Path, text: str, message: str, place: str) -> None:
    write(tmp_path, {"pyproject.toml": text})

    problem = problems_of(tmp_path)[0]

    assert message in problem.message
    assert str(problem.where) == f"pyproject.toml:{place}"


def test_a_fixture_is_copied_without_git_and_placeholders_and_its_links_stay_links(tmp_path: Path) -> None:
    root = write(tmp_path / "p", {HELLO: TASK + "setup: {fixture: small}\n"})
    fixture = root / "evals/fixtures/small"
    write_files(fixture, {"sub/.gitkeep": "", "sub/b.txt": "b\n", ".gitignore": "*.log\n", "x.log": "log\n"})
    make_repository(fixture / "vendored", {"c.txt": "c\n"})
    for name, target in {"link": "sub/b.txt", "loop": ".", "dangling": "/nowhere"}.items():
        (fixture / name).symlink_to(target)

    suite = load(".", cwd=root)
    with workspace(seal(suite.tasks[0].start, (), cache=tmp_path / "cache"), tmp_path / "w") as made:
        nested: set[bytes] = set()
        found = plain_walk(made.path, nested)

    assert suite.warnings == ()
    assert nested == set()
    links = {path.decode(): content.decode() for path, (kind, _, content) in found.items() if kind == "link"}
    assert links == {"link": "sub/b.txt", "loop": ".", "dangling": "/nowhere"}
    files = {path.decode() for path, (kind, _, _) in found.items() if kind == "file"}
    assert files == {".gitignore", "a.txt", "sub/b.txt", "vendored/c.txt", "x.log"}


def test_what_of_a_fixture_cannot_be_copied(tmp_path: Path) -> None:
    task = TASK + "setup: {fixture: small}\n"
    root = write(tmp_path / "p", {HELLO: task, "evals/suites/greet/tasks/two.yaml": task})
    write_files(root, {"evals/fixtures/small/dist/.gitkeep": ""})
    assert [str(item) for item in load(".", cwd=root).warnings] == [
        (
            "evals/fixtures/small: warning: directories without a file are not there for the agent: dist\n\n"
            "  hint: put a file into them that may be seen; `.gitkeep` is not copied\n"
        )
    ]

    os.mkfifo(root / "evals/fixtures/small/pipe")
    (problem,) = [item for item in problems_of(root) if item.severity == "error"]
    assert str(problem).startswith("evals/fixtures/small/pipe: cannot be copied: named pipe")


def test_files_of_a_fixture_that_git_ignores_are_missing_elsewhere(tmp_path: Path) -> None:
    files = {HELLO: TASK + "setup: {fixture: small}\n", ".gitignore": "*.log\ncache/\n"}
    root = make_repository(tmp_path / "p", {"a": ""})
    write(root, files)
    fixtures = {"small/a.log": "", "small/cache/b.txt": "", "other/c.log": ""}
    write_files(root / "evals/fixtures", fixtures)

    (warning,) = load(".", cwd=root).warnings

    assert str(warning).startswith(
        "evals/fixtures/small: warning: git ignores files that are copied to the agent: a.log, cache/\n"
    )


def test_a_fixture_that_is_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    root = write(tmp_path / "p", {HELLO: TASK + "setup: {fixture: out}\n"})
    (root / "evals/fixtures/out").symlink_to(root / "evals/suites")

    assert "leaves the folder of fixtures" in problems_of(root)[0].message


FILES_OF_A_PROJECT = [
    ({"evals/suites/greet/tasks/hello.yml": TASK}, "hello.yml: a second task is called 'hello'"),
    ({"evals/suites/greet/tasks/a b.yaml": TASK}, "a b.yaml: the name of a task file"),
    ({"evals/suites/bad name/tasks/t.yaml": TASK}, "bad name: the name of the folder of a suite"),
    ({"evals/config.yml": CONFIG}, "config.yml: stands beside config.yaml"),
    ({"evals/suites/greet/suite.yml": "", "evals/suites/greet/suite.yaml": ""}, "suite.yml: stands beside"),
    ({"evals/suites/greet/suite.yml": "tags: [smok]\n"}, "suite.yml:1:8: the tag 'smok' is not declared"),
    ({"evals/suites/greet/suite.yml": "evaluated_skill: [x]\n"}, "suite.yml:1:1: unknown key"),
    ({"evals/suites/greet/tasks/b.yaml": "\ufeff" + TASK}, "b.yaml:1:1: warning: begins with a byte order"),
    ({"evals/suites/greet/tasks/deep/b.yaml": TASK}, "deep: warning: holds YAML files that are not read"),
    ({"evals/suites/empty/README.md": ""}, "empty: warning: the suite holds no task"),
]


@pytest.mark.parametrize(("files", "message"), FILES_OF_A_PROJECT)
def test_files_in_places_where_they_mean_nothing(tmp_path: Path, files: dict[str, str], message: str) -> None:
    write(tmp_path, files)
    try:
        problems = list(load(".", cwd=tmp_path).warnings)
    except UserError as error:
        problems = list(error.problems)

    assert [message in str(problem) for problem in problems] == [True], "\n".join(map(str, problems))


def test_one_bad_file_hides_no_other_problem(tmp_path: Path) -> None:
    broken = "evals/suites/{}/tasks/{}.yaml"
    write_files(
        tmp_path,
        {
            CONFIGURATION: "concurrency_groups: {g: 0}\n",
            broken.format("a", "latin"): "",
            broken.format("a", "list"): "- x\n",
            broken.format("b", "syntax"): "prompt: [\n",
            broken.format("b", "unknown"): TASK + "promt: x\ntimeout_seconds: 0\n",
        },
    )
    (tmp_path / broken.format("a", "latin")).write_bytes(b"prompt: caf\xe9\n")

    assert [str(item.where) for item in problems_of(tmp_path)] == [
        "evals/config.yaml:1:25",
        "evals/suites/a/tasks/latin.yaml:1:12",
        "evals/suites/a/tasks/list.yaml:1:1",
        "evals/suites/b/tasks/syntax.yaml:1:10",
        "evals/suites/b/tasks/unknown.yaml:4:1",
        "evals/suites/b/tasks/unknown.yaml:5:18",
    ]
