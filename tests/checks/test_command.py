"""Commands: exit codes, time limits, injected files, scores beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError
from support.checking import MemoryEvidence, ShellContext

from bakeoff.checks.command import Command, InjectItem
from bakeoff.checks.score import Score
from bakeoff.errors import CheckBroken
from bakeoff.model.check import Status, Verdict


def evaluate(check: Command, context: ShellContext) -> Verdict:
    return check.evaluate(MemoryEvidence(), context)


def test_the_expected_exit_code_passes(context: ShellContext) -> None:
    verdict = evaluate(Command(id="t", run="echo fine; exit 3", expect=3), context)
    assert verdict.status is Status.PASSED
    assert verdict.reason == "exit code 3, as expected"
    assert verdict.evidence == "fine\n"
    assert verdict.score == 1.0
    assert verdict.duration_s is not None


def test_another_exit_code_fails_and_both_are_named(context: ShellContext) -> None:
    verdict = evaluate(Command(id="t", run="echo out; echo err >&2; exit 2"), context)
    assert verdict.status is Status.FAILED
    assert verdict.code == "exit_code"
    assert verdict.reason == "expected exit code 0, found 2"
    assert verdict.evidence == "out\nerr\n"
    assert verdict.score == 0.0


def test_a_command_ended_by_a_signal_does_not_pass(context: ShellContext) -> None:
    verdict = evaluate(Command(id="t", run="kill -9 $$"), context)
    assert verdict.status is Status.FAILED
    assert verdict.reason == "expected exit code 0, found 137"


@pytest.mark.parametrize("expect", [0, 124, 137])
def test_running_out_of_time_fails_whatever_is_expected(context: ShellContext, expect: int) -> None:
    verdict = evaluate(Command(id="t", run="echo begun; sleep 30", expect=expect, timeout_s=2.0), context)
    assert verdict.status is Status.FAILED
    assert verdict.code == "timeout"
    assert "did not end within 2 s" in verdict.reason
    assert verdict.evidence == "begun\n"
    assert verdict.score == 0.0


def test_a_command_that_cannot_start_is_an_error_without_a_score(context: ShellContext) -> None:
    context.workspace.rmdir()
    verdict = evaluate(Command(id="t", run="true", score=Score(command="true")), context)
    assert verdict.status is Status.ERROR
    assert verdict.code == "not_started"
    assert verdict.score is None
    assert verdict.score_error == "not measured: the command could not be started"
    assert evaluate(Command(id="t", run="true"), context).score is None


def test_output_that_is_not_utf8_is_evidence_all_the_same(context: ShellContext) -> None:
    assert evaluate(Command(id="t", run=r"printf 'caf\351'"), context).evidence == "caf\ufffd"


def test_long_output_keeps_its_beginning_and_its_end(context: ShellContext) -> None:
    verdict = evaluate(
        Command(id="t", run="echo first; yes 1234567890 | head -20000; echo last; exit 1"), context
    )
    assert verdict.evidence.startswith("first\n")
    assert verdict.evidence.endswith("last\n")
    assert len(verdict.evidence) < 33_000
    assert "characters left out" in verdict.evidence


def test_injected_files_are_there_for_the_command_alone(context: ShellContext, tmp_path: Path) -> None:
    hidden = tmp_path / "verify"
    hidden.mkdir()
    (hidden / "test_it.sh").write_text('test "$(cat answer)" = 42\n')
    (context.workspace / "answer").write_text("42")
    (context.workspace / "tests").mkdir()
    (context.workspace / "tests" / "own").write_text("the agent's")
    check = Command(
        id="t",
        run="test ! -e tests/own && sh tests/test_it.sh",
        inject=(InjectItem(source=hidden, dest="tests/"),),
    )
    assert evaluate(check, context).status is Status.PASSED
    assert [path.name for path in (context.workspace / "tests").iterdir()] == ["own"]


def test_the_score_command_finds_the_injected_files_and_what_the_command_left(
    context: ShellContext, tmp_path: Path
) -> None:
    source = tmp_path / "cases"
    source.write_text("8 10")
    check = Command(
        id="t",
        run="echo 8 > solved; exit 1",
        inject=(InjectItem(source=source, dest="hidden/cases"),),
        score=Score(
            command='read a b < hidden/cases; printf \'{"score": %s, "max_score": %s}\' $(cat solved) $b'
        ),
    )
    verdict = evaluate(check, context)
    assert verdict.status is Status.FAILED
    assert verdict.score == 0.8
    assert not (context.workspace / "hidden" / "cases").exists()
    assert "[score command]" in verdict.evidence


def test_the_score_is_measured_after_the_command_ran_out_of_time(context: ShellContext) -> None:
    check = Command(
        id="t",
        run="echo 1 > done; sleep 30",
        timeout_s=2.0,
        score=Score(command='echo "{\\"score\\": 0.$(cat done)}"'),
    )
    verdict = evaluate(check, context)
    assert (verdict.status, verdict.score) == (Status.FAILED, 0.1)


def test_an_unknown_score_is_not_a_full_one(context: ShellContext) -> None:
    verdict = evaluate(Command(id="t", run="true", score=Score(command="echo nothing")), context)
    assert verdict.status is Status.PASSED
    assert verdict.score is None
    assert verdict.score_error is not None
    assert "no JSON object" in verdict.score_error


def test_a_missing_injected_file_breaks_the_check(context: ShellContext, tmp_path: Path) -> None:
    check = Command(id="t", run="true", inject=(InjectItem(source=tmp_path / "gone", dest="x"),))
    with pytest.raises(CheckBroken, match="gone"):
        evaluate(check, context)
    assert context.commands == []


def test_sources_move_with_a_snapshot(tmp_path: Path) -> None:
    old, kept, new = tmp_path / "old", tmp_path / "kept", tmp_path / "new"
    check = Command(
        id="t", run="true", inject=(InjectItem(source=old, dest="a"), InjectItem(source=kept, dest="b"))
    )
    assert check.sources() == (old, kept)
    moved = check.relocated({old: new})
    assert moved.sources() == (new, kept)
    assert [item.dest for item in moved.inject] == ["a", "b"]
    assert check.sources() == (old, kept)


def test_style_is_an_aspect_of_its_own() -> None:
    assert Command(id="t", run="true").aspect == "correctness"
    assert Command(id="t", run="true", style=True).aspect == "style"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"run": ""}, "must not be empty"),
        ({"run": " \n"}, "must not be empty"),
        ({"run": "a\0b"}, "NUL"),
        ({"run": 5}, "valid string"),
        ({"timeout_s": 0}, "greater than 0"),
        ({"timeout_s": -1}, "greater than 0"),
        ({"timeout_s": float("nan")}, "finite"),
        ({"timeout_s": float("inf")}, "finite"),
        ({"timeout_s": "60"}, "valid number"),
        ({"timeout_s": True}, "valid number"),
        ({"timeout_s": 1e300}, "less than or equal"),
        ({"expect": 256}, "less than or equal to 255"),
        ({"expect": -1}, "greater than or equal to 0"),
        ({"expect": True}, "valid integer"),
        ({"expect": "0"}, "valid integer"),
        ({"style": "yes"}, "valid boolean"),
        ({"expcet": 0}, "Extra inputs"),
        ({"score": {"command": ""}}, "must not be empty"),
        ({"inject": [{"source": "verify", "dest": "x"}]}, "absolute"),
        ({"inject": [{"source": "/v", "dest": "../x"}]}, "inside the workspace"),
        ({"inject": [{"source": "/v", "dest": "/x"}]}, "inside the workspace"),
        ({"inject": [{"source": "/v", "dest": "a/../../x"}]}, "inside the workspace"),
        ({"inject": [{"source": "/v", "dest": ""}]}, "name a place"),
        ({"inject": [{"source": "/v", "dest": ".git/hooks"}]}, "must not lie in .git"),
    ],
)
def test_fields_that_cannot_be_meant_are_refused(fields: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Command.model_validate({"id": "t", "run": "true", **fields})


@pytest.mark.parametrize(
    ("written", "meant"), [("tests/", "tests"), ("./a//b", "a/b"), (".", "."), ("./", "."), ("...", "...")]
)
def test_destinations_are_normal(written: str, meant: str) -> None:
    assert InjectItem(source=Path("/v"), dest=written).dest == meant


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("no-such-program-anywhere", "found 127 (the shell did not find a command)"),
        ("./", "found 126 (the shell found a command that cannot be executed)"),
    ],
)
def test_what_the_shell_could_not_run_is_said(context: ShellContext, command: str, reason: str) -> None:
    verdict = evaluate(Command(id="t", run=command), context)
    assert verdict.reason == f"expected exit code 0, {reason}"
