"""Directories that every test of workspaces needs."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Where templates are kept."""
    return tmp_path / "cache"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where workspaces are made."""
    path = tmp_path / "root"
    path.mkdir(mode=0o700)
    return path
