"""The check that runs a shell command and looks at its exit code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator

from bakeoff.checks.fields import ExitCode, Seconds, ShellCommand
from bakeoff.checks.score import Score, ScoreReading
from bakeoff.checks.wording import EVIDENCE_CHARACTERS, clipped
from bakeoff.model.check import Check, CommandResult, Context, Evidence, Injection, Status, Verdict

_SHELL_CODES: Mapping[int, str] = {
    126: "the shell found a command that cannot be executed",
    127: "the shell did not find a command",
}
"""What a shell means by an exit code when it could not run a command."""


class InjectItem(BaseModel):
    """A file or directory that appears in the workspace only while a check needs it.

    `source` is the file or directory to copy; `dest` is where it goes, relative to the
    workspace. Whatever lies at `dest` is replaced and put back afterwards. With `.` as
    `dest` that holds for each entry of the source directory.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: Path = Field(description="file or directory to copy")
    dest: str = Field(strict=True, description="where it goes in the workspace")

    @field_validator("source")
    @classmethod
    def _absolute(cls, source: Path) -> Path:
        if not source.is_absolute():
            msg = f"the source of an injected file must be an absolute path by now, not {str(source)!r}"
            raise ValueError(msg)
        return source

    @field_validator("dest")
    @classmethod
    def _inside(cls, dest: str) -> str:
        segments = [segment for segment in dest.split("/") if segment not in {"", "."}]
        if dest.startswith("/") or ".." in segments:
            msg = f"dest must stay inside the workspace: {dest!r}"
            raise ValueError(msg)
        if not dest or "\0" in dest:
            msg = f"dest must name a place in the workspace, not {dest!r}"
            raise ValueError(msg)
        if segments and segments[0].lower() == ".git":
            msg = "dest must not lie in .git: that directory belongs to the agent's repository"
            raise ValueError(msg)
        return "/".join(segments) or "."


class Command(Check):
    """Runs a shell command in the workspace and compares its exit code.

    The check passes when the command exits with `expect`. A command that runs out of time
    fails, whatever `expect` says; one that cannot be started is an error. The command runs
    by `/bin/sh -c` in the workspace as the agent left it, without credentials, with empty
    standard input. `inject` lays down files that the agent must not see, such as hidden
    tests, for this command alone. `score` measures how much was solved, right after the
    command and with the injected files still there; without it the score is 1 when the
    check passes and 0 when it does not. With `style: true` the check is about style, which
    reports show apart from correctness.

    The score command writes a JSON object to the file that `BAKEOFF_SCORE_FILE` names (also
    `HARNESSLAB_SCORE_FILE`); when it writes nothing there, the last JSON object on its
    standard output counts. `{"score": 8, "max_score": 10, "metrics": {"solved": 8}}` is a
    score of 0.8 and a metric; `max_score` is 1 unless given. The score is unknown, and says
    why, when the command does not exit with 0 in time or reports anything else.
    """

    type_name: ClassVar[str] = "command"

    run: ShellCommand = Field(description="the shell command")
    expect: ExitCode = Field(default=0, description="the exit code that passes")
    timeout_s: Seconds = Field(default=600.0, description="seconds the command may take")
    inject: tuple[InjectItem, ...] = Field(default=(), description="files laid down for this command")
    score: Score | None = Field(default=None, description="a command that measures a partial score")
    style: bool = Field(default=False, strict=True, description="judges style, not correctness")

    @property
    def aspect(self) -> str:
        """`style` when the author says so, else `correctness`."""
        return "style" if self.style else super().aspect

    @property
    def gives_score(self) -> bool:
        """Whether there is a score command."""
        return self.score is not None

    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """Run the command, then the score command, with the same files in place."""
        with context.injected(tuple(Injection(source=item.source, dest=item.dest) for item in self.inject)):
            result = context.run_command(self.run, timeout_s=self.timeout_s)
            started = result.error is None
            reading = self.score.measure(context) if self.score is not None and started else None
        verdict = judge_exit(result, expect=self.expect, timeout_s=self.timeout_s)
        if self.score is not None and reading is None:
            return replace(verdict, score_error="not measured: the command could not be started")
        return _scored(verdict, reading)

    def sources(self) -> tuple[Path, ...]:
        """The files and directories to inject."""
        return tuple(item.source for item in self.inject)

    def relocated(self, moved: Mapping[Path, Path]) -> Self:
        """The same check with injected files read from elsewhere."""
        items = tuple(
            item.model_copy(update={"source": moved.get(item.source, item.source)}) for item in self.inject
        )
        return self.model_copy(update={"inject": items})


def judge_exit(result: CommandResult, *, expect: int, timeout_s: float) -> Verdict:
    """The verdict on how a command ended, its output as evidence."""
    if result.error is not None:
        status, code = Status.ERROR, "not_started"
        reason = f"the command could not be started: {result.error}"
    elif result.timed_out:
        status, code = Status.FAILED, "timeout"
        reason = f"expected exit code {expect}, but the command did not end within {timeout_s:g} s"
    elif result.exit_code == expect:
        status, code, reason = Status.PASSED, "exit_code", f"exit code {expect}, as expected"
    else:
        status, code = Status.FAILED, "exit_code"
        reason = f"expected exit code {expect}, found {_told(result.exit_code)}"
    return Verdict(
        status=status, reason=reason, code=code, evidence=clipped(result.output), duration_s=result.duration_s
    )


def _told(exit_code: int | None) -> str:
    if exit_code is None:
        return "none: a signal ended the command"
    meaning = _SHELL_CODES.get(exit_code)
    return f"{exit_code} ({meaning})" if meaning else str(exit_code)


def _scored(verdict: Verdict, reading: ScoreReading | None) -> Verdict:
    """The verdict with the measured score, or with 1 or 0 where none was to be measured."""
    if reading is None:
        known = {Status.PASSED: 1.0, Status.FAILED: 0.0}
        return replace(verdict, score=known.get(verdict.status))
    evidence = clipped(verdict.evidence, EVIDENCE_CHARACTERS * 3 // 4)
    output = clipped(reading.output, EVIDENCE_CHARACTERS // 4)
    return replace(
        verdict,
        score=reading.score,
        score_error=reading.error,
        numbers=reading.metrics,
        evidence=f"{evidence}\n[score command]\n{output}" if output else evidence,
        duration_s=(verdict.duration_s or 0.0) + reading.duration_s,
    )
