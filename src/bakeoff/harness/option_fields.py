"""Field types that the options of several harnesses share, with messages for their authors."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator


def _refuse(_: object) -> None:
    raise ValueError("not supported yet; leave it out")


NotYet = Annotated[None, BeforeValidator(_refuse)]
"""An option that is known but cannot be honoured yet: giving it, with any value, is an error."""


def one_of(words: Sequence[str]) -> BeforeValidator:
    """A validator for a text that must be one of `words`, with "did you mean"."""
    return BeforeValidator(_chooser(tuple(words)))


def _chooser(words: tuple[str, ...]) -> Callable[[Any], str]:
    def choose(value: Any) -> str:
        if isinstance(value, str) and value in words:
            return str(value)
        shown = repr(str(value)) if isinstance(value, str) else repr(value)
        raise ValueError(f"{shown} is not one of {', '.join(words)}{did_you_mean(value, words)}")

    return choose


def did_you_mean(word: object, words: Sequence[str]) -> str:
    """`; did you mean 'solve'?` for the nearest of `words`; empty when none is near."""
    if not isinstance(word, str):
        return ""
    by_folded = {item.casefold(): item for item in reversed(words)}
    near = difflib.get_close_matches(word.casefold(), by_folded, n=1)
    return f"; did you mean {by_folded[near[0]]!r}?" if near else ""
