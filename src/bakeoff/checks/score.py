"""Partial scores: running a score command and reading what it reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from bakeoff.checks.document import Unreadable, finite, last_object, numbers_in, read_document
from bakeoff.checks.fields import Seconds, ShellCommand
from bakeoff.model.check import CommandResult, Context

SCORE_FILE_VARIABLES = ("BAKEOFF_SCORE_FILE", "HARNESSLAB_SCORE_FILE")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreReading:
    """What a score command reported.

    Attributes:
        score: in [0, 1]; None when it is unknown.
        error: why the score is unknown; None when it is known.
        metrics: the named numbers that came with it.
        duration_s: seconds that the command took.
        output: what it printed.
    """

    score: float | None
    error: str | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    duration_s: float = 0.0
    output: str = ""


class Score(BaseModel):
    """A command that says how much of a task was solved.

    It writes a JSON object to the file that `BAKEOFF_SCORE_FILE` (also
    `HARNESSLAB_SCORE_FILE`) names; when it writes nothing there, the last JSON object on
    its standard output counts. The object has `score`, and may have `max_score` (1 unless
    given) and `metrics`, a mapping of names to numbers. The score is `score / max_score`,
    held within 0 and 1. It is unknown, never 1, when the command does not exit with 0 in
    time, prints no such object, or names a number that is not finite or a `max_score` that
    is not above 0.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    command: ShellCommand = Field(description="the shell command that reports a score")
    timeout_s: Seconds = Field(default=120.0, description="seconds it may take")

    def measure(self, context: Context) -> ScoreReading:
        """Run the command and read its report; a fault of the command is a reading too."""
        result = context.run_command(self.command, timeout_s=self.timeout_s, collect=SCORE_FILE_VARIABLES)
        score: float | None = None
        metrics: Mapping[str, float] = {}
        error = _failure(result, self.timeout_s)
        if error is None:
            try:
                score, metrics = _read(_report(result))
            except Unreadable as unreadable:
                error = f"the score command's report cannot be used: {unreadable}"
        return ScoreReading(
            score=score, error=error, metrics=metrics, duration_s=result.duration_s, output=result.output
        )


def _failure(result: CommandResult, timeout_s: float) -> str | None:
    if result.error is not None:
        return f"the score command could not be started: {result.error}"
    if result.timed_out:
        return f"the score command did not end within {timeout_s:g} s"
    if result.exit_code != 0:
        return f"the score command exited with {result.exit_code}, not 0"
    return None


def _report(result: CommandResult) -> Mapping[str, object]:
    if result.collected is not None and result.collected.strip():
        document = read_document(result.collected)
        if not isinstance(document, Mapping):
            msg = "the score file does not hold a JSON object"
            raise Unreadable(msg)
        return document
    return last_object(result.stdout, truncated=result.stdout_truncated)


def _read(report: Mapping[str, object]) -> tuple[float, dict[str, float]]:
    if "score" not in report:
        msg = "the object has no `score`"
        raise Unreadable(msg)
    score = finite(report["score"], "score")
    most = finite(report.get("max_score", 1.0), "max_score")
    if most <= 0:
        msg = f"max_score must be above 0, not {most:g}"
        raise Unreadable(msg)
    ratio = min(max(score / most, 0.0), 1.0)
    return ratio, _metrics(report.get("metrics"))


def _metrics(value: object) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        msg = "`metrics` must be a mapping of names to numbers"
        raise Unreadable(msg)
    return numbers_in(value, "metrics")
