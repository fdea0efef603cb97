"""Which supervisor is opened, and what is said about it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.machine import python_environment
from support.supervising import is_running

from bakeoff.errors import UserError
from bakeoff.process.forked_supervisor import ForkedSupervisor
from bakeoff.process.quiet import run_quietly
from bakeoff.process.start import open_supervisor, probe_bubblewrap
from bakeoff.process.supervise import Command, EndReason, InnerPaths, View
from bakeoff.process.supervise import Supervisor as Protocol

PATH = "/usr/local/bin:/usr/bin:/bin"


@pytest.fixture
def without_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.fixture
def with_broken_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{PATH}")


@pytest.mark.usefixtures("without_bubblewrap")
def test_auto_says_why_there_is_no_sandbox() -> None:
    said: list[str] = []
    with contextlib.closing(open_supervisor("auto", say=said.append)) as supervisor:
        assert supervisor.name == "process"
    assert said == ["no sandbox: bubblewrap is not installed"]
    assert probe_bubblewrap() == "bubblewrap is not installed"


@pytest.mark.usefixtures("with_broken_bubblewrap")
def test_a_bubblewrap_that_does_not_work_is_told_in_its_own_words() -> None:
    said: list[str] = []
    with contextlib.closing(open_supervisor("auto", say=said.append)) as supervisor:
        assert supervisor.name == "process"
    assert len(said) == 1
    assert "uid map: Permission denied" in said[0]
    with pytest.raises(UserError, match="uid map: Permission denied") as caught:
        open_supervisor("bubblewrap")
    assert caught.value.problems[0].hint


@pytest.mark.usefixtures("without_bubblewrap")
def test_asking_for_a_missing_bubblewrap_is_an_error_with_a_hint() -> None:
    with pytest.raises(UserError, match="not installed") as caught:
        open_supervisor("bubblewrap")
    assert "install bubblewrap" in caught.value.problems[0].hint


@pytest.mark.sandbox
def test_auto_takes_bubblewrap_where_it_works() -> None:
    said: list[str] = []
    with contextlib.closing(open_supervisor("auto", say=said.append)) as supervisor:
        assert supervisor.name == "bubblewrap"
    assert said == []
    assert probe_bubblewrap() is None


def test_the_process_supervisor_claims_only_what_it_does(tmp_path: Path) -> None:
    view = View(workspace=tmp_path, home=tmp_path / "home", tmp=tmp_path / "tmp")
    with contextlib.closing(open_supervisor("process")) as opened:
        supervisor: Protocol = opened
        assert {name for name, in_force in supervisor.protections.items() if in_force} == {
            "dies_with_bakeoff",
            "ends_detached_children",
            "no_new_privileges",
        }
        assert len(supervisor.protections) == 7
        assert supervisor.inner_paths(view) == InnerPaths(
            workspace=str(tmp_path), home=str(tmp_path / "home"), tmp=str(tmp_path / "tmp")
        )


def test_a_moved_mount_is_refused_without_a_sandbox(tmp_path: Path) -> None:
    moved = View(workspace=tmp_path, home=tmp_path, tmp=tmp_path, mounts={tmp_path: ("/elsewhere", False)})
    same = View(workspace=tmp_path, home=tmp_path, tmp=tmp_path, mounts={tmp_path: (str(tmp_path), False)})
    command = Command(argv=("true",), env={"PATH": PATH}, cwd=str(tmp_path), stdout=tmp_path / "out")
    with contextlib.closing(open_supervisor("process")) as supervisor:
        with pytest.raises(ValueError, match="elsewhere"):
            supervisor.run(command, moved, interrupt=threading.Event())
        assert supervisor.run(command, same, interrupt=threading.Event()).reason is EndReason.EXITED


def test_closing_ends_the_helper() -> None:
    supervisor = open_supervisor("process")
    assert isinstance(supervisor, ForkedSupervisor)
    pid = supervisor.zygote_pid
    assert is_running(pid)
    supervisor.close()
    assert not is_running(pid)


def test_a_quiet_question_is_answered(tmp_path: Path) -> None:
    env = {"PATH": PATH, "WHO": "me"}
    assert run_quietly(["sh", "-c", "echo $WHO; echo no >&2; exit 3"], env=env, timeout_s=20) == (3, b"me\n")
    assert run_quietly(["sh", "-c", "kill -9 $$"], env=env, timeout_s=20) == (-9, b"")
    assert run_quietly(["pwd"], env=env, timeout_s=20, cwd=tmp_path) == (0, f"{tmp_path}\n".encode())


def test_a_quiet_question_without_an_answer_is_none() -> None:
    env = {"PATH": PATH}
    assert run_quietly(["no-such-program"], env=env, timeout_s=20) is None
    assert (
        run_quietly(["sh", "-c", "trap '' TERM; echo on; sleep 320; sleep 320"], env=env, timeout_s=0.3)
        is None
    )


_ELSEWHERE = """
import os, sys, threading
from pathlib import Path
import pydantic  # chooses by platform too, and is not what is tested
pydantic.BaseModel
for name in ("pidfd_open", "memfd_create", "splice", "waitid"):
    delattr(os, name)
sys.platform = "darwin"
from bakeoff.process.start import open_supervisor, probe_bubblewrap
from bakeoff.process.supervise import Command, View
here = Path(sys.argv[1])
supervisor = open_supervisor("auto", say=print)
end = supervisor.run(
    Command(argv=("sh", "-c", "echo x; exit 4"), env={"PATH": os.defpath}, cwd="/", stdout=here / "out"),
    View(workspace=here, home=here, tmp=here),
    interrupt=threading.Event(),
)
print(supervisor.name, end.exit_code, any(supervisor.protections.values()), probe_bubblewrap())
print([name for name in sys.modules if name in ("ctypes", "bakeoff.process.zygote")])
"""


def test_systems_other_than_linux_get_process_groups(tmp_path: Path) -> None:
    end = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE, str(tmp_path)],
        env=python_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert end.stdout.splitlines() == [
        "no sandbox: bubblewrap works on Linux only",
        "process 4 False bubblewrap works on Linux only",
        "[]",
    ], end.stderr
