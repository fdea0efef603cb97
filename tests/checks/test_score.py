"""Partial scores: what a score command may report, and what makes a score unknown."""

from __future__ import annotations

import json
import shlex

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.checking import ShellContext

from bakeoff.checks.score import Score, ScoreReading


def measure(command: str, context: ShellContext, timeout_s: float = 20.0) -> ScoreReading:
    return Score(command=command, timeout_s=timeout_s).measure(context)


@pytest.mark.parametrize("variable", ["BAKEOFF_SCORE_FILE", "HARNESSLAB_SCORE_FILE"])
def test_the_score_file_counts_before_standard_output(context: ShellContext, variable: str) -> None:
    reading = measure(f"""echo '{{"score": 1}}'; echo '{{"score": 0.25}}' > "${variable}" """, context)
    assert reading.score == 0.25
    assert reading.error is None


def test_both_variables_name_the_same_new_file(context: ShellContext) -> None:
    command = 'test "$BAKEOFF_SCORE_FILE" = "$HARNESSLAB_SCORE_FILE" && test ! -e "$BAKEOFF_SCORE_FILE" && echo \'{"score":1}\''
    assert measure(command, context).score == 1.0


def test_the_last_object_on_standard_output_counts(context: ShellContext) -> None:
    reading = measure(
        """echo 'run {1} of 2'; echo '{"score": 0.9}'; echo 'Total: {"score": 1,'; echo '"max_score": 4}'; echo bye""",
        context,
    )
    assert reading.score == 0.25


def test_an_empty_score_file_counts_as_none(context: ShellContext) -> None:
    assert measure("""echo > "$BAKEOFF_SCORE_FILE"; echo '{"score": 0.5}'""", context).score == 0.5


def test_metrics_come_with_the_score(context: ShellContext) -> None:
    report = {
        "score": 8,
        "max_score": 10,
        "metrics": {"tests_passed": 8, "time": {"wall": 1.5}, "note": "text"},
    }
    reading = measure(f"echo {shlex.quote(json.dumps(report))}", context)
    assert reading.score == 0.8
    assert reading.metrics == {"tests_passed": 8.0, "time.wall": 1.5}


@pytest.mark.parametrize(
    ("report", "score"),
    [
        ('{"score": 1.5}', 1.0),
        ('{"score": -3}', 0.0),
        ('{"score": 3, "max_score": 2}', 1.0),
        ('{"score": 0}', 0.0),
        ('{"score": 1, "max_score": 3}', 1 / 3),
        ('{"score": 0.5, "comment": "anything else is allowed"}', 0.5),
        ('{"score": 0.5, "metrics": null}', 0.5),
    ],
)
def test_scores_are_held_within_bounds(context: ShellContext, report: str, score: float) -> None:
    assert measure(f"echo {shlex.quote(report)}", context).score == pytest.approx(score)


@pytest.mark.parametrize(
    ("report", "words"),
    [
        ('{"score": NaN}', "NaN is not JSON"),
        ('{"score": Infinity}', "not a finite number"),
        ('{"score": -Infinity}', "not a finite number"),
        ('{"score": 1e999}', "not a finite number"),
        ('{"score": 1, "max_score": 0}', "max_score must be above 0"),
        ('{"score": 1, "max_score": -2}', "max_score must be above 0"),
        ('{"score": 1, "max_score": null}', "max_score must be a number"),
        ('{"score": "1"}', "score must be a number"),
        ('{"score": true}', "score must be a number"),
        ('{"score": null}', "score must be a number"),
        ('{"points": 1}', "no `score`"),
        ('{"score": 1, "metrics": [1]}', "must be a mapping"),
        ('{"score": 1, "metrics": {"x": NaN}}', "NaN"),
        ('{"score": 0, "score": 1}', "stands twice"),
        ("1.0", "no JSON object"),
        ("", "no JSON object"),
        ('{"score": 1', "ends inside"),
        ('{"details": {"score": 1}', "ends inside"),
        ('{"score": "', "ends inside"),
        ('{"score": ' + "9" * 400 + "}", "not a finite number"),
        ('{"score": ' + "9" * 5000 + "}", "unusable"),
        ("[" * 60 + '{"score": 1}' + "]" * 59, None),
    ],
)
def test_a_report_that_cannot_be_used_leaves_the_score_unknown(
    context: ShellContext, report: str, words: str | None
) -> None:
    (context.workspace / "report").write_text(report)
    reading = measure("cat report", context)
    if words is None:
        # An object among text that merely looks like a broken list is an object.
        assert reading.score == 1.0
        return
    assert reading.score is None
    assert reading.error is not None
    assert words in reading.error


@pytest.mark.parametrize(
    "report", ["[1]", "1", '"score"', "{", "no json", '{"score": 1}{"score": 1}', "\\377"]
)
def test_a_broken_score_file_is_not_replaced_by_standard_output(context: ShellContext, report: str) -> None:
    reading = measure(
        f"""printf {shlex.quote(report)} > "$BAKEOFF_SCORE_FILE"; echo '{{"score": 1}}'""", context
    )
    assert reading.score is None
    assert reading.error is not None


def test_a_score_command_that_fails_gives_no_score(context: ShellContext) -> None:
    reading = measure("""echo '{"score": 1}'; exit 7""", context)
    assert (reading.score, reading.error) == (None, "the score command exited with 7, not 0")


def test_a_score_command_that_does_not_end_gives_no_score(context: ShellContext) -> None:
    reading = measure("""echo '{"score": 1}'; sleep 30""", context, timeout_s=0.3)
    assert (reading.score, reading.error) == (None, "the score command did not end within 0.3 s")


def test_output_that_was_cut_gives_no_score(context: ShellContext) -> None:
    context.stdout_kept = 30
    reading = measure("""echo '{"score": 1}'; echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa""", context)
    assert reading.score is None
    assert reading.error is not None
    assert "more was printed than is kept" in reading.error


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=60))
def test_whatever_is_written_the_score_is_in_bounds_or_unknown(context: ShellContext, data: bytes) -> None:
    (context.workspace / "report").write_bytes(data)
    reading = measure('cat report > "$BAKEOFF_SCORE_FILE"', context)
    assert (reading.score is None) == (reading.error is not None)
    assert reading.score is None or 0.0 <= reading.score <= 1.0
