"""The two small pieces of statistics that a report of one experiment needs."""

from __future__ import annotations

import math

_Z_95 = 1.959963984540054


def wilson(passed: int, total: int) -> tuple[float, float]:
    """The 95 % score interval (Wilson) of a proportion; for independent trials only.

    ValueError without trials.
    """
    if total <= 0 or not 0 <= passed <= total:
        msg = f"not a proportion: {passed} of {total}"
        raise ValueError(msg)
    share = passed / total
    z2 = _Z_95 * _Z_95
    centre = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = _Z_95 * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total)) / (1 + z2 / total)
    # The formula gives exactly 0 and 1 at the ends; rounding must not say otherwise.
    low = 0.0 if passed == 0 else max(0.0, centre - half)
    high = 1.0 if passed == total else min(1.0, centre + half)
    return low, high


def fisher(first: tuple[int, int], second: tuple[int, int]) -> float:
    """The two-sided p-value of Fisher's exact test for two groups of (yes, no) counts."""
    (a, b), (c, d) = first, second
    row, column, total = a + b, a + c, a + b + c + d
    if total == 0:
        return 1.0
    ways = [
        math.comb(column, yes) * math.comb(total - column, row - yes)
        for yes in range(max(0, row + column - total), min(row, column) + 1)
    ]
    seen = math.comb(column, a) * math.comb(total - column, row - a)
    # Whole numbers: tables that are exactly as likely as the observed one are never missed.
    return sum(way for way in ways if way <= seen) / math.comb(total, row)
