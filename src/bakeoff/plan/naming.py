"""Names in messages: the nearest one to a slip of the pen, and short lists."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

_MOST_LISTED = 12


def suggest(text: str, known: Sequence[str]) -> str:
    """A hint for a name that does not exist: the nearest one, else what there is."""
    near = difflib.get_close_matches(text, known, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"to choose from: {listed(dict.fromkeys(known))}" if known else "there is nothing to choose from"


def listed(names: Iterable[str]) -> str:
    """The first names, and how many more there are."""
    shown = list(names)
    if not shown:
        return "nothing to choose from"
    more = f" and {len(shown) - _MOST_LISTED} more" if len(shown) > _MOST_LISTED else ""
    return ", ".join(shown[:_MOST_LISTED]) + more
