"""What is wrong with the machine, a flag or a place is said in one sentence, and never called a bug."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import tempfile

import click
import pytest
from support.bakeoff_run import bakeoff, command_of
from support.repositories import git
from support.suites import make_suite

from bakeoff.cli import main


@pytest.fixture
def project(tmp_path):
    return make_suite(tmp_path, tasks={"task": {}}, arms={"agent": [{"text": "x"}]})


def failing(error):
    @click.command()
    def broken():
        raise error

    return broken


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EMFILE])
def test_a_fault_of_the_machine_is_no_bug(code, monkeypatch, capsys):
    monkeypatch.setattr(main, "cli", failing(OSError(code, "It is so", "/some/where")))
    assert main.run([]) == main.USAGE_ERROR
    assert capsys.readouterr().err == "bakeoff: It is so: /some/where\n"


def test_any_other_error_of_the_system_is_a_bug(monkeypatch, capsys, tmp_path):
    error = FileNotFoundError(errno.ENOENT, "It is so", "/some/where")
    monkeypatch.setattr(main, "cli", failing(error))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert main.run([]) == main.BUG
    assert "this is a bug in Bakeoff" in capsys.readouterr().err


@pytest.mark.parametrize("home", [".", "", "elsewhere"])
def test_a_directory_with_other_content_is_not_made_a_store(project, home):
    elsewhere = project.root / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "notes.txt").write_text("mine\n")
    directory = project.root / home
    directory.chmod(0o755)
    before = sorted(each.name for each in directory.iterdir())
    answer = project.run("--home", home)
    assert answer.code == 2
    assert "is not a store of Bakeoff: it holds" in answer.err
    assert sorted(each.name for each in directory.iterdir()) == before
    assert stat.S_IMODE(directory.stat().st_mode) == 0o755


def test_an_empty_directory_becomes_a_store_and_is_used_again(project):
    (project.root / "empty").mkdir()
    for _ in range(2):
        answer = project.run("--home", "empty", "--sandbox", "process")
        assert answer.code == 0, answer.story


@pytest.mark.parametrize("command", ["run", "validate"])
def test_an_empty_name_is_not_the_directory(project, command):
    answer = bakeoff(command, "", cwd=project.root)
    assert answer.code == 2
    assert "the name of the suite is empty" in answer.err


@pytest.mark.parametrize(("flag", "most"), [("-k", 10_000), ("-j", 1_000)])
def test_numbers_that_can_only_be_a_slip_are_refused(project, flag, most):
    assert project.run(flag, str(most), "--dry-run").code == 0
    answer = project.run(flag, str(most + 1), "--dry-run")
    assert answer.code == 2
    assert f"is not in the range 1<=x<={most}" in answer.err


def test_a_damaged_repository_is_told_and_not_called_a_bug(tmp_path):
    start = tmp_path / "start"
    project = make_suite(tmp_path, tasks={"task": {}}, arms={"agent": [{"text": "x"}]})
    git(start, "init", "-q")
    git(start, "add", ".")
    git(start, "commit", "-q", "-m", "base")
    tree = git(start, "rev-parse", "HEAD^{tree}").strip()
    (start / ".git/objects" / tree[:2] / tree[2:]).unlink()
    for arguments in (("run", "suite.yaml"), ("validate", "suite.yaml")):
        answer = bakeoff(*arguments, cwd=project.root)
        assert answer.code == 2, answer.story
        assert "does not hold all objects of" in answer.err


@pytest.mark.parametrize("flag", ["--arm", "--tasks", "--drop", "--tag", "--model", "--harness", "--name"])
def test_an_empty_value_is_not_no_value(project, flag):
    answer = project.run(flag, "", "--dry-run")
    assert answer.code == 2
    assert f"{flag}" in answer.err
    assert "it is empty" in answer.err


@pytest.mark.parametrize("name", ["latest", "prev", "a::b", "a\nb", "\x1b[31m", "x" * 201])
def test_a_name_that_cannot_be_asked_for_is_refused(project, name):
    answer = project.run("--name", name, "--dry-run")
    assert answer.code == 2
    assert "Invalid value for '--name'" in answer.err


def started(project, *arguments, redirected=""):
    """Exit code and standard error of a command whose streams a shell redirects."""
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {redirected}', "sh", *command_of(arguments)],
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=280,
        check=False,
    )
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize(
    "arguments",
    [("list",), ("show",), ("show", "latest::task", "--json"), ("validate", "suite.yaml"), ("--help",)],
)
def test_a_reader_that_goes_away_trips_no_gate(project, arguments):
    assert project.run("--sandbox", "process").code == 0
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            command_of(arguments),
            cwd=project.root,
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=280,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr.decode().count("Traceback")) == (0, 0), done.stderr.decode()
    assert "BrokenPipe" not in done.stderr.decode()


@pytest.mark.parametrize("redirected", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_may_be_closed(project, redirected):
    code, errors = started(
        project, "run", "suite.yaml", "--sandbox", "process", "--json", redirected=redirected
    )
    assert code == 0, errors
    assert project.record().outcome == "pass"


def test_a_full_disk_behind_the_output_is_told(project):
    assert project.run("--sandbox", "process").code == 0
    code, errors = started(project, "list", redirected="> /dev/full")
    assert (code, errors) == (2, "bakeoff: No space left on device\n")


def test_a_directory_that_is_gone_is_told(project):
    gone = project.root / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["/bin/sh", "-c", 'cd gone && rmdir ../gone && exec "$@"', "sh", *command_of(["list"])],
        cwd=project.root,
        capture_output=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"bakeoff: the current directory cannot be used: No such file")
