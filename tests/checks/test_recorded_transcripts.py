"""Checks on what the real Claude Code printed: whole transcripts decide, others do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.checking import MemoryEvidence, ShellContext

from bakeoff.checks.registry import CHECKS
from bakeoff.harness.claude_code.parse import ClaudeParser
from bakeoff.model.check import Verdict
from bakeoff.run.grade import grade

RECORDED = Path(__file__).parents[1] / "recorded" / "claude"


def judged(recording: str, kind: str, context: ShellContext, **fields: object) -> Verdict:
    parser = ClaudeParser()
    for line in (RECORDED / recording / "stdout.jsonl").read_bytes().splitlines():
        parser.feed(line)
    evidence = MemoryEvidence(trajectory=parser.trajectory(), harness="claude_code")
    (verdict,) = grade([CHECKS[kind].model_validate({"id": "it", **fields})], evidence, context)
    return verdict


@pytest.mark.parametrize(
    ("recording", "kind", "fields", "status"),
    [
        ("fix", "tool_called", {"name": "Edit"}, "passed"),
        ("fix", "tool_not_called", {"name": "WebFetch"}, "passed"),
        ("fix", "no_permission_errors", {}, "passed"),
        ("toolerror", "no_permission_errors", {}, "passed"),
        ("denied", "no_permission_errors", {}, "failed"),
        ("denied-rule", "no_permission_errors", {}, "failed"),
        ("denied-hook", "no_permission_errors", {}, "failed"),
        ("denied-dontask", "no_permission_errors", {}, "failed"),
        ("old-2.0.14", "no_permission_errors", {}, "failed"),
        ("skill", "first_skill", {"skill": "greet-skill"}, "passed"),
        ("skill", "skill_not_invoked", {"skill": "greet-skill"}, "failed"),
        ("skill-missing", "skill_not_invoked", {"skill": "greet-skill"}, "passed"),
        ("skill-missing", "skill_invoked", {"skill": "greet-skill"}, "failed"),
        ("subagent", "tool_called", {"name": "Write"}, "passed"),
        ("maxturns", "tool_not_called", {"name": "WebFetch"}, "passed"),
        # The process was ended before its last word.
        ("hang", "tool_not_called", {"name": "WebFetch"}, "error"),
        ("hang-tool2", "no_permission_errors", {}, "error"),
        # An output format that tells the answer only.
        ("json-plain", "tool_not_called", {"name": "Bash"}, "error"),
        ("json-plain", "tool_called", {"name": "Bash"}, "error"),
        ("subagent-json", "skill_not_invoked", {"skill": "x"}, "error"),
    ],
)
def test_what_was_recorded_is_judged_as_it_was(
    recording: str, kind: str, fields: dict[str, object], status: str, context: ShellContext
) -> None:
    verdict = judged(recording, kind, context, **fields)
    assert verdict.status == status, verdict.reason
