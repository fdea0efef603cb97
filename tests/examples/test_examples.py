"""The examples are right themselves: solutions pass, each breaking edit fails exactly its check."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from examples import ablate, harness_lab
from examples.example import Edit, Example, apply, as_shell
from support.checking import MemoryEvidence, ShellContext
from support.repositories import git

from bakeoff.dialects.load import load
from bakeoff.model.check import Change, ChangeKind, Check, Status
from bakeoff.model.suite import GitStart, Task


def _ablate(root: Path) -> Example:
    return ablate.build_ablate_example(root, setup=ablate.local_setup(Path(sys.executable).parent))


BUILDERS: dict[str, Callable[[Path], Example]] = {
    "ablate": _ablate,
    "ablate, every field": ablate.build_ablate_every_field,
    "suite": harness_lab.build_harness_lab_example,
}


def start(task: Task, workspace: Path) -> None:
    """The starting files as a repository of one commit, prepared by the task's setup."""
    if isinstance(task.start, GitStart):
        git(
            task.start.repository,
            "worktree",
            "add",
            "-q",
            "--detach",
            str(workspace),
            task.start.commit or "",
        )
        (workspace / ".git").unlink()
    else:
        assert task.start.folder is not None
        shutil.copytree(task.start.folder, workspace)
    git(workspace, "init", "-q")
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "-m", "start")
    for command in task.setup.commands:
        subprocess.run(["/bin/sh", "-c", command], cwd=workspace, check=True)


def evidence_of(workspace: Path) -> MemoryEvidence:
    """What changed since the start, as git tells it."""
    git(workspace, "add", "-A")
    listing = git(workspace, "diff", "--cached", "--name-status", "--no-renames").splitlines()
    kinds = {"A": ChangeKind.ADDED, "D": ChangeKind.DELETED, "M": ChangeKind.MODIFIED}
    pairs = [line.split("\t") for line in listing]
    files = [name for name in git(workspace, "ls-files").splitlines() if (workspace / name).is_file()]
    return MemoryEvidence(
        changes=tuple(Change(path=name.encode(), kind=kinds[kind]) for kind, name in pairs),
        diffs={name.encode(): git(workspace, "diff", "--cached", "--", name) + "\n" for _, name in pairs},
        files={name.encode(): (workspace / name).read_text() for name in files},
    )


def failing(checks: tuple[Check, ...], workspace: Path) -> list[str]:
    """The ids of the checks that do not pass, up to one that stops."""
    evidence = evidence_of(workspace)
    outside = workspace.parent / f"{workspace.name}-outside"
    context = ShellContext(workspace=workspace, outside=outside, diff=evidence.diff())
    found = []
    for check in checks:
        verdict = check.evaluate(evidence, context)
        if verdict.status is not Status.PASSED:
            found.append(check.id)
            if check.stop:
                break
    return found


@pytest.mark.parametrize("name", BUILDERS)
def test_solution_passes_and_each_breaking_edit_fails_its_check_alone(tmp_path: Path, name: str) -> None:
    example = BUILDERS[name](tmp_path / "example")
    (task,) = load(str(example.spec), cwd=tmp_path).tasks
    edits: dict[str, Edit] = {"solution": example.solution, "nothing": {}, **example.breaking}
    results = {}
    for number, (label, edit) in enumerate(edits.items()):
        workspace = tmp_path / f"workspace-{number}"
        start(task, workspace)
        apply(edit, workspace)
        results[label] = failing(task.checks, workspace)

    assert results.pop("solution") == []
    assert results.pop("nothing")
    assert results == {check: [check] for check in example.breaking}
    assert set(example.breaking) == {check.id for check in task.checks}


def test_the_score_of_a_partial_solution_is_known(tmp_path: Path) -> None:
    example = harness_lab.build_harness_lab_example(tmp_path)
    (task,) = load(str(example.spec), cwd=tmp_path).tasks
    workspace = tmp_path / "workspace"
    start(task, workspace)
    apply(example.breaking["verification"], workspace)

    context = ShellContext(workspace=workspace, outside=tmp_path / "outside")
    verdict = task.checks[1].evaluate(evidence_of(workspace), context)

    assert (verdict.status, verdict.score) == (Status.FAILED, 0.5)
    assert verdict.numbers == {"tests_passed": 2, "tests_total": 4}


def test_an_edit_as_shell_commands_does_the_same(tmp_path: Path) -> None:
    edit: Edit = {"a/b c.txt": "it's\n$HOME `x` \\n\n", "gone.txt": None}
    for name in ("direct", "shell"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "gone.txt").write_text("")
    apply(edit, tmp_path / "direct")

    subprocess.run(["/bin/sh", "-c", as_shell(edit)], cwd=tmp_path / "shell", check=True)

    for name in ("direct", "shell"):
        assert (tmp_path / name / "a" / "b c.txt").read_text() == edit["a/b c.txt"]
        assert not (tmp_path / name / "gone.txt").exists()
