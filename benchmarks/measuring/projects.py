"""Made-up projects to measure on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import yaml

FILES_IN_FOLDER = 50


def commit_all(repository: Path) -> None:
    """Make a repository of a directory, or add to it, with everything in one commit."""
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
        subprocess.run(
            ["git", "-c", "user.name=Bench", "-c", "user.email=bench@example.invalid", *arguments],
            cwd=repository,
            check=True,
        )


def write_modules(repository: Path, files: int) -> None:
    """So many small files of Python."""
    for number in range(files):
        path = repository / f"package_{number // FILES_IN_FOLDER:03}" / f"module_{number:05}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'"""Module {number}."""\n\n\ndef value():\n    return {number}\n' * 3)


def write_suite(root: Path, variant: dict[str, object]) -> None:
    """`suite.yaml` with one task on `repository`, which nobody need do anything for, and one variant."""
    task = {
        "id": "nothing",
        "name": "Do nothing",
        "repo": {"path": "repository"},
        "prompt": "Do nothing.",
        "verification": {"command": "true", "protected_paths": ["package_000/"]},
    }
    suite = {"name": "overhead", "tasks": ["task.yaml"], "variants": [variant]}
    (root / "task.yaml").write_text(yaml.safe_dump(task))
    (root / "suite.yaml").write_text(yaml.safe_dump(suite))
