"""Playing a scripted agent for real, without the run layer: its process, its stream, its trajectory."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bakeoff.harness import registry
from bakeoff.harness.fake.options import FakeOptions
from bakeoff.harness.outcome import Conclusion, conclude
from bakeoff.harness.protocol import Launch, LaunchRequest
from bakeoff.model.suite import Reference
from bakeoff.model.trajectory import Trajectory
from bakeoff.process.supervise import EndReason, ProcessEnd


@dataclass(frozen=True, kw_only=True)
class Played:
    """What a scripted agent left."""

    trajectory: Trajectory
    finished: bool
    exit_code: int
    timed_out: bool
    stdout: bytes
    stderr: bytes
    workspace: Path
    home: Path

    @property
    def conclusion(self) -> Conclusion:
        """How its part of a trial would be recorded."""
        reason = EndReason.TIMEOUT if self.timed_out else EndReason.EXITED
        return conclude(ProcessEnd(reason=reason, exit_code=self.exit_code), self.trajectory)


def play(
    root: Path,
    options: Mapping[str, object],
    *,
    prompt: str = "Do it.",
    task_id: str = "task",
    model: str | None = None,
    reference: Reference | None = None,
    timeout_s: float = 20.0,
    environment: Mapping[str, str] | None = None,
) -> Played:
    """Play `options` in `root/workspace`, which may hold files already."""
    workspace, home, tmp = root / "workspace", root / "home", root / "tmp"
    for folder in (workspace, home, tmp):
        folder.mkdir(parents=True, exist_ok=True)
    harness = registry.get("fake")
    launch = harness.launch(
        LaunchRequest(
            prompt=prompt,
            workspace=str(workspace),
            home=str(home),
            tmp=str(tmp),
            options=FakeOptions.model_validate(options),
            model=model,
            task_id=task_id,
            reference=reference or Reference(),
        )
    )
    lay_down(launch, home)
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(tmp), "LANG": "C.UTF-8"}
    env |= {**launch.env, **(environment or {})}
    process = subprocess.Popen(
        launch.argv,
        cwd=workspace,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    timed_out = False
    try:
        stdout, stderr = process.communicate(launch.stdin, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        timed_out = True
        process.kill()
        stdout, stderr = process.communicate()
    parser = harness.parser(FakeOptions())
    for line in stdout.split(b"\n"):
        parser.feed(line)
    return Played(
        trajectory=parser.trajectory(),
        finished=parser.finished,
        exit_code=process.returncode,
        timed_out=timed_out,
        stdout=stdout,
        stderr=stderr,
        workspace=workspace,
        home=home,
    )


def lay_down(launch: Launch, home: Path) -> None:
    """Make the files that a launch wants in the private HOME."""
    for relative, content in launch.home_files.items():
        path = home / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
