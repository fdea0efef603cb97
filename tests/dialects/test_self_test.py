"""The command by which a project tests itself is found in the files that say so."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.repositories import write_files

from bakeoff.dialects.scaffold.self_test import self_tests

UNIT = "import unittest\n"
PYTEST = "python3 -m pytest -q"


@pytest.mark.parametrize(
    ("files", "commands", "source"),
    [
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, [PYTEST], "pyproject.toml, which configures"),
        ({"setup.cfg": "[tool:pytest]\n"}, [PYTEST], "setup.cfg"),
        ({"pytest.ini": "[pytest]\n"}, [PYTEST], "pytest.ini"),
        ({"tests/conftest.py": ""}, [PYTEST], "tests/conftest.py"),
        ({"tests/test_a.py": "import pytest\n"}, [PYTEST], "tests/test_a.py, which imports pytest"),
        ({"tests/test_a.py": "def test(): pass\n"}, [PYTEST], "named as pytest expects"),
        (
            {"pyproject.toml": "dev = ['pytest']", "tests/test_a.py": UNIT},
            [PYTEST],
            "pyproject.toml, which names",
        ),
        ({"tests/test_a.py": UNIT}, ["python3 -m unittest discover -q -s tests"], "tests/test_a.py"),
        ({"tests/test_a.py": UNIT, "tests/__init__.py": ""}, ["python3 -m unittest discover -q"], ""),
        ({"test_a.py": UNIT}, ["python3 -m unittest discover -q"], "test_a.py"),
        (
            {"package.json": '{"scripts": {"test": "jest"}}'},
            ["npm test --silent"],
            "package.json, its script",
        ),
        ({"package.json": '{"scripts": {"test": "jest"}}', "yarn.lock": ""}, ["yarn test"], ""),
        ({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, [], ""),
        ({"package.json": '{"scripts": []}'}, [], ""),
        ({"package.json": "{broken"}, [], ""),
        ({"package.json": "[" * 100_000}, [], ""),
        ({"Cargo.toml": ""}, ["cargo test --quiet"], "Cargo.toml"),
        ({"go.mod": ""}, ["go test ./..."], "go.mod"),
        ({"Makefile": "all:\n\ntest: all\n\t./t\n"}, ["make test"], "Makefile, its target `test`"),
        ({"Makefile": "check:\n\t./t\n"}, ["make check"], "Makefile, its target `check`"),
        ({"Makefile": "test := 1\ntests:\n"}, [], ""),
        ({"justfile": "test *args:\n  ./t\n"}, ["just test"], "justfile, its recipe `test`"),
        ({"Cargo.toml": "", "Makefile": "test:\n"}, ["cargo test --quiet", "make test"], "Cargo.toml"),
        ({"README.md": "test: it\n", "tests/data.txt": ""}, [], ""),
    ],
)
def test_it_is_found(tmp_path: Path, files: dict[str, str], commands: list[str], source: str) -> None:
    found = self_tests(write_files(tmp_path, files))
    assert [each.command for each in found] == commands
    assert not found or found[0].source.startswith(source) or source in found[0].source


@pytest.mark.parametrize(
    ("files", "install"),
    [
        ({"pytest.ini": "", "uv.lock": ""}, "uv sync --frozen"),
        ({"pytest.ini": "", "requirements.txt": ""}, "python3 -m venv .venv"),
        ({"pytest.ini": "", "pyproject.toml": '[project]\nname = "x"\ndependencies = ["y"]\n'}, "-e ."),
        ({"pytest.ini": "", "pyproject.toml": "broken ["}, ""),
        ({"package.json": '{"scripts": {"test": "x"}}'}, ""),
        ({"package.json": '{"scripts": {"test": "x"}, "dependencies": {"a": "1"}}'}, "npm install"),
    ],
)
def test_what_must_be_installed_first_is_told(tmp_path: Path, files: dict[str, str], install: str) -> None:
    (found,) = self_tests(write_files(tmp_path, {**files}))
    assert install in found.install
    assert bool(install) == bool(found.install)


def test_files_that_are_none_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "package.json").mkdir()
    (tmp_path / "Makefile").symlink_to("nowhere")
    (tmp_path / "pyproject.toml").write_bytes(b"\xff\xfe[tool.pytest")
    assert [each.command for each in self_tests(tmp_path)] == [PYTEST]
