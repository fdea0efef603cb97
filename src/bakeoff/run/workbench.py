"""What all trials of one experiment share: supervisor, store, archive, templates, secrets."""

from __future__ import annotations

import secrets
import signal
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bakeoff.errors import HostFailed
from bakeoff.harness.protocol import Probe
from bakeoff.model.suite import Placement, Task
from bakeoff.model.trial import TrialRecord, TrialSpec
from bakeoff.plan.arms import ReadyArm
from bakeoff.process.supervise import OUTPUT_UNWRITABLE, EndReason, Interrupt, ProcessEnd, Supervisor
from bakeoff.redact import Redactor
from bakeoff.run.login import Login
from bakeoff.store.archive import Archive
from bakeoff.store.database import Store
from bakeoff.store.layout import Layout
from bakeoff.workspace.seal import seal
from bakeoff.workspace.sealed import Sealed
from bakeoff.workspace.toolchains import Toolchains


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFacts:
    """What is known of a task before its first trial; digests are SHA-256.

    Attributes:
        contents: path as the task names it to digest of what lies there.
        task: digest of what the task means.
        checks: digest of its checks.
        prompt: digest of its prompt.
    """

    contents: Mapping[str, str]
    task: str
    checks: str
    prompt: str


@dataclass(slots=True, kw_only=True)
class Workbench:
    """Shared by the threads that run trials; everything in it is safe to use from several.

    Attributes:
        experiment: the experiment's id.
        root: private directory in which workspaces are made.
        workspace_prefix: of the names of all workspaces of the experiment; opaque like them.
        host_environment: the variables that Bakeoff itself was started with.
        arms: by id.
        probes: what was found of each arm's harness, by arm id.
        tasks: with every reference pointing at a snapshot, by key.
        facts: by the key of the task.
        pass_env: names of variables that the caller passes through.
        hidden: host paths that no program of a trial may see.
        host_home: the user's real HOME.
        path: directories of PATH for every program of a trial.
        toolchains: what the programs on that PATH need to be seen.
        logins: lent to the agents of an arm, by arm id; their arms get no keys.
        credentials: names of the variables that any harness of the experiment uses for keys;
            withheld from setup and checks.
    """

    experiment: str
    layout: Layout
    store: Store
    archive: Archive
    supervisor: Supervisor
    redactor: Redactor
    interrupt: Interrupt
    root: Path
    host_environment: Mapping[str, str]
    arms: Mapping[str, ReadyArm]
    probes: Mapping[str, Probe]
    tasks: Mapping[str, Task]
    facts: Mapping[str, TaskFacts]
    pass_env: tuple[str, ...]
    hidden: tuple[Path, ...]
    host_home: Path
    path: tuple[str, ...]
    toolchains: Toolchains
    credentials: tuple[str, ...]
    logins: Mapping[str, Login] = field(default_factory=dict)
    keep_workspaces: bool = False
    workspace_prefix: str = field(default_factory=lambda: secrets.token_hex(4))
    _sealed: dict[tuple[str, tuple[Placement, ...]], Sealed] = field(default_factory=dict)
    _sealing: threading.Lock = field(default_factory=threading.Lock)
    _recording: threading.Lock = field(default_factory=threading.Lock)
    _is_closed: bool = False

    def record(self, record: TrialRecord) -> TrialRecord | None:
        """Record a trial; None when the books are closed, because nobody waited for it."""
        with self._recording:
            if self._is_closed:
                return None
            self.store.record(record)
            return record

    def close_books(self) -> None:
        """Let no further trial be recorded; those that were, are in the store now."""
        with self._recording:
            self._is_closed = True

    def blame(self, end: ProcessEnd) -> ProcessEnd:
        """The end of a run, with a lost supervisor counted against the program that could kill it.

        Raises HostFailed when the program could not: a trial must not become void by
        something that an agent can do. Where a program shares our process ids, it can.
        """
        if end.reason is not EndReason.LOST:
            return end
        error = end.error or "the supervisor was lost"
        if self.supervisor.protections.get("own_pid_namespace") or error.startswith(OUTPUT_UNWRITABLE):
            raise HostFailed("the supervisor of a program was lost", error)
        return replace(end, reason=EndReason.EXITED, exit_code=None, signal=signal.SIGKILL, error=None)

    def sealed(self, spec: TrialSpec) -> Sealed:
        """The template of a trial's starting files, built at its first use."""
        placements = self.arms[spec.arm.id].arm.placements
        key = (spec.task.key, placements)
        with self._sealing:
            if key not in self._sealed:
                self._sealed[key] = seal(
                    self.tasks[spec.task.key].start, placements, cache=self.layout.cache / "templates"
                )
            return self._sealed[key]
