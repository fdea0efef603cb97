"""The HTTP side of the scripted model server: reads requests, sends replies, streams and silences."""

from __future__ import annotations

import gzip
import json
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.model_script import Failure, Script, Storyteller, Turn
from support.wire_formats import WIRE_FORMATS, WireFormat

_SECRET_HEADERS = frozenset({"authorization", "x-api-key", "api-key", "cookie"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request that the server received.

    Attributes:
        at_s: when it came, in seconds since the server was started.
        kind: "model", "count", "other" or "unreadable".
        place: route and turn of the script, as "0.1"; "side" or "none".
        status: what was answered; 0 when the client was gone before.
        headers: lower-case names; keys are never kept.
    """

    at_s: float
    kind: str
    method: str
    path: str
    status: int
    place: str = ""
    model: str = ""
    session: str = ""
    tools: tuple[str, ...] = ()
    headers: Mapping[str, str]
    body: object = None


def in_order(requests: Iterable[Request]) -> tuple[Request, ...]:
    """Requests in the order in which they came; they are noted when they have been answered."""
    return tuple(sorted(requests, key=lambda request: request.at_s))


class HttpServer(ThreadingHTTPServer):
    """Serves one script and hands every request that it answered to `keep`."""

    # Threads are waited for when the server closes, so that none outlives its test.
    daemon_threads = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], script: Script, keep: Callable[[Request], None]) -> None:
        super().__init__(address, _Handler)
        self.storyteller = Storyteller(script)
        self.keep = keep
        self.started = time.monotonic()
        self.stopping = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are part of the game; anything else is a fault of the server."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # as it came


class _ClientGoneError(ConnectionError):
    """The client hung up, or the server is stopping."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HttpServer
    arrived = 0.0
    # An idle kept-alive connection must not hold its thread when the server stops.
    timeout = 0.2

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the overridden method
        """Stay quiet: requests are kept as values."""

    def handle_one_request(self) -> None:
        """Wait for the next request of the connection, as long as the server is up."""
        while not self.server.stopping.is_set():
            readable, _, _ = select.select([self.connection], [], [], 0.1)
            if readable:
                self.connection.settimeout(10)
                self.arrived = time.monotonic()
                super().handle_one_request()
                return
        self.close_connection = True

    def do_HEAD(self) -> None:
        """Clients look whether somebody is there."""
        self._answer("other", 200, {})

    def do_GET(self) -> None:
        """Nothing is to be had but conversations."""
        self._answer("other", 404, {"error": {"message": "this server only talks"}})

    def do_POST(self) -> None:
        """A turn of a conversation."""
        try:
            body = self._read_body()
        except ValueError as error:
            self._answer("unreadable", 400, {"error": {"message": str(error)}})
            return
        path = self.path.partition("?")[0]
        for wire in WIRE_FORMATS:
            if wire.counts(path):
                self._answer("count", 200, wire.count(body), body=body)
                return
            if wire.serves(path):
                self._converse(wire, body)
                return
        self._answer("other", 404, {"error": {"message": f"no wire format for {path}"}}, body=body)

    def _converse(self, wire: WireFormat, body: dict[str, object]) -> None:
        conversation = wire.read(body)
        choice = self.server.storyteller.choose(conversation)
        facts: dict[str, object] = {
            "kind": "model",
            "place": choice.place,
            "model": str(body.get("model", "")),
            "session": conversation.id,
            "tools": conversation.tools,
            "body": body,
        }
        failure = Failure(status=400, message="no route of the script fits this conversation")
        turn = choice.turn or Turn(failure=failure)
        status = 0
        try:
            status = self._say(wire, turn, body)
        except (_ClientGoneError, ConnectionError, TimeoutError):
            self.close_connection = True
        self._log(status, **facts)

    def _say(self, wire: WireFormat, turn: Turn, body: dict[str, object]) -> int:
        self.server.stopping.wait(turn.delay_s)
        self._be_silent(turn.hang_before_s)
        if turn.failure is not None:
            wait = turn.failure.retry_after_s
            headers = {} if wait is None else {"retry-after": f"{wait:g}"}
            self._send(turn.failure.status, wire.failure(turn.failure), headers)
            return turn.failure.status
        if body.get("stream"):
            self._stream(turn, wire.events(turn, body))
        else:
            self._send(200, wire.whole(turn, body))
        return 200

    def _stream(self, turn: Turn, events: Iterator[tuple[str, dict[str, object]]]) -> None:
        self.send_response(200)
        for name, value in (
            ("content-type", "text/event-stream"),
            ("cache-control", "no-cache"),
            ("transfer-encoding", "chunked"),
        ):
            self.send_header(name, value)
        self.end_headers()
        for number, (kind, data) in enumerate(events):
            piece = f"event: {kind}\ndata: {json.dumps(data)}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
            if number == 0:
                self._be_silent(turn.hang_s)
            elif turn.drop:
                self.connection.shutdown(socket.SHUT_RDWR)
                raise _ClientGoneError
        self.wfile.write(b"0\r\n\r\n")

    def _be_silent(self, seconds: float) -> None:
        """Say nothing for a while; give up when nobody listens any more."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self.server.stopping.is_set():
                raise _ClientGoneError
            readable, _, _ = select.select([self.connection], [], [], min(0.1, left))
            if readable and self.connection.recv(1, socket.MSG_PEEK) == b"":
                raise _ClientGoneError

    def _read_body(self) -> dict[str, object]:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            raw = b"".join(self._chunks())
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        encoding = self.headers.get("content-encoding", "identity")
        if encoding == "gzip":
            raw = gzip.decompress(raw)
        elif encoding != "identity":
            raise ValueError(f"cannot read a body in {encoding}")
        body = json.loads(raw or b"{}")
        if not isinstance(body, dict):
            raise ValueError("the body is not a JSON object")  # noqa: TRY004 - bad input, answered with 400
        return body

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _answer(self, kind: str, status: int, data: dict[str, object], *, body: object = None) -> None:
        self._send(status, data)
        self._log(status, kind=kind, body=body)

    def _send(self, status: int, data: dict[str, object], headers: Mapping[str, str] | None = None) -> None:
        content = json.dumps(data).encode()
        self.send_response(status)
        for name, value in ({"content-type": "application/json"} | dict(headers or {})).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _log(self, status: int, **facts: object) -> None:
        headers = {
            name.lower(): "(not kept)" if name.lower() in _SECRET_HEADERS else value
            for name, value in self.headers.items()
        }
        at_s = self.arrived - self.server.started
        request = {
            "at_s": at_s,
            "method": self.command,
            "path": self.path,
            "status": status,
            "headers": headers,
        }
        self.server.keep(Request(**request, **facts))  # type: ignore[arg-type]  # the class itself refuses wrong names
