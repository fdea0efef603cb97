"""A real directory for the commands of checks."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.checking import ShellContext


@pytest.fixture
def context(tmp_path: Path) -> ShellContext:
    """Commands run in an empty workspace."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return ShellContext(workspace=workspace, outside=tmp_path / "outside")
