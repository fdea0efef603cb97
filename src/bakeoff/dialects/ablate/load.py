"""Loads ablate tasks, one file each, into a suite."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Files
from dataclasses import dataclass
from pathlib import Path

from bakeoff.dialects.ablate.arms import KNOWN, SELECTED
from bakeoff.dialects.ablate.assertions import read_assertions
from bakeoff.dialects.ablate.schema import AblateTask
from bakeoff.dialects.nodes import Mapping, Node, Scalar, Sequence
from bakeoff.dialects.own_files import OwnFiles
from bakeoff.dialects.problems import Problems, quoted
from bakeoff.dialects.protection import NamedPath, warn_protecting_nothing, warn_touched
from bakeoff.dialects.shapes import read_shape
from bakeoff.dialects.sources import Sources, enclosing_top
from bakeoff.dialects.starting_files import StartingFiles
from bakeoff.dialects.yaml import read_yaml
from bakeoff.errors import Where
from bakeoff.git.call import Repository
from bakeoff.model.check import Check
from bakeoff.model.suite import Dialect, GitStart, Limits, Setup, Suite, Task
from bakeoff.patterns import compile_glob

MIN_TASKS_FOR_INTERVAL = 8
_SETUP_LIMIT_S = 1800.0
OWN_FOLDER = ".ablate"
"""Whatever lies below it is the suite, not what an agent works on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A task as its file says it, before git was asked about its commit.

    Without `task`, too much of it is wrong; what can be read is looked at all the same.
    """

    node: Mapping
    task: AblateTask | None
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
        commit = _base_commit(each)
        if commit is not None:
            sources.want(repository, commit, each.node.at("base_commit").where, "base_commit")
    sources.settle()
    inner = folder / OWN_FOLDER
    own = OwnFiles(paths=(inner, *(file for file in files if not file.is_relative_to(inner))))
    tasks = [_task(each, repository, own, sources, problems) for each in found]
    own.tell(path, problems)
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
    if not isinstance(node, Mapping):
        return None
    if task is not None:
        _warn(file, node, task, checks, problems)
    return _Read(node=node, task=task, checks=checks)


def _base_commit(read: _Read) -> str | None:
    """The revision to start from; None when it cannot be read."""
    if read.task is not None:
        return read.task.base_commit
    written = read.node.get("base_commit")
    return written.text if isinstance(written, Scalar) and written.text.isprintable() else None


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
        place = each.node.get("id")
        if not isinstance(place, Scalar):
            continue
        if place.text in first:
            problems.error(
                place.where,
                f"a second task is called {quoted(place.text)}; the first is {problems.shown(first[place.text])}",
                "give each task its own id",
            )
        first.setdefault(place.text, place.where)


def _task(
    read: _Read, repository: Repository, own: OwnFiles, sources: Sources, problems: Problems
) -> Task | None:
    task = read.task
    if task is None:
        return None
    commit = sources.commit(repository, task.base_commit)
    if commit is None:
        return None
    sources.warn_if_dirty(repository, commit, None)
    start = GitStart(repository=repository.path, revision=task.base_commit, commit=commit, hide=task.hide)
    files = sources.files(start)
    _warn_unhidden(read.node, task, files, problems)
    _warn_of_globs(read.node, files, problems)
    return Task(
        id=task.id,
        title=task.id,
        description=task.description,
        prompt=task.prompt,
        start=own.hidden_in(start, sources),
        checks=read.checks,
        where=problems.shown(read.node.where),
        dialect=Dialect.ABLATE,
        setup=Setup(commands=(task.setup,) if task.setup else (), timeout_s=_SETUP_LIMIT_S),
        limits=Limits(timeout_s=float(task.timeout_s)),
        config_path=task.config_path,
        weight=task.weight,
        tags=task.tags,
    )


def _warn_unhidden(node: Mapping, task: AblateTask, files: StartingFiles, problems: Problems) -> None:
    """Warn about globs of `hide` that match nothing: the answer may lie there under another name."""
    for index, pattern in enumerate(task.hide):
        if not files.holds(pattern):
            near = files.nearest(pattern)
            problems.warning(
                node.at("hide", index).where,
                f"`hide`: {quoted(pattern)} matches no file of {files.place}",
                f"did you mean `{near}`?" if near else "nothing is hidden by it",
            )


def _warn_of_globs(node: Mapping, files: StartingFiles, problems: Problems) -> None:
    """Warn about assertions on paths that are not there."""
    for assertion in _assertion_nodes(node):
        kind = assertion.at("type")
        if not isinstance(kind, Scalar):
            continue
        if kind.text == "unchanged":
            for each in _texts(assertion.at("paths")):
                named = NamedPath(text=each.text, name="assert.paths", where=each.where)
                warn_protecting_nothing(named, each.text, files, problems)
        elif kind.text == "files_touched":
            for key, must_exist in (("must_include", False), ("must_not_include", True)):
                for each in _texts(assertion.at(key)):
                    named = NamedPath(text=each.text, name=f"assert.{key}", where=each.where)
                    warn_touched(named, files, problems, must_exist=must_exist)


def _texts(node: Node) -> tuple[Scalar, ...]:
    """The globs of a list that can be meant."""
    items = node.items if isinstance(node, Sequence) else ()
    return tuple(item for item in items if isinstance(item, Scalar) and _is_glob(item.text))


def _is_glob(text: str) -> bool:
    try:
        compile_glob(text)
    except ValueError:
        return False
    return True
