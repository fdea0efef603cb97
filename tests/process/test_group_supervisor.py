"""The supervisor for systems without /proc, which works here as well."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.supervising import Rig, marked, wait_for_marked

from bakeoff.errors import HostFailed
from bakeoff.process.group_supervisor import GroupSupervisor
from bakeoff.process.supervise import EndReason, Watch


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Rig]:
    supervisor = GroupSupervisor()
    yield Rig(supervisor, tmp_path)
    supervisor.close()


def test_it_claims_nothing(group: Rig) -> None:
    assert not any(group.supervisor.protections.values())
    assert len(group.supervisor.protections) == 7


def test_exits_and_signals_are_told(group: Rig) -> None:
    assert group.shell("exit 7")[0].exit_code == 7
    end, _ = group.shell("kill -9 $$")
    assert (end.reason, end.exit_code, end.signal) == (EndReason.EXITED, None, signal.SIGKILL)
    end = group.run(group.command("no-such-program"))
    assert end.reason is EndReason.NOT_STARTED
    assert end.error is not None


def test_the_group_is_ended_and_named(group: Rig) -> None:
    end, output = group.shell("trap '' TERM; (sleep 321) & echo done; exit 2")
    assert (end.reason, end.exit_code, output) == (EndReason.EXITED, 2, b"done\n")
    assert any("sleep 321" in line for line in end.left_behind)


def test_a_time_limit_ends_what_ignores_the_polite_signal(group: Rig) -> None:
    end, output = group.shell("trap '' TERM; echo on; sleep 322; sleep 322", timeout_s=2.0)
    assert (end.reason, end.signal, output) == (EndReason.TIMEOUT, signal.SIGKILL, b"on\n")
    end, output = group.shell("trap 'echo bye; exit 0' TERM; sleep 323 & wait", timeout_s=2.0)
    assert (end.reason, end.exit_code, output) == (EndReason.TIMEOUT, 0, b"bye\n")


def test_streams_and_caps(group: Rig) -> None:
    command = group.command(
        "/bin/sh",
        "-c",
        "cat; echo err >&2; head -c 9000 /dev/zero",
        stdin=b"in" * 200_000,
        output_cap=400_100,
    )
    end = group.run(command)
    assert end.dropped_bytes == 400_000 + 4 + 9000 - 400_100
    assert command.stdout.read_bytes()[:400_004] == b"in" * 200_000 + b"err\n"
    apart = group.command("/bin/sh", "-c", "echo out; echo err >&2", separate=True)
    group.run(apart)
    assert apart.stderr is not None
    assert (apart.stdout.read_bytes(), apart.stderr.read_bytes()) == (b"out\n", b"err\n")


def test_watchers_and_interrupts_call_for_the_end(group: Rig) -> None:
    seen: list[bytes] = []

    def stop(piece: bytes) -> Watch:
        seen.append(piece)
        return Watch.STOP

    end = group.run(group.command("/bin/sh", "-c", "echo enough; sleep 324"), watcher=stop)
    assert (end.reason, b"".join(seen)) == (EndReason.STOPPED, b"enough\n")
    command = group.command("/bin/sh", "-c", "trap '' TERM; echo on; sleep 325; sleep 325")
    end = group.run(command, watcher=group.interrupting(b"on"))
    assert end.reason is EndReason.INTERRUPTED
    assert time.monotonic() - group.interrupted_at < 20


def test_what_a_watcher_raises_comes_out_when_the_group_is_gone(group: Rig) -> None:
    def fail(piece: bytes) -> Watch:
        raise ArithmeticError(piece.decode())

    with pytest.raises(ArithmeticError):
        group.supervisor.run(
            group.command("/bin/sh", "-c", "trap '' TERM; echo x; sleep 326; sleep 326"),
            group.view,
            interrupt=group.interrupt,
            watcher=fail,
        )
    assert not marked(group.mark)


def test_files_do_not_stay_open(group: Rig) -> None:
    group.shell("exit 0")
    before = len(os.listdir("/dev/fd"))
    for _ in range(5):
        group.run(group.command("/bin/sh", "-c", "exit 3", stdin=b"x" * 200_000, separate=True))
        group.run(group.command("no-such-program", stdin=b"x"))
    assert len(os.listdir("/dev/fd")) == before


def test_closing_ends_what_runs(group: Rig) -> None:
    reasons: list[EndReason] = []
    thread = threading.Thread(target=lambda: reasons.append(group.shell("sleep 327")[0].reason))
    thread.start()
    assert wait_for_marked(group.mark)
    group.supervisor.close()
    thread.join(60)
    assert reasons == [EndReason.INTERRUPTED]
    with pytest.raises(HostFailed, match="closed"):
        group.run(group.command("/bin/true"))
