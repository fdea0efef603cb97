"""Paths that are protected or forbidden although nothing of that name is there are warned about."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from dialects.conftest import Find
from dialects.marks import unmarked
from support.repositories import git, make_repository, write_files

from bakeoff.dialects.load import load

FILES = {
    "src/app.py": "",
    "src/deep/inner.py": "",
    "tests/test_app.py": "",
    "pyproject.toml": "",
}

WARNINGS = [
    ("type: unchanged, paths: [¦test]", "'test' matches no file", "did you mean `tests`?"),
    ("type: unchanged, paths: [tests, ¦test/**]", "'test/**' matches no file", "did you mean `tests/**`?"),
    ("type: unchanged, paths: [¦tests/test_ap.py]", "no file", "did you mean `tests/test_app.py`?"),
    ("type: unchanged, paths: [¦inner.py]", "no file", "did you mean `src/deep/inner.py`?"),
    ("type: unchanged, paths: [¦zzz/qqq]", "no file", "nothing that exists is protected by it"),
    ("type: files_touched, must_not_include: [¦src]", "'src' is a directory", "write `src/**`"),
    ("type: files_touched, must_include: [¦src/deep]", "is a directory", "write `src/deep/**`"),
    ("type: files_touched, must_not_include: [¦pyproject.tom]", "no file", "did you mean `pyproject.toml`?"),
]

SILENT = [
    "type: unchanged, paths: [tests, tests/, tests/**, src/app.py, '*.lock', 'src/*.new', '**/conftest.py']",
    "type: files_touched, must_not_include: [vendor/**, src/, 'src/*.txt', pyproject.toml]",
    "type: files_touched, must_include: [new_file.py]",
]


def ablate_task(fields: str) -> str:
    return f"id: t\nprompt: x\nassert:\n  - {{id: a, {fields}}}\n"


@pytest.mark.parametrize(("fields", "message", "hint"), WARNINGS)
def test_an_assertion_on_what_is_not_there(
    tmp_path: Path, problems_of: Find, fields: str, message: str, hint: str
) -> None:
    text, place = unmarked(ablate_task(fields))
    make_repository(tmp_path / "project", FILES)
    write_files(tmp_path, {"project/.ablate/tasks/t.yaml": text})

    (problem,) = problems_of("project")

    assert (problem.severity, str(problem.where)) == ("warning", f"project/.ablate/tasks/t.yaml:{place}")
    assert message in problem.message
    assert hint in problem.hint


@pytest.mark.parametrize("fields", SILENT)
def test_a_glob_may_be_meant_for_files_to_come(tmp_path: Path, problems_of: Find, fields: str) -> None:
    make_repository(tmp_path / "project", FILES)
    write_files(tmp_path, {"project/.ablate/tasks/t.yaml": ablate_task(fields)})

    assert problems_of("project") == []


@pytest.mark.parametrize("in_git", [True, False])
def test_a_protected_path_that_is_misspelt(tmp_path: Path, problems_of: Find, in_git: bool) -> None:
    text, place = unmarked(
        "id: t\nname: T\nrepo: {path: repo}\nprompt: x\n"
        "verification: {command: x, protected_paths: [src/, ¦test]}\n"
    )
    make_repository(tmp_path / "repo", FILES)
    if not in_git:
        (tmp_path / "repo" / ".git").rename(tmp_path / "elsewhere")
    write_files(tmp_path, {"t.yaml": text})

    (problem,) = problems_of("t.yaml")

    assert (problem.severity, str(problem.where)) == ("warning", f"t.yaml:{place}")
    assert "'test' matches no file of the starting files" in problem.message
    assert problem.hint == "did you mean `tests`?"


def test_the_commit_counts_and_not_what_lies_on_disk(tmp_path: Path, problems_of: Find) -> None:
    root = make_repository(tmp_path / "project", FILES)
    write_files(root, {"later.py": ""})
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "later")
    task = ablate_task("type: unchanged, paths: [later.py]") + "base_commit: HEAD~1\n"
    write_files(root, {".ablate/tasks/t.yaml": task})

    assert ["'later.py' matches no file" in each.message for each in problems_of("project")] == [True]


def test_a_thousand_tasks_are_quick(tmp_path: Path) -> None:
    files = {f"src/m{number % 40}/f{number}.py": "" for number in range(2000)}
    root = make_repository(tmp_path / "project", files)
    for number in range(1000):
        text = ablate_task(f"type: unchanged, paths: ['src/m{number % 40}', f{number}.py]")
        write_files(root, {f".ablate/tasks/t{number}.yaml": text.replace("id: t", f"id: t{number}", 1)})
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "tasks")

    started = time.process_time()
    suite = load("project", cwd=tmp_path)

    assert len(suite.tasks) == 1000
    assert time.process_time() - started < 30
