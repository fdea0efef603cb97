"""Directories that every test of workspaces needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.hostile import BASE
from support.repositories import git, make_repository, write_files
from support.workspaces import sealed_from, workspace

from bakeoff.store.archive import Archive
from bakeoff.workspace.create import Workspace
from bakeoff.workspace.sealed import Sealed


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


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "archive.git")


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Sealed:
    base = tmp_path_factory.mktemp("sealed")
    repository = make_repository(base / "source", {})
    write_files(repository, BASE)
    (repository / "tool.sh").chmod(0o755)
    (repository / "link").symlink_to("docs/guide.md")
    git(repository, "add", "-A", "-f")
    git(repository, "commit", "-qm", "base")
    return sealed_from(repository, base / "cache")


@pytest.fixture
def made(sealed: Sealed, root: Path) -> Iterator[Workspace]:
    with workspace(sealed, root) as made:
        yield made
