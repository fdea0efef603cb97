"""What a SPEC may be: files, projects, directories, bundled names, one task of them; and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.repositories import make_repository, write_files

from bakeoff.dialects.bundled import bundled_names, bundled_suite
from bakeoff.dialects.load import load
from bakeoff.errors import UserError
from bakeoff.model.suite import Dialect

TASK = "id: one\nprompt: x\nassert: [{id: a, type: lint, run: x}]\n"
LAB_TASK = "id: t\nname: T\nrepo: {path: repo}\nprompt: x\nverification: {command: x}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with two ablate tasks, one of them in a .yml file."""
    root = make_repository(tmp_path / "my project", {"src/deep/a.txt": "a"})
    second = TASK.replace("one", "two")
    write_files(root, {".ablate/tasks/one.yaml": TASK, ".ablate/tasks/two.yml": second})
    return root


@pytest.mark.parametrize(
    ("cwd", "spec"),
    [
        (".", "."),
        (".", ".ablate"),
        (".", ".ablate/tasks"),
        (".", ".ablate/tasks/"),
        (".", "src"),
        ("src/deep", "."),
        ("src/deep", "../.."),
        (".ablate/tasks", "."),
    ],
)
def test_ablate_tasks_from_anywhere_in_the_project(project: Path, cwd: str, spec: str) -> None:
    suite = load(spec, cwd=project / cwd)

    assert (suite.name, suite.dialect) == ("my-project", Dialect.ABLATE)
    assert suite.path == project / ".ablate" / "tasks"
    assert [task.id for task in suite.tasks] == ["one", "two"]
    assert suite.warnings == ()


def test_an_absolute_path(project: Path, tmp_path: Path) -> None:
    assert len(load(str(project), cwd=tmp_path).tasks) == 2


def test_one_task_file_of_a_project(project: Path) -> None:
    suite = load(".ablate/tasks/two.yml", cwd=project)

    assert [task.id for task in suite.tasks] == ["two"]


def test_a_folder_of_ablate_tasks_elsewhere_and_one_such_file(project: Path) -> None:
    write_files(project, {"more/one.yaml": TASK, "more/notes.txt": "x"})

    assert [task.id for task in load("more", cwd=project).tasks] == ["one"]
    assert [task.id for task in load("more/one.yaml", cwd=project).tasks] == ["one"]


def test_files_that_are_no_tasks_are_left_alone_and_deeper_ones_are_warned_about(project: Path) -> None:
    tasks = project / ".ablate" / "tasks"
    write_files(tasks, {"README.md": "x", ".#one.yaml": "[", "old/three.yaml": TASK})

    suite = load(".", cwd=project)

    assert [task.id for task in suite.tasks] == ["one", "two"]
    assert [(str(item.where), item.message) for item in suite.warnings] == [
        (".ablate/tasks/old", "holds YAML files that are not read")
    ]


def test_a_suite_a_directory_with_one_and_one_task_of_it(tmp_path: Path) -> None:
    second = LAB_TASK.replace("id: t", "id: u")
    suite = "name: s\ntasks: [t.yaml, u.yaml]\n"
    write_files(tmp_path, {"s/suite.yaml": suite, "s/t.yaml": LAB_TASK, "s/u.yaml": second, "s/repo/a": ""})

    assert [task.id for task in load("s/suite.yaml", cwd=tmp_path).tasks] == ["t", "u"]
    assert [task.id for task in load("s", cwd=tmp_path).tasks] == ["t", "u"]
    assert [task.id for task in load("s::u", cwd=tmp_path).tasks] == ["u"]
    assert [task.id for task in load("s/suite.yaml::t", cwd=tmp_path).tasks] == ["t"]
    alone = load("s/u.yaml", cwd=tmp_path)
    assert (alone.name, [task.id for task in alone.tasks]) == ("u", ["u"])
    assert [arm.id for arm in alone.arms] == ["fake-reference"]
    with pytest.raises(UserError, match="s has no task 'v'"):
        load("s::v", cwd=tmp_path)


def test_bundled_suites_by_name_unless_a_file_has_it(tmp_path: Path) -> None:
    assert "demo" in bundled_names()
    for spec in ("demo", "suites/demo", "suites/demo/suite.yaml"):
        assert load(spec, cwd=tmp_path).name == "demo"
    assert len(load("demo::one-typo", cwd=tmp_path).tasks) == 1

    (tmp_path / "demo").mkdir()
    assert load("demo", cwd=tmp_path).path == bundled_suite("demo")
    (tmp_path / "demo").rmdir()
    write_files(tmp_path, {"demo": "name: mine\ntasks: [t.yaml]\n", "t.yaml": LAB_TASK, "repo/a": ""})

    assert load("demo", cwd=tmp_path).name == "mine"


def test_an_experiment_may_name_a_bundled_suite(tmp_path: Path) -> None:
    write_files(tmp_path, {"e.yaml": "name: e\nsuite: demo\ntasks: [one-typo]\nvariants: [right]\n"})

    suite = load("e.yaml", cwd=tmp_path)

    assert (suite.name, suite.experiment_name) == ("demo", "e")
    assert ([task.id for task in suite.tasks], [arm.id for arm in suite.arms]) == (["one-typo"], ["right"])


REFUSED = [
    ("*", {}, "all suites of an agent-exam project, and there is none here"),
    ("x.yaml", {"x.yaml": "id: t\nprompt: x\nchecks: []\n"}, "a native task belongs to a suite"),
    ("x.yaml", {"x.yaml": "prompt: x\nassertions: [{judge: x}]\n"}, "belongs to a suite of a project"),
    ("x.yaml", {"x.yaml": "kind: trigger\nskill: s\npositive: [x]\n"}, "put it into evals/suites"),
    (".", {"evals/config.yaml": ""}, "there is no suite"),
    (".", {"evals/notes.txt": ""}, "holds no tasks"),
    ("x.yaml", {"x.yaml": "suite: s\nbase_variant: {}\nfactors: {}\n"}, "sweep or grow file: not supported"),
    ("x.yaml", {"x.yaml": "a: 1\n"}, "none of the formats"),
    ("x.yaml", {"x.yaml": "- a\n"}, "none of the formats"),
    ("x.yaml", {}, "there is no 'x.yaml'"),
    ("nothing", {}, "there is no 'nothing'"),
    ("demoo", {}, "did you mean `demo`"),
    ("s::t::c", {}, "there is no 's'"),
    ("demo::t::c", {}, "only agent-exam suites have cases"),
    ("::t", {}, "does not name a task"),
    ("s::", {}, "does not name a task"),
    (".", {"a.txt": "x"}, "holds no tasks"),
    (".", {".ablate/tasks/README.md": "x"}, "holds no task file"),
    ("x" * 300, {}, "there is no 'xxx"),
    ("a\0b", {}, "there is no"),
    (".", {"a.txt": ""}, "holds no tasks"),
    ("", {".ablate/tasks/t.yaml": ""}, "the name of the suite is empty"),
]


@pytest.mark.parametrize(("spec", "files", "message"), REFUSED)
def test_what_is_refused(tmp_path: Path, spec: str, files: dict[str, str], message: str) -> None:
    root = make_repository(tmp_path / "root", files)

    with pytest.raises(UserError) as refused:
        load(spec, cwd=root)

    (problem,) = refused.value.problems
    assert message in f"{problem.message} {problem.hint}"
    assert problem.hint


def test_the_search_for_a_project_ends_at_the_top_of_the_checkout(project: Path) -> None:
    inner = make_repository(project / "vendored", {"a.txt": "x"})

    with pytest.raises(UserError, match="holds no tasks"):
        load(".", cwd=inner)
