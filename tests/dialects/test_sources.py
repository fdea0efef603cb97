"""Repositories that tasks start from: every kind of them, and commits resolved when files are loaded."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest
from support.repositories import git, make_repository, write_files

from bakeoff.dialects.load import load
from bakeoff.errors import ProblemsFound
from bakeoff.model.suite import FolderStart, GitStart

LAB_TASK = (
    "id: t\nname: T\nrepo: {{path: {path}, base_ref: {ref}}}\nprompt: x\nverification: {{command: x}}\n"
)
ABLATE_TASK = "id: {id}\nbase_commit: {commit}\nprompt: x\nassert: [{{id: a, type: lint, run: x}}]\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A repository with two commits, a branch on the first one, and a tag."""
    root = make_repository(tmp_path / "source", {"a.txt": "1"})
    git(root, "branch", "old")
    write_files(root, {"a.txt": "2"})
    git(root, "commit", "-q", "-a", "-m", "second")
    git(root, "tag", "-a", "v2", "-m", "annotated")
    return root


def start_of(folder: Path, path: str, ref: str = "HEAD") -> GitStart | FolderStart:
    write_files(folder, {"task.yaml": LAB_TASK.format(path=path, ref=ref)})
    (task,) = load("task.yaml", cwd=folder).tasks
    return task.start


@pytest.mark.parametrize(
    "ref", ["HEAD", "main", "v2", "refs/tags/v2", "main@{0}", "old", "HEAD~1", "v2^", "main^{/first}"]
)
def test_a_revision_becomes_a_full_id(tmp_path: Path, source: Path, ref: str) -> None:
    start = start_of(tmp_path, "source", f"'{ref}'")

    assert isinstance(start, GitStart)
    assert (start.repository, start.revision) == (source, ref)
    assert start.commit == git(source, "rev-parse", f"{ref}^{{commit}}")


@pytest.mark.parametrize("name", ["0123456", "12e4567", "1.10", "no", "1_000"])
def test_a_name_that_looks_like_a_number_is_read_as_it_is_written(
    tmp_path: Path, source: Path, name: str
) -> None:
    git(source, "tag", name, "old")

    start = start_of(tmp_path, "source", name)

    assert isinstance(start, GitStart)
    assert (start.revision, start.commit) == (name, git(source, "rev-parse", "old"))


def test_short_and_full_ids(tmp_path: Path, source: Path) -> None:
    full = git(source, "rev-parse", "old")

    for text in (full, full[:7], full[:12].upper()):
        start = start_of(tmp_path, "source", f"'{text}'")
        assert isinstance(start, GitStart)
        assert start.commit == full


def test_a_bare_repository(tmp_path: Path, source: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(source), "bare.git")

    start = start_of(tmp_path, "bare.git", "old")

    assert isinstance(start, GitStart)
    assert (start.repository, start.commit) == (tmp_path / "bare.git", git(source, "rev-parse", "old"))


def test_a_linked_work_tree_has_a_head_of_its_own(tmp_path: Path, source: Path) -> None:
    git(source, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"), "old")

    start = start_of(tmp_path, "linked")

    assert isinstance(start, GitStart)
    assert start.commit == git(source, "rev-parse", "old")


def test_a_sha256_repository(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "source", {"a": "1"}, object_format="sha256")

    start = start_of(tmp_path, "source")

    assert isinstance(start, GitStart)
    assert start.commit == git(root, "rev-parse", "HEAD")
    assert len(start.commit) == 64


def test_a_plain_directory_also_inside_a_repository(tmp_path: Path, source: Path) -> None:
    write_files(source, {"inner/a.txt": "x"})
    (tmp_path / "plain").mkdir()

    for path in ("plain", "source/inner"):
        start = start_of(tmp_path, path)
        assert isinstance(start, FolderStart)
        assert start.folder == tmp_path / path


def test_a_link_to_a_repository(tmp_path: Path, source: Path) -> None:
    (tmp_path / "link").symlink_to("source")

    start = start_of(tmp_path, "link")

    assert isinstance(start, GitStart)
    assert start.repository == source


def test_the_beginning_of_several_ids(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "source", {})
    stream = "".join(
        f"commit refs/heads/many\ncommitter T <t@example.invalid> {number} +0000\ndata 1\nx\n"
        for number in range(1000)
    )
    subprocess.run(["git", "fast-import", "--quiet"], cwd=root, input=stream.encode(), check=True)
    shortened = sorted(line[:4] for line in git(root, "rev-list", "many").splitlines())
    twice = next(one for one, other in itertools.pairwise(shortened) if one == other)
    write_files(tmp_path, {"task.yaml": LAB_TASK.format(path="source", ref=f"'{twice}'")})

    with pytest.raises(ProblemsFound) as refused:
        load("task.yaml", cwd=tmp_path)

    (problem,) = refused.value.problems
    assert f"'{twice}' is the beginning of several ids" in problem.message


def test_each_unknown_commit_is_told_where_it_stands(source: Path) -> None:
    names = {f"t{number}": ("old" if number % 2 else f"gone-{number}") for number in range(6)}
    tasks = {
        f".ablate/tasks/{name}.yaml": ABLATE_TASK.format(id=name, commit=ref) for name, ref in names.items()
    }
    write_files(source, tasks)

    with pytest.raises(ProblemsFound) as refused:
        load(".", cwd=source)

    places = [str(problem.where) for problem in refused.value.problems]
    assert places == [f".ablate/tasks/t{number}.yaml:2:14" for number in (0, 2, 4)]


def test_a_project_below_the_top_of_its_checkout(source: Path) -> None:
    write_files(source, {"packages/one/.ablate/tasks/t.yaml": ABLATE_TASK.format(id="t", commit="HEAD")})

    suite = load("packages/one", cwd=source)

    (task,) = suite.tasks
    assert isinstance(task.start, GitStart)
    assert (task.start.repository, suite.name, suite.warnings) == (source, "one", ())


def test_a_branch_that_moves_later_does_not_move_the_task(source: Path) -> None:
    write_files(source, {".ablate/tasks/t.yaml": ABLATE_TASK.format(id="t", commit="main")})
    (task,) = load(".", cwd=source).tasks
    before = git(source, "rev-parse", "main")

    git(source, "commit", "-q", "--allow-empty", "-m", "third")

    assert isinstance(task.start, GitStart)
    assert task.start.commit == before


def test_loading_leaves_the_repository_as_it_is(tmp_path: Path, source: Path) -> None:
    from bakeoff.identity import digest_tree

    write_files(
        source, {".ablate/tasks/t.yaml": ABLATE_TASK.format(id="t", commit="HEAD"), "a.txt": "changed"}
    )
    git(source, "config", "core.fsmonitor", f"touch {tmp_path}/ran; echo")
    git(source, "config", "core.hooksPath", str(tmp_path))
    before = digest_tree(source)

    suite = load(".", cwd=source)

    assert len(suite.warnings) == 1
    assert digest_tree(source) == before
    assert not (tmp_path / "ran").exists()
