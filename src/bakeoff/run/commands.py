"""Running the commands of checks: under a supervisor, without credentials, one at a time."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.errors import Interrupted
from bakeoff.model.check import CommandResult, Injection
from bakeoff.model.suite import Task
from bakeoff.process.supervise import Command, EndReason, ProcessEnd
from bakeoff.run.evidence import ArchivedEvidence
from bakeoff.run.inject import injected
from bakeoff.run.surroundings import Surroundings, check_surroundings
from bakeoff.run.workbench import Workbench
from bakeoff.workspace.create import Workspace

OUTPUT_KEPT = 4 * 1024 * 1024
"""Bytes of standard output that a check may parse."""

EVIDENCE_HALF = 16 * 1024
"""Bytes kept of the beginning and of the end of a command's output as evidence."""

COLLECTED_KEPT = 1024 * 1024
"""Bytes read of a file that a command was asked to write."""


@dataclass(slots=True, kw_only=True)
class CheckCommands:
    """What checks may do in one trial; satisfies `model.check.Context`.

    Attributes:
        pristine_home: the private HOME as setup left it; each command gets a copy.
        replaced: destinations at which an injected file replaced something, as they occur.
    """

    bench: Workbench
    workspace: Workspace
    task: Task
    evidence: ArchivedEvidence
    base_commit: str
    pristine_home: Path
    replaced: list[str] = field(default_factory=list)

    def run_command(
        self,
        command: str,
        *,
        timeout_s: float,
        inject: tuple[Injection, ...] = (),
        environment: Mapping[str, str] | None = None,
        expose_diff: tuple[str, ...] = (),
        collect: tuple[str, ...] = (),
    ) -> CommandResult:
        """Run one shell command in the workspace; see `model.check.Context`."""
        place = self._new_directory("check")
        surroundings = check_surroundings(self.bench, self.workspace, self.task, place, self.pristine_home)
        known = {"{workspace}": surroundings.inner.workspace, "{base_commit}": self.base_commit}
        extra = {name: known.get(value, value) for name, value in (environment or {}).items()}
        if expose_diff:
            extra.update(dict.fromkeys(expose_diff, self._expose_diff(surroundings)))
        # A name that nothing of the trial can have foreseen, chosen after it ended.
        collected = f"collect-{secrets.token_hex(8)}"
        extra.update(dict.fromkeys(collect, f"{surroundings.inner.tmp}/{collected}"))
        with self.injected(inject):
            end = self._run(command, surroundings, extra, place, timeout_s)
        content = _read(surroundings.view.tmp / collected, COLLECTED_KEPT) if collect else None
        return _result(end, place, content)

    @contextmanager
    def injected(self, inject: tuple[Injection, ...]) -> Iterator[None]:
        """Keep files laid down for the length of the block; see `model.check.Context`."""
        if not inject:
            yield
            return
        with injected(inject, self.workspace.path, self._new_directory("aside")) as replaced:
            self.replaced.extend(replaced)
            yield

    def _new_directory(self, kind: str) -> Path:
        """A directory beside the workspace, by a name that nothing of the trial can have foreseen."""
        return Path(tempfile.mkdtemp(prefix=f"{kind}-", dir=self.workspace.root))

    def _expose_diff(self, surroundings: Surroundings) -> str:
        name = f"diff-{secrets.token_hex(8)}"
        (surroundings.view.tmp / name).write_text(self.evidence.known_diff(), encoding="utf-8")
        return f"{surroundings.inner.tmp}/{name}"

    def _run(
        self,
        command: str,
        surroundings: Surroundings,
        extra: Mapping[str, str],
        place: Path,
        timeout_s: float,
    ) -> ProcessEnd:
        request = Command(
            argv=("/bin/sh", "-c", command),
            env={**surroundings.env, **extra},
            cwd=surroundings.inner.workspace,
            stdout=place / "stdout",
            stderr=place / "stderr",
            output_cap=OUTPUT_KEPT,
            timeout_s=timeout_s,
        )
        end = self.bench.supervisor.run(request, surroundings.view, interrupt=self.bench.interrupt)
        if end.reason is EndReason.INTERRUPTED:
            raise Interrupted("interrupted during a check")
        return self.bench.blame(end)


def _result(end: ProcessEnd, place: Path, collected: bytes | None) -> CommandResult:
    # Without a sandbox the command may have put something else there.
    stdout = _read(place / "stdout", OUTPUT_KEPT) or b""
    stderr = _read(place / "stderr", OUTPUT_KEPT) or b""
    return CommandResult(
        # As a shell tells it: a program that a signal ended has 128 + the signal's number.
        exit_code=128 + end.signal if end.signal else end.exit_code,
        timed_out=end.reason is EndReason.TIMEOUT,
        output=excerpt(stdout + stderr),
        stdout=stdout,
        stdout_truncated=end.dropped_bytes > 0,
        duration_s=end.duration_s,
        error=end.error,
        collected=collected,
    )


def excerpt(output: bytes) -> str:
    """The first and the last 16 KiB of an output, decoded with replacement."""
    if len(output) <= 2 * EVIDENCE_HALF:
        return output.decode("utf-8", "replace")
    left_out = len(output) - 2 * EVIDENCE_HALF
    first = output[:EVIDENCE_HALF].decode("utf-8", "replace")
    last = output[-EVIDENCE_HALF:].decode("utf-8", "replace")
    return f"{first}\n[... {left_out} bytes left out ...]\n{last}"


def _read(path: Path, most: int) -> bytes | None:
    """A regular file of at most `most` bytes, without following a link; None when there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(most)
    finally:
        os.close(descriptor)
