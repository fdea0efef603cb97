"""Messages between Bakeoff and a supervisor process: a length, then JSON, over a stream socket."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Mapping

_LENGTH = struct.Struct("!I")
_PIECE = 256 * 1024


class Channel:
    """One end of a connection that carries whole messages.

    JSON holds no bytes, and arguments and environments are bytes: `pack` and `unpack` map each
    byte to one character.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._received = bytearray()
        self._waiting: list[dict[str, object]] = []

    def fileno(self) -> int:
        """The descriptor to poll."""
        return self._connection.fileno()

    def send(self, message: Mapping[str, object]) -> bool:
        """Send a message whole; False when nobody is at the other end any more."""
        data = json.dumps(message).encode("ascii")
        try:
            self._connection.sendall(_LENGTH.pack(len(data)) + data)
        except OSError:
            return False
        return True

    @property
    def has_waiting(self) -> bool:
        """Whether messages have come that nobody has taken yet: polling does not tell of them."""
        return bool(self._waiting)

    def receive(self) -> list[dict[str, object]] | None:
        """Wait for bytes; the messages that are complete by then, or None at the end of the connection."""
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            return waiting
        try:
            piece = self._connection.recv(_PIECE)
        except OSError:
            return None
        if not piece:
            return None
        self._received += piece
        return self._complete_messages()

    def receive_one(self) -> dict[str, object] | None:
        """Wait for one message, and keep others for later; None when the connection ends before."""
        while True:
            messages = self.receive()
            if messages is None:
                return None
            if messages:
                self._waiting = messages[1:]
                return messages[0]

    def _complete_messages(self) -> list[dict[str, object]]:
        messages: list[dict[str, object]] = []
        while len(self._received) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._received)
            end = _LENGTH.size + length
            if len(self._received) < end:
                break
            messages.append(json.loads(bytes(self._received[_LENGTH.size : end])))
            del self._received[:end]
        return messages

    def finish_sending(self) -> None:
        """Tell the other end that nothing more will come; it reads the end of the connection."""
        try:
            self._connection.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def close(self) -> None:
        """Release the descriptor."""
        self._connection.close()


def pack(data: bytes) -> str:
    """Bytes as text with one character for each byte."""
    return data.decode("latin-1")


def unpack(text: str) -> bytes:
    """The bytes that `pack` made text of."""
    return text.encode("latin-1")
