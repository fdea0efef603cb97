"""Nothing of a trial outlives Bakeoff, its zygote or a supervisor, even when they are killed outright."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.machine import python_environment
from support.supervising import Rig, children, is_running, kill, marked, wait_for_marked, wait_until_none

from bakeoff.process.forked_supervisor import ForkedSupervisor
from bakeoff.process.supervise import EndReason, Watch

PROMISE_S = 2.0
"""So soon after Bakeoff was killed nothing lives; the slow test looks at the best of several times."""

UNDER_LOAD_S = 30.0
"""What every time is held to, whatever else the machine does."""

KINDS = ["process", pytest.param("bubblewrap", marks=pytest.mark.sandbox)]

_STUBBORN = (
    "trap '' TERM HUP INT; (setsid sh -c \"trap '' TERM; sleep 316; sleep 316\" &); sleep 316; sleep 316"
)


class Bakeoff:
    """Another process that runs something under a supervisor."""

    process: subprocess.Popen[str]

    def __init__(self, kind: str, directory: Path, script: str) -> None:
        self.mark = f"mark-{uuid.uuid4().hex}"
        self.directory = directory
        directory.mkdir()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "support.supervised_driver", kind, str(directory), self.mark, script],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=python_environment() | {"TMPDIR": str(directory)},
            text=True,
        )
        assert self.process.stdout is not None
        self.zygote = int(self.process.stdout.readline())
        assert self.programs()

    def programs(self) -> list[int]:
        """Processes of the script: those that carry the mark, without this Bakeoff itself."""
        return [pid for pid in wait_for_marked(self.mark, at_least=2) if pid != self.process.pid]

    def last_words(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.read()


@pytest.fixture(params=KINDS)
def bakeoff(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bakeoff]:
    made = Bakeoff(request.param, tmp_path / "bakeoff", _STUBBORN)
    yield made
    made.process.kill()
    made.process.wait()
    assert made.process.stdout is not None
    made.process.stdout.close()
    for pid in [made.zygote, *wait_until_none(made.mark, patience_s=3)]:
        kill(pid)


def test_nothing_lives_after_bakeoff_was_killed(bakeoff: Bakeoff) -> None:
    bakeoff.process.kill()
    bakeoff.process.wait()
    assert not wait_until_none(bakeoff.mark, patience_s=UNDER_LOAD_S)
    _wait_until_gone(bakeoff.zygote)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_lives_two_seconds_after_bakeoff_was_killed(kind: str, tmp_path: Path) -> None:
    took_s = []
    for number in range(3):
        made = Bakeoff(kind, tmp_path / str(number), _STUBBORN)
        made.process.kill()
        made.process.wait()
        started = time.monotonic()
        assert not wait_until_none(made.mark, patience_s=UNDER_LOAD_S)
        took_s.append(time.monotonic() - started)
        _wait_until_gone(made.zygote)
        assert made.process.stdout is not None
        made.process.stdout.close()
    assert min(took_s) < PROMISE_S, took_s


def test_what_was_made_for_the_sandbox_is_removed_after_bakeoff_was_killed(bakeoff: Bakeoff) -> None:
    directory = bakeoff.directory
    assert [name for name in os.listdir(directory) if name.startswith("bakeoff-")]
    bakeoff.process.kill()
    bakeoff.process.wait()
    _wait_until_gone(bakeoff.zygote)
    assert not [name for name in os.listdir(directory) if name.startswith("bakeoff-")]


def test_nothing_lives_after_bakeoff_and_its_zygote_were_killed(bakeoff: Bakeoff) -> None:
    kill(bakeoff.zygote)
    bakeoff.process.kill()
    bakeoff.process.wait()
    assert not wait_until_none(bakeoff.mark, patience_s=UNDER_LOAD_S)


def test_nothing_lives_after_bakeoff_and_its_supervisor_were_killed(bakeoff: Bakeoff) -> None:
    (supervisor,) = children(bakeoff.zygote)
    bakeoff.process.kill()
    kill(supervisor)
    bakeoff.process.wait()
    assert not wait_until_none(bakeoff.mark, patience_s=UNDER_LOAD_S)


def test_a_run_whose_supervisor_was_killed_is_lost_and_its_tree_is_ended(bakeoff: Bakeoff) -> None:
    (supervisor,) = children(bakeoff.zygote)
    kill(supervisor)
    assert bakeoff.last_words().startswith("lost")
    assert not wait_until_none(bakeoff.mark, patience_s=UNDER_LOAD_S)


def test_an_exception_in_the_waiting_thread_ends_the_tree_first(bakeoff: Bakeoff) -> None:
    bakeoff.process.send_signal(signal.SIGINT)
    assert bakeoff.process.wait(60) != 0
    assert not wait_until_none(bakeoff.mark, patience_s=0)


def test_a_terminal_cannot_end_the_helpers(bakeoff: Bakeoff) -> None:
    (supervisor,) = children(bakeoff.zygote)
    for pid in (bakeoff.zygote, supervisor):
        assert os.getsid(pid) != os.getsid(bakeoff.process.pid)
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT):
            os.kill(pid, number)
    time.sleep(0.3)
    assert is_running(bakeoff.zygote)
    assert is_running(supervisor)
    assert bakeoff.programs()


def test_a_stopped_bakeoff_does_not_stop_the_clock(tmp_path: Path) -> None:
    bakeoff = Bakeoff("process", tmp_path / "bakeoff", "trap '' TERM; sleep 1; (exit 0)")
    try:
        os.kill(bakeoff.process.pid, signal.SIGSTOP)
        _wait_until(lambda: set(marked(bakeoff.mark)) == {bakeoff.process.pid})
        os.kill(bakeoff.process.pid, signal.SIGCONT)
        assert bakeoff.last_words().startswith("exited")
    finally:
        bakeoff.process.kill()
        bakeoff.process.communicate()


def test_a_killed_zygote_is_replaced_and_what_ran_goes_on(rig: Rig) -> None:
    supervisor = rig.supervisor
    assert isinstance(supervisor, ForkedSupervisor)
    first = supervisor.zygote_pid

    def watcher(_piece: bytes) -> Watch:
        kill(first)
        return Watch.GO_ON

    command = rig.command("/bin/sh", "-c", "echo on; sleep 0.5; setsid sleep 317 & exit 8")
    end = rig.run(command, watcher=watcher)
    assert (end.reason, end.exit_code, len(end.left_behind)) == (EndReason.EXITED, 8, 1)
    assert rig.shell("exit 9")[0].exit_code == 9
    assert supervisor.zygote_pid != first
    assert rig.shell("exit 10")[0].exit_code == 10


def test_files_do_not_stay_open(rig: Rig) -> None:
    rig.shell("exit 0")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        rig.shell("setsid sleep 318 &")
        rig.run(rig.command("no-such-program", stdin=b"x", separate=True))
    assert len(os.listdir("/proc/self/fd")) == before
    supervisor = rig.supervisor
    assert isinstance(supervisor, ForkedSupervisor)
    _wait_until(lambda: not children(supervisor.zygote_pid))
    zygote_files = os.listdir(f"/proc/{supervisor.zygote_pid}/fd")
    # Three streams, the connection, and the pipe that tells of ended children.
    assert len(zygote_files) == 6


def test_supervisors_hold_nothing_of_each_other(rig: Rig) -> None:
    """Or the death of one would not be seen as long as another lives."""
    supervisor = rig.supervisor
    assert isinstance(supervisor, ForkedSupervisor)
    commands = [rig.command("/bin/sh", "-c", "sleep 320 & wait", stdin=b"x") for _ in range(4)]
    threads = [
        threading.Thread(target=supervisor.run, args=(command, rig.view), kwargs={"interrupt": rig.interrupt})
        for command in commands
    ]
    for thread in threads:
        thread.start()
    try:
        assert len(wait_for_marked(rig.mark, at_least=8)) >= 8
        held = [_connections(pid) for pid in children(supervisor.zygote_pid)]
        assert [len(names) for names in held] == [1, 1, 1, 1]
        assert len(set.union(*held)) == 4
    finally:
        rig.interrupt.set()
        for thread in threads:
            thread.join()


def _connections(pid: int) -> set[str]:
    names = [os.readlink(f"/proc/{pid}/fd/{number}") for number in os.listdir(f"/proc/{pid}/fd")]
    return {name for name in names if name.startswith("socket:")}


def _wait_until_gone(pid: int) -> None:
    _wait_until(lambda: not is_running(pid))


def _wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not is_so() and time.monotonic() < until:
        time.sleep(0.02)
    assert is_so()
