"""Git is called so that nothing of a repository or of the user takes part."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from support.repositories import git, make_repository, write_files

from bakeoff.errors import UserError
from bakeoff.git.call import (
    GitFailed,
    converse_with_git,
    find_repository,
    is_dirty,
    list_tree,
    neutral_environment,
    resolve_commit,
    run_git,
)


def test_nothing_of_the_environment_reaches_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/somewhere")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.pager=touch /tmp/x'")
    monkeypatch.setenv("SECRET_TOKEN", "secret")
    environment = neutral_environment()
    assert "GIT_DIR" not in environment
    assert "GIT_CONFIG_PARAMETERS" not in environment
    assert "SECRET_TOKEN" not in environment
    assert environment["HOME"] == "/nonexistent"
    assert run_git(["--version"], git_dir=None).startswith(b"git version ")


def test_user_configuration_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Somebody\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    repository = make_repository(tmp_path / "repo", {"a": "1"})
    with pytest.raises(GitFailed) as caught:
        run_git(["config", "user.name"], git_dir=repository / ".git")
    assert caught.value.returncode == 1
    assert caught.value.command == ("config", "user.name")


def test_without_a_git_directory_no_repository_is_found(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo", {"a": "1"})
    with pytest.raises(GitFailed, match="not a git repository"):
        run_git(["rev-parse", "HEAD"], git_dir=None, cwd=repository)


def test_a_failure_tells_what_git_said(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo", {"a": "1"})
    with pytest.raises(GitFailed) as caught:
        run_git(["cat-file", "-p", "deadbeef"], git_dir=repository / ".git")
    assert caught.value.returncode == 128
    assert "deadbeef" in caught.value.stderr
    assert "deadbeef" in str(caught.value)


def test_other_exit_codes_may_be_accepted(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo", {"a": "1"})
    assert run_git(["config", "no.such"], git_dir=repository / ".git", accept=(0, 1)) == b""


def test_a_missing_git_is_a_user_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="git is not installed"):
        run_git(["--version"], git_dir=None)


def test_a_missing_work_tree_is_not_a_missing_git(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo", {"a": "1"})
    with pytest.raises(FileNotFoundError):
        run_git(["status"], git_dir=repository / ".git", work_tree=tmp_path / "missing")


def test_a_conversation_answers_many_questions_with_one_git(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo", {"a": "one", "b": "two"})
    found = []
    with converse_with_git(["cat-file", "--batch"], git_dir=repository / ".git") as conversation:
        for name in (b"HEAD:a", b"HEAD:b"):
            conversation.ask.write(name + b"\n")
            conversation.ask.flush()
            size = int(conversation.answers.readline().split()[2])
            found.append(conversation.answers.read(size + 1)[:-1])
    assert found == [b"one", b"two"]


class TestFindRepository:
    def test_a_work_tree(self, tmp_path: Path) -> None:
        path = make_repository(tmp_path / "repo", {"a": "1"})
        found = find_repository(path)
        assert found is not None
        assert (found.work_tree, found.git_dir, found.common_dir) == (path, path / ".git", path / ".git")
        assert (found.object_format, found.shallow) == ("sha1", False)

    def test_a_linked_work_tree(self, tmp_path: Path) -> None:
        path = make_repository(tmp_path / "repo", {"a": "1"})
        git(path, "worktree", "add", "-q", str(tmp_path / "linked"))
        found = find_repository(tmp_path / "linked")
        assert found is not None
        assert found.work_tree == tmp_path / "linked"
        assert found.git_dir == path / ".git" / "worktrees" / "linked"
        assert found.common_dir == path / ".git"

    def test_a_bare_repository(self, tmp_path: Path) -> None:
        path = make_repository(tmp_path / "repo", {"a": "1"})
        git(tmp_path, "clone", "-q", "--bare", str(path), "bare")
        found = find_repository(tmp_path / "bare")
        assert found is not None
        assert (found.work_tree, found.git_dir) == (None, tmp_path / "bare")

    def test_sha256_and_shallow_repositories(self, tmp_path: Path) -> None:
        path = make_repository(tmp_path / "repo", {"a": "1"}, object_format="sha256")
        write_files(path, {"a": "2"})
        git(path, "commit", "-qam", "second")
        git(tmp_path, "clone", "-q", "--depth=1", f"file://{path}", "shallow")
        found = find_repository(tmp_path / "shallow")
        assert found is not None
        assert (found.object_format, found.shallow) == ("sha256", True)

    def test_not_a_directory_inside_a_repository(self, tmp_path: Path) -> None:
        path = make_repository(tmp_path / "repo", {"sub/a": "1"})
        assert find_repository(path / "sub") is None
        assert find_repository(tmp_path) is None
        assert find_repository(path / "sub" / "a") is None
        assert find_repository(path / "missing") is None

    @pytest.mark.parametrize("marker", ["directory", "text", "dangling"])
    def test_a_broken_git_directory_is_told(self, tmp_path: Path, marker: str) -> None:
        if marker == "directory":
            (tmp_path / ".git").mkdir()
        else:
            (tmp_path / ".git").write_text("nothing" if marker == "text" else "gitdir: ../gone\n")
        with pytest.raises(UserError, match="git"):
            find_repository(tmp_path)

    def test_another_owner_is_no_obstacle(self, tmp_path: Path) -> None:
        if os.getuid() != 0:
            pytest.skip("only root can give a repository away")
        path = make_repository(tmp_path / "repo", {"a": "1"})
        subprocess.run(["chown", "-R", "65534:65534", path], check=True)
        found = find_repository(path)
        assert found is not None
        assert resolve_commit(found, "HEAD") == git(path, "-c", f"safe.directory={path}", "rev-parse", "HEAD")


class TestResolveCommit:
    def test_any_commit_ish_becomes_a_full_id(self, tmp_path: Path) -> None:
        path = make_repository(tmp_path / "repo", {"a": "1"})
        git(path, "tag", "-a", "v1", "-m", "tag")
        head = git(path, "rev-parse", "HEAD")
        found = find_repository(path)
        assert found is not None
        assert {resolve_commit(found, name) for name in ("HEAD", "main", "v1", head[:8])} == {head}

    @pytest.mark.parametrize("revision", ["nothing", "", "--all", "HEAD:a", "HEAD~5", "a b", "0" * 40])
    def test_what_names_no_commit_is_none(self, tmp_path: Path, revision: str) -> None:
        found = find_repository(make_repository(tmp_path / "repo", {"a": "1"}))
        assert found is not None
        assert resolve_commit(found, revision) is None


class TestIsDirty:
    @pytest.mark.parametrize(
        ("change", "dirty"),
        [("", False), ("echo 2 > a", True), ("touch new", True), ("touch x.log", False), ("rm a", True)],
    )
    def test_a_work_tree(self, tmp_path: Path, change: str, dirty: bool) -> None:
        path = make_repository(tmp_path / "repo", {"a": "1", ".gitignore": "*.log\n"})
        subprocess.run(change, shell=True, cwd=path, check=True)
        found = find_repository(path)
        assert found is not None
        assert is_dirty(found) is dirty

    def test_a_bare_repository_never_is(self, tmp_path: Path) -> None:
        path = make_repository(tmp_path / "repo", {"a": "1"})
        found = find_repository(path / ".git")
        assert found is not None
        assert is_dirty(found) is False

    def test_asking_runs_no_code_of_the_repository(self, tmp_path: Path) -> None:
        path = make_repository(tmp_path / "repo", {"a": "1", "b": "1", ".gitattributes": "a filter=x.y\n"})
        trap = f"touch {tmp_path}/ran; cat"
        for key in (
            "filter.x.y.clean",
            "filter.x.y.process",
            "core.fsmonitor",
            "core.pager",
            "diff.external",
        ):
            git(path, "config", key, trap)
        git(path, "config", "filter.x.y.required", "true")
        (path / "a").write_text("3")
        before = (path / ".git" / "index").read_bytes()
        found = find_repository(path)
        assert found is not None
        assert is_dirty(found) is False  # cannot be known without running the filter
        (path / "b").write_text("2")
        assert is_dirty(found) is True
        assert not (tmp_path / "ran").exists()
        assert (path / ".git" / "index").read_bytes() == before


def test_a_tree_lists_every_kind_of_entry_with_raw_paths(tmp_path: Path) -> None:
    path = make_repository(tmp_path / "repo", {"d/a": "1", 'q"\n\t': "2"})
    (path / "run").write_text("3")
    (path / "run").chmod(0o755)
    (path / "link").symlink_to("d/a")
    with open(os.fsencode(path) + b"/caf\xe9", "wb") as file:
        file.write(b"4")
    git(path, "add", "-A")
    git(path, "commit", "-qm", "more")
    entries = list_tree(path / ".git", "HEAD")
    assert {entry.path: entry.mode for entry in entries} == {
        b"caf\xe9": 0o100644,
        b"d/a": 0o100644,
        b"link": 0o120000,
        b'q"\n\t': 0o100644,
        b"run": 0o100755,
    }
    assert [entry.path for entry in entries] == sorted(entry.path for entry in entries)
    assert all(len(entry.id) == 40 for entry in entries)
