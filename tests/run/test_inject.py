"""Injected files are exactly there for a check, and gone without a trace afterwards."""

import os
import stat
from pathlib import Path

import pytest

from bakeoff.errors import CheckBroken
from bakeoff.model.check import Injection
from bakeoff.run.inject import injected


@pytest.fixture
def place(tmp_path):
    for name in ("workspace", "aside", "source", "outside"):
        (tmp_path / name).mkdir()
    (tmp_path / "source" / "test_hidden.py").write_text("hidden\n")
    (tmp_path / "outside" / "test_hidden.py").write_text("the user's own\n")
    return tmp_path


def listing(root):
    found = {}
    for directory, names, files in os.walk(root):
        for name in names + files:
            path = os.path.join(directory, name)
            relative = os.path.relpath(path, root)
            if os.path.islink(path):
                found[relative] = f"-> {os.readlink(path)}"
            else:
                found[relative] = "directory" if os.path.isdir(path) else Path(path).read_text()
    return found


def inject(place, dest, source="source"):
    return injected([Injection(source=place / source, dest=dest)], place / "workspace", place / "aside")


def test_a_directory_appears_and_goes_away(place):
    before = listing(place / "workspace")
    with inject(place, "tests/hidden/") as replaced:
        assert (place / "workspace/tests/hidden/test_hidden.py").read_text() == "hidden\n"
        assert replaced == []
    assert listing(place / "workspace") == before


def test_what_lay_there_is_replaced_exactly_and_comes_back(place):
    hidden = place / "workspace/tests/hidden"
    hidden.mkdir(parents=True)
    (hidden / "conftest.py").write_text("planted by the agent\n")
    before = listing(place / "workspace")
    with inject(place, "tests/hidden") as replaced:
        assert listing(hidden) == {"test_hidden.py": "hidden\n"}
        assert replaced == ["tests/hidden"]
    assert listing(place / "workspace") == before


def test_a_single_file(place):
    with inject(place, "a/b/test.py", source="source/test_hidden.py"):
        assert (place / "workspace/a/b/test.py").read_text() == "hidden\n"
    assert listing(place / "workspace") == {}


def test_a_link_on_the_way_is_replaced_and_never_followed(place):
    (place / "workspace/tests").symlink_to(place / "outside")
    before = listing(place / "workspace")
    with inject(place, "tests/test_hidden.py", source="source/test_hidden.py") as replaced:
        assert not (place / "workspace/tests").is_symlink()
        assert (place / "workspace/tests/test_hidden.py").read_text() == "hidden\n"
        assert replaced == ["tests/test_hidden.py"]
    assert listing(place / "workspace") == before
    assert listing(place / "outside") == {"test_hidden.py": "the user's own\n"}


def test_a_link_put_there_by_the_command_cannot_make_us_delete_elsewhere(place):
    with inject(place, "tests/test_hidden.py", source="source/test_hidden.py"):
        tests = place / "workspace/tests"
        (tests / "test_hidden.py").unlink()
        tests.rmdir()
        tests.symlink_to(place / "outside")
    assert listing(place / "outside") == {"test_hidden.py": "the user's own\n"}
    assert not (place / "workspace/tests").exists()


def test_what_was_replaced_comes_back_although_its_directory_is_gone(place):
    (place / "workspace/tests").mkdir()
    (place / "workspace/tests/test_hidden.py").write_text("the agent's\n")
    with inject(place, "tests/test_hidden.py", source="source/test_hidden.py"):
        (place / "workspace/tests/test_hidden.py").unlink()
        (place / "workspace/tests").rmdir()
    assert listing(place / "workspace") == {"tests": "directory", "tests/test_hidden.py": "the agent's\n"}


def test_a_file_where_a_directory_is_needed(place):
    (place / "workspace/tests").write_text("a file\n")
    with inject(place, "tests/hidden"):
        assert (place / "workspace/tests/hidden/test_hidden.py").exists()
    assert listing(place / "workspace") == {"tests": "a file\n"}


def test_the_whole_workspace_as_destination(place):
    (place / "workspace/app.py").write_text("app\n")
    with inject(place, "./"):
        assert listing(place / "workspace") == {"app.py": "app\n", "test_hidden.py": "hidden\n"}
    assert listing(place / "workspace") == {"app.py": "app\n"}


@pytest.mark.parametrize("dest", ["../x", "a/../../x"])
def test_a_destination_outside_is_refused(place, dest):
    with pytest.raises(CheckBroken, match="leaves the workspace"), inject(place, dest):
        pass


def test_a_missing_source_is_refused(place):
    with pytest.raises(CheckBroken, match="missing"), inject(place, "x", source="nowhere"):
        pass


def test_a_workspace_that_was_replaced_by_a_link_is_refused(place):
    (place / "workspace").rmdir()
    (place / "workspace").symlink_to(place / "outside")
    with pytest.raises(CheckBroken, match="replaced"), inject(place, "x"):
        pass
    assert listing(place / "outside") == {"test_hidden.py": "the user's own\n"}


def test_an_error_inside_the_block_still_puts_everything_back(place):
    with pytest.raises(RuntimeError), inject(place, "x"):
        raise RuntimeError
    assert listing(place / "workspace") == {}


CLOSED = 0o555


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def test_closed_directories_are_open_for_the_time_and_closed_again(place):
    inner = place / "workspace/tests/hidden"
    inner.mkdir(parents=True)
    (inner / "kept.txt").write_text("the agent's\n")
    directories = [inner, inner.parent, place / "workspace"]
    for directory in directories:
        directory.chmod(CLOSED)
    try:
        with inject(place, "tests/hidden/new/case.py", source="source/test_hidden.py"):
            assert [mode(each) & 0o700 for each in directories] == [0o700] * 3
            assert (inner / "new/case.py").read_text() == "hidden\n"
        assert [mode(each) for each in directories] == [CLOSED] * 3
        assert os.listdir(inner) == ["kept.txt"]
    finally:
        for directory in reversed(directories):
            directory.chmod(0o755)


def test_a_closed_directory_at_the_destination_is_replaced_and_comes_back_closed(place):
    hidden = place / "workspace/hidden"
    hidden.mkdir()
    (hidden / "planted.py").write_text("planted\n")
    hidden.chmod(0)
    try:
        with inject(place, "hidden"):
            assert listing(hidden) == {"test_hidden.py": "hidden\n"}
        assert mode(hidden) == 0
    finally:
        hidden.chmod(0o755)
    assert listing(hidden) == {"planted.py": "planted\n"}


def test_what_the_command_closed_is_taken_away_all_the_same(place):
    with inject(place, "tests/hidden"):
        (place / "workspace/tests/hidden/inner").mkdir()
        for name in ("hidden/inner", "hidden", "."):
            (place / "workspace/tests" / name).chmod(CLOSED)
    assert listing(place / "workspace") == {}


def test_a_closed_directory_that_became_a_link_is_not_followed(place):
    tests = place / "workspace/tests"
    tests.mkdir()
    tests.chmod(CLOSED)
    outside = mode(place / "outside")
    with inject(place, "tests/hidden.py", source="source/test_hidden.py"):
        os.unlink(tests / "hidden.py")
        tests.rmdir()
        tests.symlink_to(place / "outside")
    assert mode(place / "outside") == outside
    assert listing(place / "outside") == {"test_hidden.py": "the user's own\n"}
