"""What the command line says above several problems."""

from __future__ import annotations

from typing import NoReturn

import click
import pytest

from bakeoff.cli import main
from bakeoff.errors import Problem, ProblemsFound


@pytest.mark.parametrize(
    ("severities", "told"),
    [
        (("error", "error"), "2 errors"),
        (("error", "warning"), "1 error, 1 warning"),
        (("error", "error", "warning", "warning"), "2 errors, 2 warnings"),
    ],
)
def test_errors_and_warnings_are_counted_apart(
    severities: tuple[str, ...],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse(**_: object) -> NoReturn:
        raise ProblemsFound(
            tuple(Problem(where=None, message=f"m{n}", severity=kind) for n, kind in enumerate(severities))
        )

    monkeypatch.setattr(main, "cli", click.Command("refuse", callback=refuse))
    assert main.run([]) == main.USAGE_ERROR
    assert capsys.readouterr().err.startswith(f"bakeoff: {told}\n\nm0\n")
