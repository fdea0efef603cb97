"""A model server on 127.0.0.1 that says what a script tells it, for real agent programs.

In a test: `with ModelServer(script) as server: ... server.url ... server.requests`. By hand:
`python -m support.model_server SCRIPT.json [PORT]`, with `tests` on PYTHONPATH; it prints its
address and then each request as a line of JSON.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Self

from support.model_http import HttpServer, Request, in_order
from support.model_script import Script, script_from_json


class ModelServer:
    """Serves one script in threads of this process, between `with` and its end."""

    def __init__(
        self, script: Script, *, port: int = 0, tell: Callable[[Request], None] | None = None
    ) -> None:
        self._requests: list[Request] = []
        self._changed = threading.Condition()
        self._tell = tell
        self._server = HttpServer(("127.0.0.1", port), script, self._keep)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def port(self) -> int:
        """The port on 127.0.0.1."""
        return self._server.server_port

    @property
    def url(self) -> str:
        """What goes into ANTHROPIC_BASE_URL and its like."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def requests(self) -> tuple[Request, ...]:
        """Every request that was answered so far, in the order in which they came."""
        with self._changed:
            return in_order(self._requests)

    def wait_for(self, count: int, *, patience_s: float = 10.0) -> tuple[Request, ...]:
        """The same, once there are so many: a client has its answer a moment before it is noted."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._requests) >= count, patience_s)
            return in_order(self._requests)

    def __enter__(self) -> Self:
        """Start to serve."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, also in the middle of a scripted silence."""
        self._server.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _keep(self, request: Request) -> None:
        with self._changed:
            self._requests.append(request)
            self._changed.notify_all()
        if self._tell is not None:
            self._tell(request)


def main(arguments: list[str]) -> None:
    """Serve a script until interrupted."""
    script = script_from_json(Path(arguments[0]).read_text())
    port = int(arguments[1]) if len(arguments) > 1 else 0
    with ModelServer(
        script, port=port, tell=lambda request: print(json.dumps(asdict(request)), flush=True)
    ) as server:
        print(json.dumps({"url": server.url}), flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1:])
