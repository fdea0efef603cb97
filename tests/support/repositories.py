"""Real git repositories for tests, made with the git of the machine and a fixed identity."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_IDENTITY = {
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@example.invalid",
    "GIT_AUTHOR_DATE": "2024-05-05T05:05:05+0000",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@example.invalid",
    "GIT_COMMITTER_DATE": "2024-05-05T05:05:05+0000",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "LC_ALL": "C",
}


def git(directory: Path, *args: str) -> str:
    """What git prints in `directory`, as a user's shell would see it; fails when git does."""
    done = subprocess.run(
        ["git", *args],
        cwd=directory,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **_IDENTITY},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, f"git {args}: {os.fsdecode(done.stderr)}"
    return os.fsdecode(done.stdout).rstrip("\n")


def write_files(directory: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below `directory` with the folders they need."""
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return directory


def make_repository(
    directory: Path, files: Mapping[str, str | bytes], *, object_format: str = "sha1"
) -> Path:
    """A repository with one commit of `files` on its branch main."""
    directory.mkdir(parents=True)
    git(directory, "init", "-q", "-b", "main", f"--object-format={object_format}")
    write_files(directory, files)
    git(directory, "add", "-A")
    git(directory, "commit", "-q", "--allow-empty", "-m", "first")
    return directory
