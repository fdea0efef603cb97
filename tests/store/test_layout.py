"""Where the store lies, who may read it, and that git does not see it."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from bakeoff.errors import UserError
from bakeoff.store.layout import Layout, find_home, plain_name


def git(*arguments: str, cwd: Path) -> str:
    return subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True, text=True).stdout


def test_the_home_is_at_the_top_of_the_checkout_from_any_directory_in_it(tmp_path: Path) -> None:
    git("init", "-q", ".", cwd=tmp_path)
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert find_home(deep, None, {}) == tmp_path / ".bakeoff"


def test_a_linked_work_tree_has_its_own_home(tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    git("init", "-q", ".", cwd=main)
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one", cwd=main)
    git("worktree", "add", "-q", str(tmp_path / "linked"), cwd=main)
    (tmp_path / "linked" / "sub").mkdir()
    assert find_home(tmp_path / "linked" / "sub", None, {}) == tmp_path / "linked" / ".bakeoff"


def test_outside_a_checkout_the_home_is_where_the_command_runs(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    # An empty `.git` is what git itself does not take for a repository.
    (tmp_path / ".git").mkdir()
    inner.mkdir()
    assert find_home(inner, None, {}) == inner / ".bakeoff"


def test_the_option_wins_over_the_variable_and_both_over_the_checkout(tmp_path: Path) -> None:
    git("init", "-q", ".", cwd=tmp_path)
    environ = {"BAKEOFF_HOME": "from-variable"}
    assert find_home(tmp_path, None, environ) == tmp_path / "from-variable"
    assert find_home(tmp_path, Path("from-option"), environ) == tmp_path / "from-option"
    assert find_home(tmp_path, Path("/elsewhere/../x"), environ) == Path("/x")
    assert find_home(tmp_path, None, {"BAKEOFF_HOME": ""}) == tmp_path / ".bakeoff"


def test_everything_is_for_the_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    layout = Layout(home=tmp_path / "home")
    before = os.umask(0)
    try:
        layout.create()
    finally:
        os.umask(before)
    directories = [path for path in (layout.home, *layout.home.iterdir()) if path.is_dir()]
    assert len(directories) == 7
    assert {stat.S_IMODE(path.stat().st_mode) for path in directories} == {0o700}


def test_a_home_that_others_could_read_is_closed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o755)
    Layout(home=home).create()
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_git_does_not_see_the_store(tmp_path: Path) -> None:
    git("init", "-q", ".", cwd=tmp_path)
    layout = Layout(home=find_home(tmp_path, None, {}))
    layout.create()
    (layout.artifacts / "something").write_text("x")
    assert git("status", "--porcelain", "--untracked-files=all", cwd=tmp_path) == ""


def test_making_it_again_changes_nothing_that_is_there(tmp_path: Path) -> None:
    layout = Layout(home=tmp_path / "home")
    layout.create()
    (layout.home / ".gitignore").write_text("mine\n")
    layout.create()
    assert (layout.home / ".gitignore").read_text() == "mine\n"


def test_a_home_that_cannot_be_made_is_told_to_the_user(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot make the store"):
        Layout(home=tmp_path / "file").create()
    with pytest.raises(UserError, match="cannot make the store"):
        Layout(home=tmp_path / "file" / "below").create()


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", ".hidden", "a\0b", "-x", "a" * 201, "é"])
def test_names_that_are_no_plain_file_names_never_become_paths(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a plain file name"):
        plain_name(name)
    with pytest.raises(ValueError, match="not a plain file name"):
        Layout(home=tmp_path).trial_artifacts("exp_1", name)
