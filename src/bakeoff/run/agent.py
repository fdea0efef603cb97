"""One round: launch the harness, read its stream while it grows, and end everything."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from bakeoff.errors import Interrupted
from bakeoff.harness.protocol import Launch, LaunchRequest
from bakeoff.model.suite import Task
from bakeoff.model.trajectory import Trajectory
from bakeoff.model.trial import TrialSpec
from bakeoff.process.supervise import Command, EndReason, ProcessEnd
from bakeoff.run.lines import MOST_LINES, LineFeed
from bakeoff.run.login import lend
from bakeoff.run.sessions import SessionFile, read_lines, session_files
from bakeoff.run.surroundings import agent_variables, agent_view, seeing
from bakeoff.run.workbench import Workbench
from bakeoff.workspace.create import Workspace
from bakeoff.workspace.environment import ChildEnvironment

STREAM_CAP = 256 * 1024 * 1024
"""Bytes kept of a harness's output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What one launch of the harness left.

    Attributes:
        end: how the process ended; nothing of it is alive.
        trajectory: what the harness told.
        stream: host path of its standard output.
        stderr: host path of its standard error.
        sessions: the harness's own files about the session.
        unread_lines: lines of the stream and of the session files beyond what is read.
        environment: the variables it saw.
        workspace: the path at which it saw its workspace.
    """

    end: ProcessEnd
    trajectory: Trajectory
    stream: Path
    stderr: Path
    sessions: tuple[SessionFile, ...]
    unread_lines: int
    environment: ChildEnvironment
    workspace: str

    @property
    def losses(self) -> tuple[str, ...]:
        """What of the harness's output is not in the trajectory, or was never said, as sentences."""
        told = []
        if self.end.dropped_bytes:
            told.append(f"{self.end.dropped_bytes} bytes of output beyond the cap were not kept")
        if self.unread_lines:
            told.append(f"{self.unread_lines} lines of output were not read")
        if self.end.reason is EndReason.TIMEOUT and self.trajectory.finish is None:
            told.append("the time limit cut the transcript off")
        elif self.trajectory.ends_by_exit_code and self.trajectory.finish is None and self.end.exit_code != 0:
            told.append("the agent did not end with exit code 0")
        return tuple(told)


def run_round(spec: TrialSpec, task: Task, bench: Workbench, workspace: Workspace, number: int = 1) -> Round:
    """Launch the harness of a trial's arm once and wait for its end.

    Raises Interrupted when the user asked for the end, HostFailed when the supervisor
    was lost.
    """
    ready = bench.arms[spec.arm.id]
    executable = bench.probes[spec.arm.id].executable
    view = agent_view(bench, workspace, executable)
    inner = bench.supervisor.inner_paths(view)
    launch = ready.harness.launch(
        LaunchRequest(
            prompt=task.prompt,
            workspace=inner.workspace,
            home=inner.home,
            tmp=inner.tmp,
            options=ready.options_for(task),
            model=spec.arm.model,
            executable=executable,
            round=number,
            repeat=spec.repeat,
            task_id=task.id,
            reference=task.reference,
            timeout_s=task.limits.timeout_s,
        )
    )
    _write_home_files(launch, workspace.home)
    if spec.arm.id in bench.logins:
        lend(bench.logins[spec.arm.id], workspace.home)
    environment = agent_variables(bench, task, ready, inner, launch)
    stream, stderr = workspace.root / f"stream-{number}", workspace.root / f"stderr-{number}"
    stdin: Path | None = None
    if launch.stdin is not None:
        stdin = workspace.root / f"stdin-{number}"
        stdin.write_bytes(launch.stdin)
    parser = ready.harness.parser(ready.options_for(task))
    feed = LineFeed(parser)
    end = bench.supervisor.run(
        Command(
            argv=launch.argv,
            env=environment.values,
            cwd=inner.workspace,
            stdin=stdin,
            stdout=stream,
            stderr=stderr,
            output_cap=STREAM_CAP,
            timeout_s=task.limits.timeout_s,
        ),
        seeing(view, launch.visible),
        interrupt=bench.interrupt,
        watcher=feed,
    )
    feed.close()
    sessions = session_files(launch, workspace)
    lines = read_lines(sessions)
    for line in islice(lines, MOST_LINES):
        parser.feed_session(line)
    if end.reason is EndReason.INTERRUPTED:
        raise Interrupted("interrupted while the agent was at work")
    return Round(
        end=bench.blame(end),
        trajectory=parser.trajectory(),
        stream=stream,
        stderr=stderr,
        sessions=sessions,
        unread_lines=feed.unread + sum(1 for _ in lines),
        environment=environment,
        workspace=inner.workspace,
    )


def _write_home_files(launch: Launch, home: Path) -> None:
    for relative, content in launch.home_files.items():
        path = home / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        # Setup may have left a link here: the file is made new, never written through.
        path.unlink(missing_ok=True)
        path.write_bytes(content)
        os.chmod(path, 0o700 if relative in launch.executable_files else 0o600)
