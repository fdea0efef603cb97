"""A small real surrounding for checks: evidence held in memory, commands run by /bin/sh."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.errors import CheckBroken
from bakeoff.model.check import Change, ChangeKind, CommandResult, Injection, Place, PlaceKind
from bakeoff.model.trajectory import Trajectory
from bakeoff.patterns import compile_glob, matches_any

BASE_COMMIT = "a" * 40


def changed(
    path: bytes, kind: ChangeKind = ChangeKind.MODIFIED, *, tracked: bool = True, ignored: bool = False
) -> Change:
    """One change, of a file that was there unless told otherwise."""
    return Change(path=path, kind=kind, tracked=tracked, ignored=ignored)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEvidence:
    """What a check may know of a trial; satisfies `bakeoff.model.check.Evidence`.

    Attributes:
        diffs: path to the unified diff of that one file.
        files: path to the text of each file at the end.
        places: what lies at paths that are no file, or whose file has another path.
    """

    changes: tuple[Change, ...] = ()
    diffs: Mapping[bytes, str] = field(default_factory=dict)
    files: Mapping[bytes, str] = field(default_factory=dict)
    trajectory: Trajectory = Trajectory()
    harness: str = "fake"
    places: Mapping[bytes, Place] = field(default_factory=dict)
    losses: tuple[str, ...] = ()

    def look_up(self, path: bytes) -> Place:
        """One of `places`, else a file, else nothing."""
        kind = PlaceKind.FILE if path in self.files else PlaceKind.NOTHING
        return self.places.get(path, Place(kind=kind, path=path))

    def read(self, path: bytes) -> bytes:
        """One of `files`."""
        if path not in self.files:
            raise CheckBroken(f"{path!r} is not archived")
        return self.files[path].encode("utf-8", "surrogateescape")

    def diff(self, paths: tuple[str, ...] = ()) -> str:
        """The diffs of the files that match, in order."""
        return "".join(text for path, text in sorted(self.diffs.items()) if _wanted(path, paths))

    def texts(self, paths: tuple[str, ...] = ()) -> Iterator[tuple[bytes, str]]:
        """The files that match, in order."""
        return ((path, text) for path, text in sorted(self.files.items()) if _wanted(path, paths))


def _wanted(path: bytes, paths: tuple[str, ...]) -> bool:
    return not paths or matches_any(map(compile_glob, paths), path)


@dataclass(slots=True, kw_only=True)
class ShellContext:
    """Runs the commands of checks by /bin/sh in a directory; satisfies `bakeoff.model.check.Context`.

    Attributes:
        workspace: where commands run.
        outside: a directory beside it for what commands must not find by chance.
        diff: what a file with the trial's diff holds.
        commands: every command that was run, in order.
        stdout_kept: bytes of standard output that are kept.
    """

    workspace: Path
    outside: Path
    diff: str = ""
    commands: list[str] = field(default_factory=list)
    stdout_kept: int = 4 * 1024 * 1024

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
        """Run one command to its end, its descendants included."""
        self.commands.append(command)
        place = self.outside / uuid.uuid4().hex
        place.mkdir(parents=True)
        (place / "diff").write_text(self.diff, encoding="utf-8")
        known = {"{workspace}": str(self.workspace), "{base_commit}": BASE_COMMIT}
        variables = {name: known.get(value, value) for name, value in (environment or {}).items()}
        variables |= dict.fromkeys(expose_diff, str(place / "diff"))
        variables |= dict.fromkeys(collect, str(place / "collected"))
        with self.injected(inject):
            exit_code, timed_out = self._run(command, variables, place, timeout_s)
        stdout, stderr = (place / "stdout").read_bytes(), (place / "stderr").read_bytes()
        collected = place / "collected"
        return CommandResult(
            exit_code=exit_code,
            timed_out=timed_out,
            output=(stdout + stderr).decode("utf-8", "replace"),
            stdout=stdout[: self.stdout_kept],
            stdout_truncated=len(stdout) > self.stdout_kept,
            duration_s=0.01,
            error=None if exit_code is not None or timed_out else "no such directory",
            collected=collected.read_bytes() if collect and collected.exists() else None,
        )

    @contextmanager
    def injected(self, inject: tuple[Injection, ...]) -> Iterator[None]:
        """Copy files in, and put back what they replaced."""
        aside = self.outside / uuid.uuid4().hex
        kept: list[tuple[Path, Path]] = []
        for item in inject:
            if not item.source.exists():
                raise CheckBroken(f"the file to inject is missing: {item.source}")
            place = self.workspace / item.dest
            if place.exists():
                aside.mkdir(parents=True, exist_ok=True)
                kept.append((place, place.rename(aside / uuid.uuid4().hex)))
            place.parent.mkdir(parents=True, exist_ok=True)
            if item.source.is_dir():
                shutil.copytree(item.source, place)
            else:
                shutil.copy2(item.source, place)
        try:
            yield
        finally:
            for item in inject:
                _remove(self.workspace / item.dest)
            for place, replaced in kept:
                replaced.rename(place)

    def _run(
        self, command: str, variables: Mapping[str, str], place: Path, timeout_s: float
    ) -> tuple[int | None, bool]:
        """The exit code as a shell tells it, None if there is none; and whether time ran out."""
        with (place / "stdout").open("wb") as stdout, (place / "stderr").open("wb") as stderr:
            try:
                process = subprocess.Popen(
                    ["/bin/sh", "-c", command],
                    cwd=self.workspace,
                    env={"PATH": os.environ["PATH"], "HOME": str(place), **variables},
                    stdin=subprocess.DEVNULL,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                )
            except OSError:
                return None, False
            try:
                code = process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                return None, True
            else:
                return (128 - code if code < 0 else code), False
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
