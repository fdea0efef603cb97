"""Finds the command by which a repository tests itself, from the files that say so."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

_MOST_BYTES = 1024 * 1024
_NPM_DEFAULT = "no test specified"
_PYTHON_FILES = ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "pytest.ini")
_TEST_FOLDERS = ("tests", "test")
_TARGET = re.compile(r"^(?:test|check)\s*:(?!=)", re.MULTILINE)
_RECIPE = re.compile(r"^test\b[^:=\n]*:(?!=)", re.MULTILINE)
_FILES_LOOKED_AT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTest:
    """A shell command for the top of a repository.

    Attributes:
        source: the file that says so, and what in it.
        install: what usually has to run first in a fresh copy; empty when nothing is known.
    """

    command: str
    source: str
    install: str = ""


def self_tests(folder: Path) -> tuple[SelfTest, ...]:
    """All that can be found, the most specific one first."""
    finders: tuple[Callable[[Path], Iterator[SelfTest]], ...] = (_python, _node, _by_marker, _targets)
    return tuple(found for finder in finders for found in finder(folder))


def _text(path: Path) -> str:
    """The content of a regular file, at most a megabyte; empty when there is none."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _python(folder: Path) -> Iterator[SelfTest]:
    install = _python_install(folder)
    for name in _PYTHON_FILES:
        text = _text(folder / name)
        section = {"pyproject.toml": "[tool.pytest", "setup.cfg": "[tool:pytest]", "tox.ini": "[pytest]"}.get(
            name
        )
        if (folder / name).is_file() and (name == "pytest.ini" or (section and section in text)):
            yield _pytest(f"{name}, which configures pytest", install)
            return
    found = list(islice(_test_files(folder), _FILES_LOOKED_AT))
    for path in (folder / "conftest.py", *(folder / name / "conftest.py" for name in _TEST_FOLDERS)):
        if path.is_file():
            yield _pytest(str(path.relative_to(folder)), install)
            return
    if not found:
        return
    using = next(
        (path for path in found if re.search(r"^\s*(?:import|from) pytest\b", _text(path), re.MULTILINE)),
        None,
    )
    if using is not None:
        yield _pytest(f"{using.relative_to(folder)}, which imports pytest", install)
    elif "pytest" in _text(folder / "pyproject.toml"):
        yield _pytest("pyproject.toml, which names pytest", install)
    elif any("unittest" in _text(path) for path in found):
        place = found[0].parent
        start = (
            "" if place == folder or (place / "__init__.py").is_file() else f" -s {place.relative_to(folder)}"
        )
        yield SelfTest(
            command=f"python3 -m unittest discover -q{start}",
            source=f"{found[0].relative_to(folder)}, which uses unittest",
            install=install,
        )
    else:
        yield _pytest(f"{found[0].relative_to(folder)}, which is named as pytest expects", install)


def _pytest(source: str, install: str) -> SelfTest:
    return SelfTest(command="python3 -m pytest -q", source=source, install=install)


def _test_files(folder: Path) -> Iterator[Path]:
    for place in (*(folder / name for name in _TEST_FOLDERS), folder):
        for pattern in ("test_*.py", "*_test.py"):
            yield from (path for path in sorted(place.glob(pattern)) if path.is_file())


def _python_install(folder: Path) -> str:
    if (folder / "uv.lock").is_file():
        return "uv sync --frozen"
    if (folder / "requirements.txt").is_file():
        return "python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt"
    return "python3 -m venv .venv && .venv/bin/pip install -q -e ." if _is_package(folder) else ""


def _is_package(folder: Path) -> bool:
    try:
        said: Mapping[str, object] = tomllib.loads(_text(folder / "pyproject.toml"))
    except tomllib.TOMLDecodeError:
        return False
    project = said.get("project")
    return isinstance(project, dict) and bool(project.get("dependencies"))


def _node(folder: Path) -> Iterator[SelfTest]:
    try:
        said = json.loads(_text(folder / "package.json") or "null")
    except (ValueError, RecursionError):
        return
    scripts = said.get("scripts") if isinstance(said, dict) else None
    script = scripts.get("test") if isinstance(scripts, dict) else None
    if not isinstance(script, str) or not script.strip() or _NPM_DEFAULT in script:
        return
    locks = {
        "pnpm-lock.yaml": ("pnpm test", "pnpm install --frozen-lockfile"),
        "yarn.lock": ("yarn test", "yarn install --frozen-lockfile"),
        "bun.lock": ("bun run test", "bun install --frozen-lockfile"),
        "bun.lockb": ("bun run test", "bun install --frozen-lockfile"),
        "package-lock.json": ("npm test --silent", "npm ci --silent"),
    }
    needs = any(said.get(key) for key in ("dependencies", "devDependencies"))
    lock = next((name for name in locks if (folder / name).is_file()), None)
    command, install = locks[lock] if lock else ("npm test --silent", "npm install --silent")
    yield SelfTest(
        command=command, source="package.json, its script `test`", install=install if needs or lock else ""
    )


_MARKERS = (
    ("Cargo.toml", "cargo test --quiet"),
    ("go.mod", "go test ./..."),
    ("mix.exs", "mix test"),
    ("deno.json", "deno test"),
    ("pom.xml", "mvn -q test"),
    ("gradlew", "./gradlew -q test"),
    ("Package.swift", "swift test"),
)


def _by_marker(folder: Path) -> Iterator[SelfTest]:
    for name, command in _MARKERS:
        if (folder / name).is_file():
            yield SelfTest(command=command, source=name)
    if (folder / ".rspec").is_file() or (folder / "spec").is_dir():
        yield SelfTest(command="bundle exec rspec", source="spec", install="bundle install --quiet")


def _targets(folder: Path) -> Iterator[SelfTest]:
    for name in ("GNUmakefile", "makefile", "Makefile"):
        found = _TARGET.search(_text(folder / name))
        if found:
            target = found[0].rstrip().rstrip(":").strip()
            yield SelfTest(command=f"make {target}", source=f"{name}, its target `{target}`")
            break
    for name in ("justfile", "Justfile", ".justfile"):
        if _RECIPE.search(_text(folder / name)):
            yield SelfTest(command="just test", source=f"{name}, its recipe `test`")
            break
