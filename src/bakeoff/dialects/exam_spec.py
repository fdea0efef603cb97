"""Finds what a word or a path means in the agent-exam project around it."""

from __future__ import annotations

import os
from pathlib import Path

from bakeoff.dialects.agent_exam.project import find_project
from bakeoff.dialects.agent_exam.target import ALL, Target, suite_folders, target_of
from bakeoff.dialects.problems import Problems


def target_of_path(path: Path, problems: Problems) -> Target | None:
    """What a path names inside of the suites of the project around it; None for any other path."""
    folder = path if path.is_dir() else path.parent
    # What is wrong with a project that is not meant is not told.
    project = find_project(folder, Problems(cwd=problems.cwd))
    target = target_of(path, project) if project is not None else None
    if target is None and project is not None and path == project.evals:
        target = Target(project=project)
    if target is not None:
        find_project(folder, problems)
    return target


def target_of_word(word: str, cwd: Path, problems: Problems) -> Target | None:
    """The suite of the project around `cwd` that is called so, or all of them for `*`; None without one."""
    if os.sep in word or word in {"", ".", ".."}:
        return None
    project = find_project(cwd, Problems(cwd=problems.cwd))
    if project is None:
        return None
    if word != ALL and word not in suite_names(cwd, problems):
        return None
    find_project(cwd, problems)
    return Target(project=project, suite=None if word == ALL else word, depth=1)


def suite_names(cwd: Path, problems: Problems) -> list[str]:
    """The suites of the project around a directory; none without a project."""
    project = find_project(cwd, Problems(cwd=problems.cwd))
    return [folder.name for folder in suite_folders(project)] if project is not None else []
