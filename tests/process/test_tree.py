"""Everything below a process is found, however quickly processes come and go."""

from __future__ import annotations

import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from support.supervising import PYTHON

from bakeoff.process import tree
from bakeoff.process.tree import descendants_of

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

# Waits for many children that are listed before another one, which stays until the next line.
_CHURN = """
import os, signal, sys, time
while True:
    quick = [os.fork() or os._exit(0) for _ in range(8)]
    steady = os.fork()
    if not steady:
        time.sleep(60)
        os._exit(0)
    print(steady, flush=True)
    for pid in quick:
        os.waitpid(pid, 0)
        until = time.perf_counter() + 0.0001
        while time.perf_counter() < until:
            pass
    print("over", flush=True)
    os.kill(steady, signal.SIGKILL)
    os.waitpid(steady, 0)
"""


@pytest.fixture
def churn() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([PYTHON, "-I", "-S", "-c", _CHURN], stdout=subprocess.PIPE, bufsize=0) as process:
        yield process
        process.send_signal(signal.SIGSTOP)  # what it would start meanwhile would be nobody's
        for pid, _parent in descendants_of(process.pid):
            subprocess.run(["kill", "-KILL", str(pid)], check=False, stderr=subprocess.DEVNULL)
        process.kill()


def test_a_living_child_is_found_while_others_are_waited_for(churn: subprocess.Popen[bytes]) -> None:
    assert churn.stdout is not None
    looks = 0
    until = time.monotonic() + 1.5
    while time.monotonic() < until:
        steady = int(churn.stdout.readline())
        while True:
            found = dict(descendants_of(churn.pid))
            if select.select([churn.stdout], [], [], 0)[0]:
                break
            assert steady in found
            looks += 1
        assert churn.stdout.readline() == b"over\n"
    assert looks


def test_a_list_of_children_that_skips_one_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system does that rarely, so here its answers are given: 2 is waited for while 1 is looked at."""
    answers = iter([[2], [], [3], [], [3], []])
    monkeypatch.setattr(tree, "children_of", lambda _pid: next(answers))
    assert dict(descendants_of(1)) == {2: 1, 3: 1}
