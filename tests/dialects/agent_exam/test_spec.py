"""What SPECs name in an agent-exam project, alone and together."""

from __future__ import annotations

from pathlib import Path

import pytest
from dialects.agent_exam.exam_files import HELLO, TASK, TRIGGER, write
from support.repositories import make_repository, write_files

from bakeoff.dialects.agent_exam.cases import case_name
from bakeoff.dialects.load import load, load_all
from bakeoff.errors import UserError

HI = case_name("say hello")
COFFEE = case_name("make coffee")
GREET = ["greet::hello", f"greet::when::{HI}", f"greet::when::{COFFEE}"]
RELEASE = ["release::hello", "release::notes"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two suites, one with a trigger file; both have a task called `hello`."""
    root = make_repository(tmp_path_factory.mktemp("exam") / "my project", {"src/deep/a.txt": "a"})
    write(
        root,
        {
            "evals/suites/greet/suite.yml": "tags: [smoke]\n",
            "evals/suites/greet/tasks/when.yaml": TRIGGER,
            "evals/suites/release/tasks/hello.yaml": TASK,
            "evals/suites/release/tasks/notes.yaml": TASK + "tags: [slow]\n",
        },
    )
    # A directory of the project with the name of a suite.
    write_files(root, {"release/notes.txt": "", "src/demo/a.txt": ""})
    return root


def names(suite) -> list[str]:
    return [task.key for task in suite.tasks]


ALONE = [
    (".", ".", GREET + RELEASE),
    (".", "evals", GREET + RELEASE),
    (".", "evals/suites", GREET + RELEASE),
    (".", "*", GREET + RELEASE),
    ("src/deep", ".", GREET + RELEASE),
    ("src/deep", "*", GREET + RELEASE),
    (".", "greet", GREET),
    ("src/deep", "greet", GREET),
    ("evals/suites/greet", ".", GREET),
    ("evals/suites/greet/tasks", ".", GREET),
    (".", "evals/suites/greet", GREET),
    (".", "evals/suites/greet/suite.yml", GREET),
    (".", "release", RELEASE),
    (".", "greet::hello", ["greet::hello"]),
    (".", HELLO, ["greet::hello"]),
    ("evals/suites/greet/tasks", "hello.yaml", ["greet::hello"]),
    (".", "*::hello", ["greet::hello", "release::hello"]),
    (".", "greet::when", GREET[1:]),
    (".", "greet::when::0", GREET[1:2]),
    (".", "greet::when::1", GREET[2:]),
    (".", f"greet::when::{COFFEE}", GREET[2:]),
    (".", "evals/suites/greet::hello", ["greet::hello"]),
    (".", "evals/suites/greet/tasks/when.yaml::1", GREET[2:]),
    (".", ".::greet::hello", ["greet::hello"]),
    (".", "evals::release", RELEASE),
]


@pytest.mark.parametrize(("cwd", "spec", "expected"), ALONE)
def test_what_one_spec_names(project: Path, cwd: str, spec: str, expected: list[str]) -> None:
    suite = load(spec, cwd=project / cwd)

    assert names(suite) == expected
    suites = {task.suite for task in suite.tasks}
    assert suite.name in ({"my-project"} if len(suites) > 1 else {*suites, "my-project"})


def test_a_project_is_found_from_elsewhere(project: Path, tmp_path: Path) -> None:
    assert names(load(str(project), cwd=tmp_path)) == GREET + RELEASE
    assert names(load(f"{project}::release::notes", cwd=tmp_path)) == ["release::notes"]


TOGETHER = [
    (["greet", "release"], GREET + RELEASE),
    (["release", "greet"], GREET + RELEASE),
    (["greet::hello", "greet", "greet::hello"], GREET),
    (["greet::when::1", f"greet::when::{COFFEE}"], GREET[2:]),
    (["*::hello", "release::notes"], ["greet::hello", *RELEASE]),
    ([HELLO, "release::hello"], ["greet::hello", "release::hello"]),
]


@pytest.mark.parametrize(("specs", "expected"), TOGETHER)
def test_several_specs_name_each_task_once_in_the_order_of_the_project(
    project: Path, specs: list[str], expected: list[str]
) -> None:
    assert names(load_all(specs, cwd=project)) == expected


def test_a_task_that_a_spec_names_is_held_back_by_nothing(project: Path) -> None:
    def held(*specs: str) -> dict[str, tuple[str, ...]]:
        return {
            task.key: task.held_back_by for task in load_all(specs, cwd=project).tasks if task.held_back_by
        }

    assert held(".") == held("*") == held("release") == {"release::notes": ("slow",)}
    assert held("release::notes") == held("*::notes") == held("release", "release::notes") == {}


REFUSED = [
    ("greet:hello", "there is no 'greet:hello'", "write `greet::hello`"),
    ("*:hello", "there is no '*:hello'", "write `*::hello`"),
    ("gret", "there is no 'gret'", "did you mean `greet`"),
    ("nothing-like-it", "there is no", "suites of this project: greet, release"),
    ("greet::helo", "suite greet has no task 'helo'", "did you mean `hello`"),
    ("*::helo", "no suite of the project has a task 'helo'", "`hello`"),
    ("greet::hello::0", "has no cases", "write greet::hello"),
    ("greet::when::2", "has no case '2'", "0 to 1"),
    ("greet::when::0::1", "too many parts", "suite::task::case"),
    ("greet::*", "ends with `*`", "leave the last part out"),
    ("greet::", "does not name a task", "SPEC::task"),
    ("::hello", "does not name a task", "SPEC::task"),
    (".::gret", "has no suite 'gret'", "`greet`"),
]


@pytest.mark.parametrize(("spec", "message", "hint"), REFUSED)
def test_what_names_nothing(project: Path, spec: str, message: str, hint: str) -> None:
    with pytest.raises(UserError) as refused:
        load(spec, cwd=project)

    (problem,) = refused.value.problems
    assert message in problem.message
    assert hint in problem.hint


def test_a_spec_that_exists_as_a_path_is_that_path(tmp_path: Path) -> None:
    ablate = "id: one\nprompt: x\nassert: [{id: a, type: lint, run: x}]\n"
    root = write(tmp_path / "p")
    inner = make_repository(root / "greet", {"a.txt": ""})
    write_files(inner, {".ablate/tasks/one.yaml": ablate, "we::ird.yaml": ablate})

    assert names(load("greet", cwd=root)) == ["one"]
    assert names(load("we::ird.yaml", cwd=inner)) == ["one"]


def test_a_suite_of_the_project_comes_before_a_bundled_one(tmp_path: Path) -> None:
    root = write(tmp_path, {"evals/suites/demo/tasks/mine.yaml": TASK})

    assert names(load("demo", cwd=root)) == ["demo::mine"]
    assert len(load("demo", cwd=tmp_path.parent).tasks) > 1


def test_only_suites_that_are_named_are_read(tmp_path: Path) -> None:
    root = write(tmp_path, {"evals/suites/broken/tasks/x.yaml": "prompt: [\n"})

    assert names(load("greet", cwd=root)) == ["greet::hello"]
    with pytest.raises(UserError, match="not valid YAML"):
        load(".", cwd=root)


def test_a_broken_project_that_is_not_meant_is_no_obstacle(tmp_path: Path) -> None:
    lab = "id: t\nname: T\nrepo: {path: repo}\nprompt: x\nverification: {command: x}\n"
    files = {"pyproject.toml": "[tool.agent-exam]\nnonsense = 1\n", "lab.yaml": lab, "repo/a": ""}
    root = write(tmp_path, files)

    assert names(load("lab.yaml", cwd=root)) == ["t"]
    assert names(load("demo::one-typo", cwd=root)) == ["one-typo"]


LAB_TASK = "id: {0}\nname: T\nrepo: {{path: repo}}\nprompt: x\nverification: {{command: x}}\n"
VARIANT = "variants: [{{id: v, runner: fake, behavior: {0}}}]\n"


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """Three Harness Lab suites; the third runs under another variant."""
    for name, behaviour in (("one", "noop"), ("two", "noop"), ("three", "fail")):
        suite = f"name: {name}\ntasks: [t.yaml, u.yaml]\n" + VARIANT.format(behaviour)
        files = {"suite.yaml": suite, "t.yaml": LAB_TASK.format("t"), "u.yaml": LAB_TASK.format("u")}
        write_files(tmp_path / name, files | {"repo/a": ""})
    return tmp_path


def test_suites_of_other_formats_run_together_where_their_arms_agree(lab: Path) -> None:
    both = load_all(["one", "two::u"], cwd=lab)

    assert (both.name, names(both)) == ("one+two", ["one::t", "one::u", "two::u"])
    assert [arm.id for arm in both.arms] == ["v"]
    assert {both.path, *both.other_paths} == {lab / "one/suite.yaml", lab / "two/suite.yaml"}
    assert names(load_all(["one::t", "one", "one/suite.yaml"], cwd=lab)) == ["one::t", "one::u"]


def test_what_cannot_run_together_says_why(lab: Path, project: Path) -> None:
    with pytest.raises(UserError, match="one and three cannot be run together: their arms differ"):
        load_all(["one", "three"], cwd=lab)
    with pytest.raises(UserError, match="files of several formats cannot be run together"):
        load_all(["one", str(project)], cwd=lab)
    write_files(lab, {"again/suite.yaml": (lab / "one/suite.yaml").read_text(), "again/repo/a": ""})
    for name in ("t", "u"):
        write_files(lab, {f"again/{name}.yaml": LAB_TASK.format(name)})
    with pytest.raises(UserError, match="two tasks are called one::t"):
        load_all(["one", "again"], cwd=lab)


def test_problems_of_all_specs_are_told_at_once(lab: Path) -> None:
    write_files(lab, {"one/t.yaml": "id: t\n", "two/u.yaml": "nonsense: 1\n"})

    with pytest.raises(UserError) as refused:
        load_all(["one", "two"], cwd=lab)

    assert {str(problem.where.file) for problem in refused.value.problems if problem.where} == {
        "one/t.yaml",
        "two/u.yaml",
    }
