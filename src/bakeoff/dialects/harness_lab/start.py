"""Where a Harness Lab task starts: a commit of a repository, or a copy of a plain directory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from bakeoff.dialects.harness_lab.schema import HarnessLabTask
from bakeoff.dialects.nodes import Mapping, Scalar
from bakeoff.dialects.problems import Problems
from bakeoff.dialects.sources import Sources
from bakeoff.dialects.traps import check_canary
from bakeoff.git.call import Repository
from bakeoff.model.suite import Canary, FolderStart, GitStart

LEFT_OUT = (
    ".git",
    "__pycache__",
    "*.pyc",
    "*.pyo",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".DS_Store",
    "*.egg-info",
    ".venv",
    "venv",
    "node_modules",
)
"""Names, some with `*`, that are not copied from a plain directory, at any depth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The directory that a task names, and the repository whose top it is; None: a plain one."""

    folder: Path
    repository: Repository | None


def find_origin(
    node: Mapping, path: str, base_ref: str, sources: Sources, problems: Problems
) -> Origin | None:
    """What `repo` names; its revision is noted, to be resolved together with all others."""
    where = node.at("repo", "path").where
    folder = Path(os.path.realpath(node.file.parent / path))
    if not os.path.isdir(folder):
        what = "is not a directory" if os.path.exists(folder) else "does not exist"
        problems.error(where, f"`repo.path`: {folder} {what}", "the path is relative to the task file")
        return None
    before = problems.error_count
    repository = sources.repository(folder, where)
    if problems.error_count > before:
        return None
    if repository is not None:
        sources.want(repository, base_ref, node.at("repo", "base_ref").where, "repo.base_ref")
    elif base_ref != "HEAD":
        problems.warning(
            node.at("repo", "base_ref").where,
            f"`repo.base_ref` is not used: {folder} is a plain directory",
            "the directory is copied as it is now",
        )
    return Origin(folder=folder, repository=repository)


def find_written_origin(node: Mapping, sources: Sources, problems: Problems) -> None:
    """Record what is wrong with `repo` in a task that cannot be read as a whole."""
    repo = node.get("repo")
    path = repo.get("path") if isinstance(repo, Mapping) else None
    if not isinstance(repo, Mapping) or not isinstance(path, Scalar) or not path.text.isprintable():
        return
    base_ref = repo.get("base_ref")
    known = isinstance(base_ref, Scalar) and base_ref.text.isprintable()
    find_origin(
        node,
        path.text,
        base_ref.text if isinstance(base_ref, Scalar) and known else "HEAD",
        sources,
        problems,
    )


def make_start(
    node: Mapping, task: HarnessLabTask, origin: Origin, sources: Sources, problems: Problems
) -> GitStart | FolderStart | None:
    """The start of the task, its canaries checked; None when there is no such commit."""
    if origin.repository is None:
        start: GitStart | FolderStart = FolderStart(folder=origin.folder, leave_out=LEFT_OUT)
    else:
        commit = sources.commit(origin.repository, task.repo.base_ref)
        if commit is None:
            return None
        sources.warn_if_dirty(origin.repository, commit, node.at("repo", "path").where)
        start = GitStart(repository=origin.folder, revision=task.repo.base_ref, commit=commit)
    for index, canary in enumerate(task.safety.canaries if task.safety else ()):
        place = node.at("safety", "canaries", index)
        check_canary(Canary(path=canary.path, token=canary.token), place, start, sources, problems)
    return start
