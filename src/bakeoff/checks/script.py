"""The check that hands the trial to any program and can keep what it reports."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from bakeoff.checks.command import judge_exit
from bakeoff.checks.document import Unreadable, numbers_in, read_document
from bakeoff.checks.fields import ExitCode, Seconds, ShellCommand
from bakeoff.model.check import Check, CommandResult, Context, Evidence, Status, Verdict

_ENVIRONMENT = {
    "ABLATE_TRIAL_DIR": "{workspace}",
    "ABLATE_BASE_COMMIT": "{base_commit}",
    "BAKEOFF_TRIAL_DIR": "{workspace}",
    "BAKEOFF_BASE_COMMIT": "{base_commit}",
}
_DIFF_VARIABLES = ("ABLATE_DIFF_FILE", "BAKEOFF_DIFF_FILE")


class Script(Check):
    """Runs any program on the trial and compares its exit code; the way out for rules of your own.

    The command runs as that of a `command` check does. It finds the workspace in
    `BAKEOFF_TRIAL_DIR`, the id of the starting commit in `BAKEOFF_BASE_COMMIT` and a file
    with the trial's diff in `BAKEOFF_DIFF_FILE` (also as `ABLATE_TRIAL_DIR`,
    `ABLATE_BASE_COMMIT` and `ABLATE_DIFF_FILE`). With `capture_json: true` its standard
    output must be exactly one JSON document, else the check fails. The document is kept
    with the verdict, and its numbers become metrics, those inside nested objects as `a.b`;
    a document that is one number is a metric named after the check.
    """

    type_name: ClassVar[str] = "script"

    run: ShellCommand = Field(description="the shell command")
    expect: ExitCode = Field(default=0, description="the exit code that passes")
    timeout_s: Seconds = Field(default=600.0, description="seconds the command may take")
    capture_json: bool = Field(default=False, strict=True, description="keep standard output as JSON")

    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """Run the program and read what it printed."""
        result = context.run_command(
            self.run, timeout_s=self.timeout_s, environment=_ENVIRONMENT, expose_diff=_DIFF_VARIABLES
        )
        verdict = judge_exit(result, expect=self.expect, timeout_s=self.timeout_s)
        if not self.capture_json or result.error is not None or result.timed_out:
            return verdict
        return self._with_document(verdict, result)

    def _with_document(self, verdict: Verdict, result: CommandResult) -> Verdict:
        try:
            document = read_document(result.stdout, truncated=result.stdout_truncated)
            numbers = numbers_in(document, self.id)
        except Unreadable as unreadable:
            if verdict.status is not Status.PASSED:
                return verdict
            reason = f"expected one JSON document on standard output: {unreadable}"
            return replace(verdict, status=Status.FAILED, code="json", reason=reason)
        return replace(verdict, document=document, numbers=numbers)
