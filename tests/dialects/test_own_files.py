"""An agent cannot read its suite, even when that lies among the files that it starts from."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.repositories import git, make_repository, write_files

from bakeoff.dialects.load import load
from bakeoff.model.suite import Suite
from bakeoff.workspace.seal import seal

ABLATE = "id: t\nprompt: x\nassert: [{id: a, type: lint, run: x}]\n"
LAB = """\
id: t
name: T
repo: {path: ../..}
prompt: x
verification:
  command: x
  inject: [{source: ../hidden tests, dest: tests/hidden}]
reference_solution: {overlay: '../solutions/[a]', partial_overlay: ../solutions/half}
improve:
  objective: {command: x, inject: [{source: ../measure.py, dest: m.py}]}
"""
LAB_FILES = {
    "app.py": "print()\n",
    "trial/notes.md": "kept\n",
    "trial/suite.yaml": "name: s\ntasks: [tasks/t.yaml]\n",
    "trial/e.yaml": "suite: suite.yaml\n",
    "trial/tasks/t.yaml": LAB,
    "trial/hidden tests/test_x.py": "secret\n",
    "trial/solutions/[a]/app.py": "secret\n",
    "trial/solutions/half/app.py": "secret\n",
    "trial/measure.py": "secret\n",
}


def sealed_paths(suite: Suite, tmp_path: Path) -> set[str]:
    """What a trial of the one task really starts from."""
    (task,) = suite.tasks
    return {path.decode() for path in seal(task.start, (), cache=tmp_path / "cache").files}


def test_committed_ablate_tasks_are_hidden(tmp_path: Path) -> None:
    files = {"p/app.py": "", "p/.ablate/tasks/t.yaml": ABLATE, "p/.ablate/checks/hidden.sh": "", "other": ""}
    make_repository(tmp_path / "git", files)

    suite = load("git/p", cwd=tmp_path)

    assert sealed_paths(suite, tmp_path) == {"p/app.py", "other"}
    (warning,) = suite.warnings
    assert warning.severity == "warning"
    assert warning.message == "the suite's own files are hidden from the agent: p/.ablate/"


def test_an_ablate_task_elsewhere_in_the_repository_is_hidden(tmp_path: Path) -> None:
    make_repository(tmp_path / "git", {"app.py": "", "evaluation/t.yaml": ABLATE, "evaluation/more.txt": ""})

    suite = load("git/evaluation/t.yaml", cwd=tmp_path)

    assert sealed_paths(suite, tmp_path) == {"app.py", "evaluation/more.txt"}


def test_tasks_that_are_not_committed_need_no_hiding(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "git", {"app.py": ""})
    write_files(root, {".ablate/tasks/t.yaml": ABLATE})

    suite = load("git", cwd=tmp_path)

    assert (suite.warnings, suite.tasks[0].start.hide) == ((), ())


def test_what_a_task_hides_itself_stays_hidden(tmp_path: Path) -> None:
    files = {"app.py": "", "answer.py": "", ".ablate/tasks/t.yaml": ABLATE + "hide: [answer.py]\n"}
    make_repository(tmp_path / "git", files)

    assert sealed_paths(load("git", cwd=tmp_path), tmp_path) == {"app.py"}


@pytest.mark.parametrize("in_git", [True, False])
@pytest.mark.parametrize(
    ("spec", "left"),
    [
        ("start/trial/suite.yaml", {"app.py", "trial/notes.md", "trial/e.yaml"}),
        ("start/trial/e.yaml", {"app.py", "trial/notes.md"}),
        ("start/trial/tasks/t.yaml", {"app.py", "trial/notes.md", "trial/e.yaml", "trial/suite.yaml"}),
    ],
)
def test_a_harness_lab_suite_inside_of_its_start_is_hidden(
    tmp_path: Path, spec: str, left: set[str], in_git: bool
) -> None:
    if in_git:
        make_repository(tmp_path / "start", LAB_FILES)
    else:
        write_files(tmp_path / "start", LAB_FILES)

    suite = load(spec, cwd=tmp_path)

    assert sealed_paths(suite, tmp_path) == left
    (warning,) = suite.warnings
    assert warning.message.startswith("the suite's own files are hidden from the agent: trial/")
    assert str(warning.where) == spec.replace("e.yaml", "suite.yaml" if "/e.yaml" in spec else "e.yaml")


def test_a_suite_beside_its_start_hides_nothing(tmp_path: Path) -> None:
    files = {f"all/{name}": text for name, text in LAB_FILES.items()}
    files["all/trial/tasks/t.yaml"] = LAB.replace("../..", "../../../repo")
    write_files(tmp_path, {**files, "repo/app.py": ""})

    suite = load("all/trial/suite.yaml", cwd=tmp_path)

    assert (suite.warnings, suite.tasks[0].start.hide) == ((), ())


def test_the_files_of_other_tasks_of_the_suite_are_hidden_too(tmp_path: Path) -> None:
    second = "id: u\nname: U\nrepo: {path: ../..}\nprompt: x\nverification: {command: x}\n"
    files = {
        "a.py": "",
        "s/suite.yaml": "name: s\ntasks: [tasks/t.yaml, tasks/u.yaml]\n",
        "s/tasks/t.yaml": second.replace("id: u", "id: t"),
        "s/tasks/u.yaml": second,
    }
    make_repository(tmp_path / "git", files)

    suite = load("git/s/suite.yaml", cwd=tmp_path)

    kept = [seal(task.start, (), cache=tmp_path / "cache").files.keys() for task in suite.tasks]
    assert [set(each) for each in kept] == [{b"a.py"}, {b"a.py"}]
    assert len(suite.warnings) == 1


def test_names_that_look_like_globs_are_hidden_exactly(tmp_path: Path) -> None:
    odd = "{a,b} [x]*?\\é.yaml"
    names = [odd, "a [x]*?\\é.yaml", "{a,b} xyz\\é.yaml"]
    root = make_repository(tmp_path / "git", dict.fromkeys(names, ABLATE))
    assert git(root, "status", "--porcelain") == ""

    suite = load(f"git/{odd}", cwd=tmp_path)

    assert sealed_paths(suite, tmp_path) == set(names) - {odd}
