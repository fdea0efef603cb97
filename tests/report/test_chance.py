"""The two formulas against published numbers, against counting, and against their mirror image."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.report.chance import fisher, wilson


@pytest.mark.parametrize(
    ("passed", "total", "low", "high"),
    [
        # Newcombe (1998), Statistics in Medicine 17, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_limits(passed: int, total: int, low: float, high: float) -> None:
    assert list(wilson(passed, total)) == pytest.approx([low, high], abs=5e-5)


@given(total=st.integers(1, 500), data=st.data())
def test_wilson_is_the_same_seen_from_the_failures(total: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, total))
    low, high = wilson(passed, total)
    other_low, other_high = wilson(total - passed, total)
    assert 0 <= low <= passed / total <= high <= 1
    assert low == pytest.approx(1 - other_high)
    assert high == pytest.approx(1 - other_low)


@pytest.mark.parametrize(("passed", "total"), [(0, 0), (-1, 3), (4, 3)])
def test_wilson_refuses_what_is_no_proportion(passed: int, total: int) -> None:
    with pytest.raises(ValueError, match="not a proportion"):
        wilson(passed, total)


def by_counting(a: int, b: int, c: int, d: int) -> Fraction:
    """Fisher's p from every way to deal the marks out: all 2^n tables, by exact fractions."""
    row, column, total = a + b, a + c, a + b + c + d
    chance = {
        yes: Fraction(comb(row, yes) * comb(total - row, column - yes), comb(total, column))
        for yes in range(row + 1)
        if 0 <= column - yes <= total - row
    }
    return sum((p for p in chance.values() if p <= chance[a]), Fraction(0))


def test_fisher_agrees_with_counting_on_every_small_table() -> None:
    for a, b, c, d in product(range(6), repeat=4):
        if a + b + c + d:
            assert fisher((a, b), (c, d)) == pytest.approx(float(by_counting(a, b, c, d)))


def test_fisher_knows_the_lady_tasting_tea() -> None:
    assert fisher((3, 1), (1, 3)) == pytest.approx(34 / 70)
    assert fisher((4, 0), (0, 4)) == pytest.approx(2 / 70)
    assert fisher((0, 0), (0, 0)) == 1.0


@given(table=st.tuples(*[st.integers(0, 200)] * 4))
def test_fisher_does_not_care_which_group_is_first(table: tuple[int, int, int, int]) -> None:
    a, b, c, d = table
    assert fisher((a, b), (c, d)) == pytest.approx(fisher((c, d), (a, b)))
    assert fisher((a, b), (c, d)) == pytest.approx(fisher((b, a), (d, c)))
    assert 0 <= fisher((a, b), (c, d)) <= 1 + 1e-12
