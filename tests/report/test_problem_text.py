"""Taking the text of a problem apart again."""

from __future__ import annotations

from pathlib import Path

from bakeoff.errors import Problem, Where
from bakeoff.report.problem_text import message_and_hint, without_severity


def test_a_problem_comes_apart_as_it_was_put_together() -> None:
    text = str(
        Problem(where=Where(Path("s.yaml"), 3), message="no such key", hint="drop it", severity="warning")
    )
    assert message_and_hint(without_severity(text)) == ("s.yaml:3: no such key", "drop it")


def test_a_text_without_hint_or_place() -> None:
    assert message_and_hint("it failed\n") == ("it failed", "")
    assert without_severity("warning: odd: warning: stays") == "odd: warning: stays"
    assert without_severity("nothing to drop") == "nothing to drop"
