"""How much of everything one experiment may ask for; what is more can only be a slip of the pen."""

from __future__ import annotations

MOST_REPETITIONS = 10_000
"""Trials of one task under one arm."""

MOST_AT_ONCE = 1_000
"""Trials at once."""
