"""Processes that tests leave behind are found, whatever environment they were given."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import leftovers

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")

SLEEP = "import time; time.sleep(60)"


def found(process, mark, scratch):
    return process.pid in [item.pid for item in leftovers.still_running(mark, scratch)]


@pytest.mark.parametrize("sign", ["mark", "directory", "home", "command line"])
def test_each_sign_gives_a_process_away_and_it_is_ended(tmp_path, sign):
    mark, scratch = "some-mark-of-its-own", tmp_path / "scratch"
    scratch.mkdir()
    (scratch / "inside").mkdir()
    environment = {"mark": {leftovers.MARK: mark}, "home": {"HOME": f"{scratch}/inside"}}.get(sign, {})
    directory = scratch / "inside" if sign == "directory" else "/"
    arguments = [f"{scratch}/inside"] if sign == "command line" else []
    with subprocess.Popen(
        [sys.executable, "-c", SLEEP, *arguments], env=environment, cwd=directory
    ) as process:
        # The environment is in place once the new program runs.
        while not found(process, mark, scratch):
            assert process.poll() is None
        leftovers.end([leftovers.Leftover(pid=process.pid, command="")])
        assert process.wait(10) == -9
    assert not found(process, mark, scratch)


def test_other_processes_do_not_count(tmp_path):
    with subprocess.Popen([sys.executable, "-c", SLEEP], env={}, cwd="/") as process:
        assert not found(process, "some-mark-of-its-own", tmp_path)
        process.kill()


def test_a_process_that_ends_in_time_is_no_leftover(tmp_path):
    environment = {leftovers.MARK: "short-lived"}
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.3)"], env=environment) as process:
        assert leftovers.wait_until_gone("short-lived", tmp_path, patience_s=20) == []
        assert process.wait() == 0


def test_this_very_test_process_is_not_counted():
    assert os.getpid() not in [
        item.pid for item in leftovers.still_running(os.environ[leftovers.MARK], Path("/"))
    ]
