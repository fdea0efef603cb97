"""Setup: the commands that prepare a workspace before the agent is launched."""

from __future__ import annotations

from pathlib import Path

from bakeoff.errors import HostFailed, Interrupted, SetupFailed
from bakeoff.model.suite import Task
from bakeoff.process.supervise import Command, EndReason
from bakeoff.run.commands import excerpt
from bakeoff.run.surroundings import Surroundings, setup_surroundings
from bakeoff.run.workbench import Workbench
from bakeoff.workspace.create import Workspace

_OUTPUT_CAP = 1024 * 1024


def run_setup(task: Task, bench: Workbench, workspace: Workspace) -> str:
    """Run every setup command in order; what they printed.

    Raises SetupFailed when one does not exit 0 in time, Interrupted, HostFailed.
    """
    surroundings = setup_surroundings(bench, workspace, task)
    log: list[str] = []
    for number, command in enumerate(task.setup.commands):
        output = workspace.root / f"setup-{number}"
        problem = _run_one(command, task.setup.timeout_s, bench, surroundings, output)
        written = output.read_bytes() if output.exists() else b""
        log.append(f"$ {command}\n{excerpt(written)}\n")
        if problem:
            raise SetupFailed(f"setup command {command!r} {problem}", excerpt(written))
    return "".join(log)


def _run_one(
    command: str, timeout_s: float, bench: Workbench, surroundings: Surroundings, output: Path
) -> str | None:
    """Run one command; what went wrong, None when nothing did."""
    end = bench.supervisor.run(
        Command(
            argv=("/bin/sh", "-c", command),
            env=surroundings.env,
            cwd=surroundings.inner.workspace,
            stdout=output,
            output_cap=_OUTPUT_CAP,
            timeout_s=timeout_s,
        ),
        surroundings.view,
        interrupt=bench.interrupt,
    )
    if end.reason is EndReason.INTERRUPTED:
        raise Interrupted("interrupted during setup")
    if end.reason is EndReason.LOST:
        raise HostFailed("the supervisor of setup was lost", end.error or "")
    if end.reason is EndReason.NOT_STARTED:
        return f"could not be started: {end.error}"
    if end.reason is EndReason.TIMEOUT:
        return f"did not end within {timeout_s:g} s"
    if end.signal:
        return f"was ended by signal {end.signal}"
    return f"exited with {end.exit_code}" if end.exit_code else None
