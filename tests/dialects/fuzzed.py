"""What loading must come to, whatever the files hold."""

from __future__ import annotations

from pathlib import Path

from support.fuzzing import bounded_time

from bakeoff.dialects.load import load
from bakeoff.errors import Problem, UserError
from bakeoff.model.suite import Suite


def load_or_problems(spec: str, cwd: Path) -> None:
    """Load a SPEC: a suite, or problems that a person can read; anything else fails the test."""
    suite: Suite | None = None
    problems: tuple[Problem, ...] = ()
    try:
        with bounded_time():
            suite = load(spec, cwd=cwd)
    except UserError as error:
        problems = error.problems
    assert (suite is None) == any(problem.severity == "error" for problem in problems)
    for problem in problems:
        assert problem.message
        assert "\n" not in problem.message
        # Nobody who writes YAML should have to understand pydantic.
        assert "nput should be" not in problem.message or "step has a wrong value" in problem.message
    if suite is not None:
        assert suite.tasks
        assert all(check.id for task in suite.tasks for check in task.checks)
