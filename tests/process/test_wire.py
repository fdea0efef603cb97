"""Messages arrive whole and in order, in whatever pieces the socket delivers them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.process.order import Order, read_order
from bakeoff.process.wire import Channel, pack, unpack


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    yield ours, theirs
    ours.close()
    theirs.close()


def test_several_messages_at_once_are_all_kept(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = Channel(ends[0]), Channel(ends[1])
    for number in range(3):
        assert ours.send({"number": number})
    assert theirs.receive_one() == {"number": 0}
    assert theirs.has_waiting
    assert theirs.receive() == [{"number": 1}, {"number": 2}]
    assert not theirs.has_waiting


def test_messages_are_kept_when_the_other_end_is_gone(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = Channel(ends[0]), Channel(ends[1])
    ours.send({"first": 1})
    ours.send({"second": 2})
    ours.finish_sending()
    assert theirs.receive_one() == {"first": 1}
    assert theirs.receive() == [{"second": 2}]
    assert theirs.receive() is None
    theirs.close()
    assert not ours.send({"nobody": "listens"})


def test_a_large_message_and_one_in_small_pieces(ends: tuple[socket.socket, socket.socket]) -> None:
    large = {"text": "x" * 3_000_000}
    sender = threading.Thread(target=lambda: Channel(ends[0]).send(large))
    sender.start()
    receiver = Channel(ends[1])
    assert receiver.receive_one() == large
    sender.join()
    for byte in b'\0\0\0\x09{"a": 1}\n':
        ends[0].sendall(bytes([byte]))
        if byte == ord("\n"):
            break
        assert receiver.receive() == []
    assert receiver.receive() == [{"a": 1}]


def test_half_a_message_is_none(ends: tuple[socket.socket, socket.socket]) -> None:
    ends[0].sendall(b"\0\0\0\x09{")
    ends[0].close()
    assert Channel(ends[1]).receive_one() is None


@given(st.binary())
def test_bytes_survive_as_text(data: bytes) -> None:
    assert unpack(pack(data)) == data


@settings(max_examples=50)
@given(
    argv=st.lists(st.binary(), min_size=1),
    env=st.dictionaries(st.binary(min_size=1), st.binary()),
    timeout_s=st.floats(min_value=0.001, max_value=1e6),
)
def test_an_order_survives_its_way(argv: list[bytes], env: dict[bytes, bytes], timeout_s: float) -> None:
    order = Order(
        argv=argv,
        env=env,
        cwd=b"/caf\xe9",
        bubblewrap=argv,
        bubblewrap_env=env,
        timeout_s=timeout_s,
        output_cap=12,
        streams=["stdout", "stdin"],
    )
    ours, theirs = socket.socketpair()
    with ours, theirs:
        Channel(ours).send(order.message())
        message = Channel(theirs).receive_one()
    assert message is not None
    assert vars(read_order(message)) == vars(order)
