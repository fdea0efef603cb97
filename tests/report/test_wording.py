"""Numbers are said so that rounding never turns one fact into another."""

from __future__ import annotations

import pytest

from bakeoff.report import wording


@pytest.mark.parametrize(
    ("share", "text"),
    [(None, "unknown"), (0.0, "0 %"), (1.0, "100 %"), (1 / 3, "33 %"), (0.004, "<1 %"), (0.996, ">99 %")],
)
def test_only_none_and_all_are_0_and_100_per_cent(share: float | None, text: str) -> None:
    assert wording.percent(share) == text


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (None, "unknown"),
        (0.0, "$0.00"),
        (0.00001, "<$0.0001"),
        (0.00123, "$0.0012"),
        (0.054, "$0.054"),
        (0.12, "$0.12"),
        (0.0999, "$0.10"),
        (1234.5, "$1,234.50"),
    ],
)
def test_money_keeps_two_digits_that_count(usd: float | None, text: str) -> None:
    assert wording.money(usd) == text


@pytest.mark.parametrize(
    ("usd", "text"),
    [(None, "unknown"), (0.0123456, "$0.0123456"), (2.0, "$2.00"), (0.1, "$0.10"), (1e-9, "$0.000000001")],
)
def test_exact_money_keeps_every_digit(usd: float | None, text: str) -> None:
    assert wording.exact_money(usd) == text


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (None, "unknown"),
        (0.0, "0.00 s"),
        (0.52, "0.52 s"),
        (12.54, "12.5 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 00 s"),
        (125.0, "2 min 05 s"),
        (3599.6, "1 h 00 min"),
        (3840.0, "1 h 04 min"),
    ],
)
def test_durations(duration: float | None, text: str) -> None:
    assert wording.seconds(duration) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (None, "unknown"),
        (0, "0"),
        (999, "999"),
        (999.5, "1.00k"),
        (1_234, "1.23k"),
        (10_500, "10.5k"),
        (99_960, "100k"),
        (999_499, "999k"),
        (999_500, "1.00M"),
        (12_345_678, "12.3M"),
    ],
)
def test_tokens(count: float | None, text: str) -> None:
    assert wording.tokens(count) == text


def test_times_are_said_in_utc() -> None:
    assert wording.moment("2026-03-01T01:30:00+02:00") == "2026-02-28 23:30 UTC"
    assert wording.moment("2026-03-01T01:30:00") == "2026-03-01 01:30 UTC"
    assert wording.moment(None) == "unknown"


def test_words() -> None:
    assert wording.outcome_words("void", "rate_limit") == "void (rate limit)"
    assert wording.counts({"pass": 7, "fail": 0, "not_judged": 2}) == "7 pass, 2 not judged"
    assert (wording.plural(1, "trial"), wording.plural(2_000, "trial")) == ("1 trial", "2,000 trials")
    assert (wording.spent(1.0, 2), wording.spent(None, 1), wording.spent(None, 0)) == (
        "$1.00+",
        "unknown",
        "-",
    )
    assert (wording.known_of(2, 5), wording.known_of(5, 5), wording.known_of(0, 5)) == (" (2/5)", "", "")
