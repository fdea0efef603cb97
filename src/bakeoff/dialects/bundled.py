"""Suites by their path or name: those of the user, and those that come with Bakeoff."""

from __future__ import annotations

import importlib.resources
import os
import re
from pathlib import Path

_BUNDLED_PATH = re.compile(r"(?:.*/)?suites/(?P<name>[^/]+)(?:/suite\.yaml)?")


def find_suite(folder: Path, text: str) -> Path | None:
    """The suite file that `text` names: a path from `folder`, or a bundled suite."""
    path = Path(os.path.abspath(folder / text))
    if os.path.isfile(path / "suite.yaml"):
        return path / "suite.yaml"
    named = _BUNDLED_PATH.fullmatch(text)
    bundled = bundled_suite(named["name"] if named else text)
    # A directory without a suite that happens to have the name of a bundled one hides nothing.
    return path if os.path.isfile(path) or (os.path.exists(path) and bundled is None) else bundled


def bundled_suite(name: str) -> Path | None:
    """The suite file of that name; None when there is none."""
    return _suites().get(name)


def bundled_names() -> tuple[str, ...]:
    """The names of all bundled suites."""
    return tuple(_suites())


def _suites() -> dict[str, Path]:
    folder = importlib.resources.files("bakeoff") / "demo"
    # Trials copy directories of a suite, so it has to lie on disk, not in an archive.
    if not isinstance(folder, Path) or not folder.is_dir():
        return {}
    files = (each / "suite.yaml" for each in sorted(folder.iterdir()))
    return {file.parent.name: file for file in files if file.is_file()}
