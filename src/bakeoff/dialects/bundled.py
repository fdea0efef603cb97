"""The suites that come with Bakeoff, addressed by name."""

from __future__ import annotations

import importlib.resources
from pathlib import Path


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
