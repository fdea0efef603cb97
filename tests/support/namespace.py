"""Runs a program where the only network is a loopback with a scripted model server on it.

The program, the server and everything that the program starts are in one network namespace
without any other interface: what works there works without network, and nobody else can
reach the server. So the port is always the same.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from support import machine
from support.model_http import Request, in_order
from support.model_script import Script
from support.namespace_inside import PORT, Files

MODEL_URL = f"http://127.0.0.1:{PORT}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineRun:
    """How a program ended that ran in a namespace of its own.

    Attributes:
        exit_code: negative for a signal, as `subprocess` tells it.
        timed_out: it was ended because its time was up.
        requests: what the model server received.
        left_behind: command lines of processes that outlived the program; ended since.
    """

    exit_code: int
    timed_out: bool
    wall_s: float
    stdout: bytes
    stderr: bytes
    requests: tuple[Request, ...]
    left_behind: tuple[str, ...]

    @property
    def model_requests(self) -> tuple[Request, ...]:
        """Requests for a turn of a scripted conversation."""
        return tuple(item for item in self.requests if item.kind == "model" and item.place != "side")

    @property
    def story(self) -> str:
        """The story of the run, for the message of an assertion."""
        asked = "\n".join(
            f"  {item.method} {item.path} -> {item.status} {item.place}" for item in self.requests
        )
        return (
            f"exit code {self.exit_code}, {self.wall_s:.1f} s{', timed out' if self.timed_out else ''}\n"
            f"--- stdout\n{self.stdout.decode(errors='replace')[-6000:]}\n"
            f"--- stderr\n{self.stderr.decode(errors='replace')[-6000:]}\n"
            f"--- requests\n{asked}"
        )


def run_offline(
    argv: Sequence[str | Path],
    *,
    script: Script,
    env: Mapping[str, str],
    cwd: Path,
    stdin: bytes = b"",
    timeout_s: float = 60.0,
) -> OfflineRun:
    """Run `argv` with exactly `env`, a model at MODEL_URL and no other network."""
    entry = machine.namespace_command()
    assert entry is not None, "mark the test real_cli"
    with tempfile.TemporaryDirectory(prefix="offline-") as name:
        files = Files(Path(name))
        job = {
            "argv": [str(part) for part in argv],
            "env": dict(env),
            "cwd": str(cwd),
            "timeout_s": timeout_s,
        }
        files.job.write_text(json.dumps(job))
        files.script.write_text(script.to_json())
        files.stdin.write_bytes(stdin)
        inside = [*entry, sys.executable, "-m", "support.namespace_inside", name]
        subprocess.run(
            inside, env=os.environ | machine.python_environment(), check=True, timeout=timeout_s + 60
        )
        end = json.loads(files.end.read_text())
        return OfflineRun(
            **{**end, "left_behind": tuple(end["left_behind"])},
            stdout=files.stdout.read_bytes(),
            stderr=files.stderr.read_bytes(),
            requests=in_order(map(_request, files.requests.read_text().splitlines())),
        )


def _request(line: str) -> Request:
    data = json.loads(line)
    return Request(**{**data, "tools": tuple(data["tools"])})
