"""What the tests of the loaders share: a project to put files into, and the problems of a load."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.repositories import make_repository

from bakeoff.dialects.load import load
from bakeoff.errors import Problem, UserError

Find = Callable[[str], list[Problem]]


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with one commit; tests may add untracked directories of their own."""
    files = {
        "src/app.py": "print('hello')\n",
        "tests/test_app.py": "def test_app():\n    pass\n",
        "keys/prod.env": "TOKEN=abcd-1234-efgh\n",
    }
    return make_repository(tmp_path_factory.mktemp("repository") / "project", files)


@pytest.fixture
def problems_of(tmp_path: Path) -> Find:
    """Everything that loading a SPEC finds, errors and warnings, in order."""

    def find(spec: str) -> list[Problem]:
        try:
            return list(load(spec, cwd=tmp_path).warnings)
        except UserError as error:
            return list(error.problems)

    return find


@pytest.fixture
def in_git(tmp_path: Path) -> Path:
    """A git repository beside the suite."""
    return make_repository(tmp_path / "git", {"app.py": "print()\n"})
