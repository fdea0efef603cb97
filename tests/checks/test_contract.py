"""What holds for every registered check."""

from __future__ import annotations

import dataclasses
import json
import math

import pytest
from pydantic import ValidationError
from support.checking import MemoryEvidence, ShellContext, changed

from bakeoff.checks.registry import CHECKS
from bakeoff.identity import digest
from bakeoff.model.check import ChangeKind, Check, Status
from bakeoff.model.trajectory import Finish, Message, ToolCall, Trajectory

LEAST: dict[str, dict[str, object]] = {
    "command": {"run": "exit 0"},
    "script": {"run": "exit 0"},
    "files_touched": {"must_include": ["src/**"]},
    "unchanged": {"paths": ["tests/**"]},
    "present": {"pattern": "added"},
    "absent": {"pattern": "forbidden"},
    "file_exists": {"path": "src/a.py"},
    "file_contains": {"path": "src/a.py", "pattern": "added"},
    "tool_called": {"name": "Bash"},
    "tool_not_called": {"name": "WebFetch"},
    "tool_count": {"name": "Bash", "exactly": 1},
    "first_skill": {"skill": "greet"},
    "skill_invoked": {"skill": "greet"},
    "skill_not_invoked": {"skill": "deploy"},
    "no_permission_errors": {},
}
"""The fewest fields of each kind of check, such that `RIGHT` passes."""

DIFF = "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-old\n+added\n"
BASH = ToolCall(id="1", name="Bash", input={"command": "ls"}, result="", is_error=False)
GREET = ToolCall(id="2", name="Skill", input={"skill": "greet"}, result="", is_error=False, skill="greet")
FETCH = ToolCall(id="3", name="WebFetch", result="no", is_error=True, denied=True, denial="not allowed")
DEPLOY = ToolCall(id="4", name="Skill", result="", is_error=False, skill="deploy")


def transcript(*calls: ToolCall) -> Trajectory:
    return Trajectory(steps=(*calls, Message(text="done")), finish=Finish.COMPLETED)


RIGHT = MemoryEvidence(
    changes=(changed(b"src/a.py"),),
    diffs={b"src/a.py": DIFF},
    files={b"src/a.py": "added\n"},
    trajectory=transcript(BASH, GREET),
)
LEFT_NOTHING = MemoryEvidence(trajectory=transcript())
WRONG: dict[str, tuple[dict[str, object], MemoryEvidence]] = {
    "command": ({"run": "exit 1"}, RIGHT),
    "script": ({"run": "exit 1"}, RIGHT),
    "files_touched": ({}, MemoryEvidence()),
    "unchanged": ({}, MemoryEvidence(changes=(changed(b"tests/a", ChangeKind.DELETED),))),
    "present": ({}, MemoryEvidence()),
    "absent": ({"pattern": "added"}, RIGHT),
    "file_exists": ({}, LEFT_NOTHING),
    "file_contains": ({}, LEFT_NOTHING),
    "tool_called": ({}, LEFT_NOTHING),
    "tool_not_called": ({}, MemoryEvidence(trajectory=transcript(FETCH))),
    "tool_count": ({}, MemoryEvidence(trajectory=transcript(BASH, BASH))),
    "first_skill": ({}, MemoryEvidence(trajectory=transcript(DEPLOY, GREET))),
    "skill_invoked": ({}, LEFT_NOTHING),
    "skill_not_invoked": ({}, MemoryEvidence(trajectory=transcript(DEPLOY))),
    "no_permission_errors": ({}, MemoryEvidence(trajectory=transcript(FETCH))),
}
"""What makes each kind of check fail."""

kinds = pytest.mark.parametrize("kind", sorted(CHECKS))


def build(kind: str, **fields: object) -> Check:
    return CHECKS[kind].model_validate({"id": "it", **LEAST[kind], **fields})


def test_every_check_is_registered_by_its_own_name_and_known_to_this_suite() -> None:
    assert {kind: check.type_name for kind, check in CHECKS.items()} == {kind: kind for kind in CHECKS}
    assert set(LEAST) == set(WRONG) == set(CHECKS)


@kinds
def test_it_passes_on_what_is_right_and_fails_on_what_is_wrong(kind: str, context: ShellContext) -> None:
    assert build(kind).evaluate(RIGHT, context).status is Status.PASSED
    fields, evidence = WRONG[kind]
    assert build(kind, **fields).evaluate(evidence, context).status is Status.FAILED


@kinds
def test_its_verdict_can_be_shown_and_stored(kind: str, context: ShellContext) -> None:
    fields, evidence = WRONG[kind]
    for check, seen in ((build(kind), RIGHT), (build(kind, **fields), evidence)):
        verdict = check.evaluate(seen, context)
        assert verdict.reason
        assert "\n" not in verdict.reason
        assert not verdict.reason.endswith(".")
        assert verdict.code
        assert len(verdict.evidence) <= 33_000
        assert verdict.score is None or 0.0 <= verdict.score <= 1.0
        assert all(map(math.isfinite, verdict.numbers.values()))
        json.dumps(dataclasses.asdict(verdict), allow_nan=False)


@kinds
def test_it_judges_the_same_evidence_the_same_way_again(kind: str, context: ShellContext) -> None:
    check = build(kind)
    first, second = (check.evaluate(RIGHT, context) for _ in range(2))
    assert dataclasses.replace(first, duration_s=None) == dataclasses.replace(second, duration_s=None)


@kinds
def test_it_leaves_the_workspace_as_it_was(kind: str, context: ShellContext) -> None:
    (context.workspace / "file").write_text("content")
    build(kind).evaluate(RIGHT, context)
    assert [path.name for path in context.workspace.iterdir()] == ["file"]


@kinds
def test_it_has_the_fields_of_every_check_with_their_defaults(kind: str) -> None:
    check = build(kind)
    assert (check.required, check.stop, check.known_issue, check.providers) == (True, False, None, ())
    assert check.aspect in {"correctness", "style"}
    changed_fields = build(kind, required=False, stop=True, known_issue="why", providers=("fake",))
    assert changed_fields != check


@kinds
def test_it_refuses_fields_that_it_does_not_know(kind: str) -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        build(kind, nonsense=1)


@kinds
@pytest.mark.parametrize("reason", ["", " \n"])
def test_a_known_issue_says_what_it_is(kind: str, reason: str) -> None:
    with pytest.raises(ValidationError, match="says why the failure is expected"):
        build(kind, known_issue=reason)


@kinds
def test_it_needs_an_id(kind: str) -> None:
    with pytest.raises(ValidationError):
        CHECKS[kind].model_validate(LEAST[kind])


@kinds
def test_it_cannot_be_changed(kind: str) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        setattr(build(kind), "required", False)  # noqa: B010 - as a caller would who does not look at types


@kinds
def test_it_can_be_written_down_and_read_back(kind: str) -> None:
    check = build(kind)
    written = json.loads(check.model_dump_json(by_alias=True))
    assert CHECKS[kind].model_validate(written) == check
    assert digest(check) == digest(build(kind))
    assert digest(check) != digest(build(kind, required=False))


@kinds
def test_its_page_says_what_it_does_and_what_each_field_means(kind: str) -> None:
    check = CHECKS[kind]
    assert (check.__doc__ or "").strip()
    own = set(check.model_fields) - set(Check.model_fields)
    assert own or "no fields of its own" in (check.__doc__ or "")
    assert all(check.model_fields[name].description for name in own)


@kinds
def test_it_reads_its_sources_where_they_were_moved_to(kind: str) -> None:
    check = build(kind)
    assert check.relocated({}) == check
    assert check.sources() == ()
