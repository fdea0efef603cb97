"""Loads ablate tasks, one file each, into a suite."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Files
from dataclasses import dataclass
from pathlib import Path

from bakeoff.dialects.ablate.arms import KNOWN, SELECTED
from bakeoff.dialects.ablate.assertions import read_assertions
from bakeoff.dialects.ablate.schema import AblateTask
from bakeoff.dialects.nodes import Mapping, Node, Sequence
from bakeoff.dialects.problems import Problems, quoted
from bakeoff.dialects.shapes import read_shape
from bakeoff.dialects.sources import Sources, enclosing_top
from bakeoff.dialects.yaml import read_yaml
from bakeoff.errors import Where
from bakeoff.git.call import Repository
from bakeoff.model.check import Check
from bakeoff.model.suite import Dialect, GitStart, Limits, Setup, Suite, Task
from bakeoff.patterns import compile_glob

MIN_TASKS_FOR_INTERVAL = 8
_SETUP_LIMIT_S = 1800.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A task as its file says it, before git was asked about its commit."""

    node: Mapping
    task: AblateTask
    checks: tuple[Check, ...]


def load_ablate(
    files: Files[Path], *, path: Path, name: str, folder: Path, problems: Problems
) -> Suite | None:
    """The tasks of `files` as a suite called `name`; None when there is an error.

    They start from the git checkout around `folder`. `path` is what the user named.
    """
    sources = Sources(problems=problems)
    repository = _repository(folder, path, sources, problems)
    found = [each for each in (_read_file(file, problems) for file in files) if each is not None]
    _refuse_same_ids(found, problems)
    if repository is None:
        return None
    for each in found:
        sources.want(repository, each.task.base_commit, each.node.at("base_commit").where, "base_commit")
    tasks = [_task(each, repository, sources, problems) for each in found]
    if problems.has_errors:
        return None
    return Suite(
        name=name,
        path=path,
        dialect=Dialect.ABLATE,
        tasks=tuple(sorted((task for task in tasks if task is not None), key=lambda task: task.id)),
        arms=SELECTED,
        known_arms=KNOWN,
        min_tasks_for_interval=MIN_TASKS_FOR_INTERVAL,
    )


def _repository(folder: Path, path: Path, sources: Sources, problems: Problems) -> Repository | None:
    top = enclosing_top(folder)
    if top is None:
        problems.error(
            Where(path),
            f"{folder} is not inside a git repository",
            "ablate tasks start from a commit: run `git init` and commit the project",
        )
        return None
    return sources.repository(top, Where(path))


def _read_file(file: Path, problems: Problems) -> _Read | None:
    node = read_yaml(file, problems)
    if node is None:
        return None
    task = read_shape(node, AblateTask, problems)
    checks = read_assertions(_assertion_nodes(node), problems)
    if task is None:
        return None
    assert isinstance(node, Mapping)
    _warn(file, node, task, checks, problems)
    return _Read(node=node, task=task, checks=checks)


def _assertion_nodes(node: Node) -> tuple[Node, ...]:
    """The assertions, also where something else of the task cannot be read."""
    found = node.at("assert")
    return found.items if isinstance(found, Sequence) else ()


def _warn(file: Path, node: Mapping, task: AblateTask, checks: tuple[Check, ...], problems: Problems) -> None:
    if file.stem != task.id:
        problems.warning(
            node.at("id").where,
            f"the task is called {quoted(task.id)}, its file {quoted(file.name)}",
            "the id counts; give both the same name",
        )
    if checks and not any(check.required for check in checks):
        problems.warning(
            node.key_where("assert"),
            "no assertion is required: every trial is not_judged",
            "leave `required: false` out of at least one",
        )
    if task.weight == 0:
        problems.warning(node.at("weight").where, "a task of weight 0 never counts in a mean")


def _refuse_same_ids(found: Iterable[_Read], problems: Problems) -> None:
    first: dict[str, Where] = {}
    for each in found:
        where = each.node.at("id").where
        if each.task.id in first:
            problems.error(
                where,
                f"a second task is called {quoted(each.task.id)}; the first is {problems.shown(first[each.task.id])}",
                "give each task its own id",
            )
        first.setdefault(each.task.id, where)


def _task(read: _Read, repository: Repository, sources: Sources, problems: Problems) -> Task | None:
    task = read.task
    commit = sources.commit(repository, task.base_commit)
    if commit is None:
        return None
    sources.warn_if_dirty(repository, commit, None)
    _warn_unhidden(read, repository, commit, sources, problems)
    return Task(
        id=task.id,
        title=task.id,
        description=task.description,
        prompt=task.prompt,
        start=GitStart(repository=repository.path, revision=task.base_commit, commit=commit, hide=task.hide),
        checks=read.checks,
        where=problems.shown(read.node.where),
        dialect=Dialect.ABLATE,
        setup=Setup(commands=(task.setup,) if task.setup else (), timeout_s=_SETUP_LIMIT_S),
        limits=Limits(timeout_s=float(task.timeout_s)),
        config_path=task.config_path,
        weight=task.weight,
        tags=task.tags,
    )


def _warn_unhidden(
    read: _Read, repository: Repository, commit: str, sources: Sources, problems: Problems
) -> None:
    """Warn about globs of `hide` that match nothing: the answer may lie there under another name."""
    for index, pattern in enumerate(read.task.hide):
        glob = compile_glob(pattern)
        if not any(glob.match(path) for path in sources.paths(repository, commit)):
            problems.warning(
                read.node.at("hide", index).where,
                f"`hide`: {quoted(pattern)} matches no file of commit {commit[:12]}",
                "nothing is hidden by it",
            )
