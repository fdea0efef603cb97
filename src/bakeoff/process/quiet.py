"""Asking a program a short question, such as its version, without leaving anything behind."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from bakeoff.process.start import open_supervisor
from bakeoff.process.supervise import Command, EndReason, View

_OUTPUT_CAP = 1024 * 1024


def run_quietly(
    argv: Sequence[str], *, env: Mapping[str, str], timeout_s: float, cwd: Path | None = None
) -> tuple[int, bytes] | None:
    """Run a program with empty input and without a sandbox, and end everything that it starts.

    Its standard error is thrown away, and standard output beyond 1 MiB too.

    Returns:
        Its exit code, or minus the number of the signal that ended it, and its standard
        output; None when it could not be started or did not end in time.
    """
    supervisor = open_supervisor("process")
    try:
        with tempfile.TemporaryDirectory(prefix="bakeoff-quiet-") as name:
            directory = Path(name)
            command = Command(
                argv=tuple(argv),
                env=env,
                cwd=str(cwd or directory),
                stdout=directory / "stdout",
                stderr=directory / "stderr",
                output_cap=_OUTPUT_CAP,
                timeout_s=timeout_s,
            )
            view = View(workspace=directory, home=directory, tmp=directory)
            end = supervisor.run(command, view, interrupt=threading.Event())
            if end.reason is not EndReason.EXITED:
                return None
            code = end.exit_code if end.exit_code is not None else -(end.signal or 0)
            return code, command.stdout.read_bytes()
    finally:
        supervisor.close()
