"""Scripts: their environment, and the JSON that they report."""

from __future__ import annotations

import contextlib
import json
import math
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.checking import BASE_COMMIT, MemoryEvidence, ShellContext

from bakeoff.checks.document import Unreadable, numbers_in, read_document
from bakeoff.checks.script import Script
from bakeoff.model.check import Status, Verdict


def evaluate(check: Script, context: ShellContext) -> Verdict:
    return check.evaluate(MemoryEvidence(), context)


def printing(report: str, **fields: object) -> Script:
    run = f"printf %s {shlex.quote(report)}"
    return Script.model_validate({"id": "size", "run": run, "capture_json": True, **fields})


@pytest.mark.parametrize("prefix", ["ABLATE", "BAKEOFF"])
def test_a_script_finds_workspace_base_and_diff(context: ShellContext, prefix: str) -> None:
    context.diff = "+ added\n"
    run = f'echo "${prefix}_TRIAL_DIR"; echo "${prefix}_BASE_COMMIT"; cat "${prefix}_DIFF_FILE"; pwd'
    verdict = evaluate(Script(id="s", run=run), context)
    assert verdict.evidence == f"{context.workspace}\n{BASE_COMMIT}\n+ added\n{context.workspace}\n"


def test_a_script_is_judged_by_its_exit_code(context: ShellContext) -> None:
    assert evaluate(Script(id="s", run="exit 4", expect=4), context).status is Status.PASSED
    failed = evaluate(Script(id="s", run="exit 4"), context)
    assert (failed.status, failed.reason) == (Status.FAILED, "expected exit code 0, found 4")
    late = evaluate(Script(id="s", run="sleep 30", timeout_s=0.3), context)
    assert (late.status, late.code) == (Status.FAILED, "timeout")


def test_the_document_and_its_numbers_are_kept(context: ShellContext) -> None:
    report = {
        "coverage": {"line": 81.5, "branch": 70},
        "ok": True,
        "files": [1, 2],
        "tool": "x",
        "none": None,
    }
    verdict = evaluate(printing(json.dumps(report, indent=2)), context)
    assert verdict.status is Status.PASSED
    assert verdict.document == report
    assert verdict.numbers == {"coverage.line": 81.5, "coverage.branch": 70.0}


def test_a_document_that_is_one_number_has_the_name_of_the_check(context: ShellContext) -> None:
    verdict = evaluate(printing("42"), context)
    assert (verdict.document, verdict.numbers) == (42, {"size": 42.0})


@pytest.mark.parametrize("report", ["null", "true", '"text"', "[1, 2]", "{}", " \n{}\n "])
def test_any_document_is_a_document(context: ShellContext, report: str) -> None:
    verdict = evaluate(printing(report), context)
    assert verdict.status is Status.PASSED
    assert verdict.document == json.loads(report)
    assert verdict.numbers == {}


@pytest.mark.parametrize(
    ("report", "words"),
    [
        ("", "nothing was printed"),
        (" \n", "nothing was printed"),
        ("{} {}", "not one JSON document"),
        ("done\n{}", "not one JSON document"),
        ('{"a": NaN}', "NaN is not JSON"),
        ("Infinity", "Infinity is not JSON"),
        ('{"a": 1e999}', "1e999 is not a finite number"),
        ('{"a": 1, "a": 2}', "'a' stands twice"),
        ('{"a.b": 1, "a": {"b": 2}}', "two numbers have the name 'a.b'"),
        ("[" * 51 + "]" * 51, "nested more than 50 levels"),
        ("[" * 100_000, "not one JSON document"),
        ('{"a": ' + "1" * 400 + "}", "a is not a finite number"),
        ('{"a": ' + "1" * 5000 + "}", "not one JSON document"),
        (json.dumps({str(number): number for number in range(1001)}), "more than 1000 numbers"),
    ],
)
def test_what_is_not_one_document_fails_the_check(context: ShellContext, report: str, words: str) -> None:
    (context.workspace / "report").write_text(report)
    verdict = evaluate(Script(id="s", run="cat report", capture_json=True), context)
    assert verdict.status is Status.FAILED
    assert verdict.code == "json"
    assert words in verdict.reason
    assert verdict.document is None
    assert verdict.numbers == {}


def test_bytes_that_are_not_utf8_fail_the_check(context: ShellContext) -> None:
    verdict = evaluate(Script(id="s", run=r"""printf '"caf\351"'""", capture_json=True), context)
    assert (verdict.status, verdict.code) == (Status.FAILED, "json")
    assert "not UTF-8" in verdict.reason


def test_output_that_was_cut_is_not_a_document(context: ShellContext) -> None:
    context.stdout_kept = 2
    verdict = evaluate(Script(id="s", run="printf '{}  '", capture_json=True), context)
    assert (verdict.status, verdict.code) == (Status.FAILED, "json")


def test_standard_error_does_not_disturb_the_document(context: ShellContext) -> None:
    verdict = evaluate(Script(id="s", run="echo noise >&2; echo '{\"a\": 1}'", capture_json=True), context)
    assert verdict.numbers == {"a": 1.0}


def test_a_failing_script_keeps_its_document_and_its_reason(context: ShellContext) -> None:
    verdict = evaluate(Script(id="s", run="echo '{\"a\": 1}'; exit 1", capture_json=True), context)
    assert verdict.status is Status.FAILED
    assert verdict.reason == "expected exit code 0, found 1"
    assert verdict.numbers == {"a": 1.0}
    broken = evaluate(Script(id="s", run="echo oops; exit 1", capture_json=True), context)
    assert (broken.reason, broken.document) == ("expected exit code 0, found 1", None)


def test_without_capture_json_anything_may_be_printed(context: ShellContext) -> None:
    verdict = evaluate(Script(id="s", run="echo '{\"a\": 1}'"), context)
    assert (verdict.status, verdict.document, verdict.numbers) == (Status.PASSED, None, {})


@pytest.mark.parametrize("fields", [{"run": ""}, {"capture_json": 1}, {"inject": []}, {"timeout_s": 0}])
def test_fields_that_cannot_be_meant_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Script.model_validate({"id": "s", "run": "true", **fields})


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1000, 1000)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(JSON, st.booleans())
def test_every_json_document_is_read_as_it_is(value: object, ascii_only: bool) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert read_document(data) == value


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(Unreadable):
        numbers = numbers_in(read_document(data), "n")
        assert all(map(math.isfinite, numbers.values()))
