"""What Bakeoff does when a supervisor does not behave."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.errors import HostFailed
from bakeoff.process.audience import Audience
from bakeoff.process.conversation import Conversation
from bakeoff.process.order import Order
from bakeoff.process.supervise import EndReason
from bakeoff.process.wire import Channel

ORDER = Order(
    argv=[b"true"],
    env={},
    cwd=b"/",
    bubblewrap=[],
    bubblewrap_env={},
    timeout_s=0.1,
    output_cap=10,
    streams=["stdout"],
)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    yield ours, theirs
    ours.close()
    theirs.close()


def hold(conversation: Conversation, directory: Path) -> EndReason:
    with (directory / "out").open("w+b") as output:
        audience = Audience(output.fileno(), None, 1.0, conversation.end_within)
        return conversation.hold(audience, lambda: False).reason


def test_a_supervisor_that_cannot_begin_is_the_fault_of_the_host(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    Channel(ends[1]).send({"failed": "no processes left"})
    with pytest.raises(HostFailed) as caught:
        Conversation(Channel(ends[0]), ORDER).begin()
    assert caught.value.detail == "no processes left"


def test_a_supervisor_that_was_gone_before_it_began_may_be_replaced(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    ends[1].close()
    assert not Conversation(Channel(ends[0]), ORDER).begin()


def test_an_error_in_a_supervisor_is_told(ends: tuple[socket.socket, socket.socket], tmp_path: Path) -> None:
    theirs = Channel(ends[1])
    theirs.send({"started": os.getpid()})
    theirs.send({"failed": "Traceback: it broke"})
    conversation = Conversation(Channel(ends[0]), ORDER)
    assert conversation.begin()
    assert hold(conversation, tmp_path) is EndReason.LOST


def test_a_supervisor_that_somebody_stopped_is_ended_when_it_is_overdue(
    ends: tuple[socket.socket, socket.socket], tmp_path: Path
) -> None:
    stopped = subprocess.Popen(["sleep", "60"], pass_fds=[ends[1].fileno()])
    stopped.send_signal(signal.SIGSTOP)
    Channel(ends[1]).send({"started": stopped.pid})
    ends[1].close()
    conversation = Conversation(Channel(ends[0]), ORDER, overdue_after_s=0.3)
    assert conversation.begin()
    assert hold(conversation, tmp_path) is EndReason.LOST
    assert stopped.wait() == -signal.SIGKILL
