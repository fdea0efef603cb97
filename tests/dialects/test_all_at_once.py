"""One mistake does not keep another one from being told."""

from __future__ import annotations

from pathlib import Path

from dialects.conftest import Find
from support.repositories import make_repository, write_files


def places(problems_of: Find, spec: str) -> list[str]:
    return [f"{each.where}: {each.message}" for each in problems_of(spec) if each.severity == "error"]


def test_a_task_without_its_prompt_is_looked_at_to_the_end(tmp_path: Path, problems_of: Find) -> None:
    task = (
        "id: t\nname: T\nrepo: {path: nowhere}\npromt: x\n"
        "verification:\n  command: x\n  inject:\n    - {source: missing, dest: ../out}\n"
        "reference_solution: {overlay: gone}\n"
    )
    write_files(
        tmp_path, {"suite.yaml": "name: s\ntasks: [a.yaml, b.yaml]\n", "a.yaml": task, "b.yaml": task}
    )

    found = places(problems_of, "suite.yaml")

    assert [each.partition(": ")[0] for each in found] == [
        *["a.yaml:3:14", "a.yaml:4:1", "a.yaml:8:16", "a.yaml:8:31", "a.yaml:9:31"],
        *["b.yaml:1:5", "b.yaml:3:14", "b.yaml:4:1", "b.yaml:8:16", "b.yaml:8:31", "b.yaml:9:31"],
    ]
    assert "a second task is called 't'" in found[5]


def test_a_revision_of_a_task_that_is_wrong_elsewhere(tmp_path: Path, problems_of: Find) -> None:
    make_repository(tmp_path / "repo", {"a": ""})
    write_files(
        tmp_path,
        {"t.yaml": "id: t\nname: T\nrepo: {path: repo, base_ref: nosuch}\nverification: {command: x}\n"},
    )

    found = places(problems_of, "t.yaml")

    assert ["`prompt` is missing" in found[0], "no commit 'nosuch'" in found[1]] == [True, True]


def test_an_ablate_task_that_is_wrong_in_many_ways(tmp_path: Path, problems_of: Find) -> None:
    root = make_repository(tmp_path / "project", {"a": ""})
    task = (
        "id: t\nbase_commit: nosuch\npromt: x\nassert:\n"
        "  - {id: a, type: command, run: x, inject: [{source: missing, dest: ../out}]}\n"
    )
    write_files(root, {".ablate/tasks/a.yaml": task, ".ablate/tasks/b.yaml": "id: t\n"})

    found = places(problems_of, "project")

    for part in (
        "no commit 'nosuch'",
        "unknown key 'promt'",
        "missing does not exist",
        "a second task is called 't'",
    ):
        assert sum(part in each for each in found) == 1, (part, found)


def test_a_file_that_is_not_there_and_one_of_nearly_that_name(tmp_path: Path, problems_of: Find) -> None:
    write_files(tmp_path, {"x/suite.yaml": ""})

    (problem,) = problems_of("x/suit.yaml")

    assert (problem.message, problem.hint) == ("there is no 'x/suit.yaml'", "did you mean `x/suite.yaml`?")
