"""Loads a native suite: what it declares, its arms, its tasks, and what the starting files say to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from bakeoff.dialects.native.arms import default_arms, read_arms
from bakeoff.dialects.native.declared import Declared, read_declared, read_plugins
from bakeoff.dialects.native.harness_names import Harnesses
from bakeoff.dialects.native.path_warnings import warn_of_paths
from bakeoff.dialects.native.schema import VERSION, DefaultsBlock, NativeSuite
from bakeoff.dialects.native.task import ReadTask, read_task
from bakeoff.dialects.native.task_nodes import task_nodes
from bakeoff.dialects.nodes import Mapping, Node, Scalar
from bakeoff.dialects.own_files import OwnFiles
from bakeoff.dialects.problems import Problems, quoted
from bakeoff.dialects.shapes import read_shape
from bakeoff.dialects.sources import Sources
from bakeoff.dialects.traps import check_canary
from bakeoff.errors import Where
from bakeoff.model.suite import (
    Canary,
    Dialect,
    Environment,
    FolderStart,
    GitStart,
    Limits,
    OnTimeout,
    Safety,
    Suite,
    Task,
)


def load_native(file: Path, node: Node, problems: Problems) -> Suite | None:
    """The suite that stands in `file`; None when there is an error."""
    if not isinstance(node, Mapping):
        read_shape(node, NativeSuite, problems)
        return None
    if not _has_known_version(node, problems):
        return None
    said = read_shape(node, NativeSuite, problems)
    if (defaults := node.get("defaults")) is not None:
        # Without a name: each task repeats what is wrong with them, and it is told once.
        read_shape(defaults, DefaultsBlock, problems)
    harnesses = Harnesses(with_plugins=node.get("plugins") is not None)
    declared = read_declared(node, said, problems)
    plugins = read_plugins(node, problems)
    arms = read_arms(node, harnesses, problems)
    sources = Sources(problems=problems)
    nodes = task_nodes(node, problems)
    found = [read_task(each, harnesses, sources, problems) for each in nodes.tasks]
    _refuse_same_tasks(found, problems)
    tasks = _make_tasks(found, (file, *nodes.files), declared, sources, problems)
    selected = default_arms(node, arms, problems)
    if problems.has_errors or said is None:
        return None
    if not tasks:
        problems.error(node.key_where("tasks"), "the suite has no task")
        return None
    return Suite(
        name=said.suite,
        path=file,
        dialect=Dialect.NATIVE,
        tasks=tasks,
        arms=selected,
        known_arms=arms,
        description=said.description,
        repeats=said.repeats,
        jobs=said.jobs,
        plugins=tuple(dict.fromkeys(said.plugins)),
        unsupported=plugins,
        min_tasks_for_interval=said.min_tasks_for_interval,
        experiment_name=said.experiment,
        keep_workspaces=said.keep_workspaces,
        concurrency_groups=said.concurrency_groups,
        declared_tags=tuple(declared.tags),
    )


def _has_known_version(node: Mapping, problems: Problems) -> bool:
    """Whether the file is of a version that can be read; any other is recorded."""
    written = node.at("bakeoff")
    text = written.text if isinstance(written, Scalar) else ""
    if text == str(VERSION):
        return True
    if text.isdecimal():
        message = f"the file is of version {text} of the native format, this Bakeoff knows {VERSION}"
        problems.error(written.where, message, "use a newer Bakeoff")
    else:
        problems.error(
            written.where,
            f"`bakeoff` is the version of the format, not {written.kind}",
            f"write `bakeoff: {VERSION}`",
        )
    return False


def _refuse_same_tasks(found: Iterable[ReadTask], problems: Problems) -> None:
    first: dict[tuple[str, ...], Where] = {}
    for each in found:
        places = [each.node.get(key) for key in ("suite", "id", "case")]
        key = tuple(place.text if isinstance(place, Scalar) else "" for place in places)
        place = each.node.get("id")
        if place is None:
            continue
        if key in first:
            problems.error(
                place.where,
                f"a second task is called {quoted(key[1])}; the first is {problems.shown(first[key])}",
                "give each task its own id",
            )
        first.setdefault(key, place.where)


def _make_tasks(
    found: list[ReadTask], files: tuple[Path, ...], declared: Declared, sources: Sources, problems: Problems
) -> tuple[Task, ...]:
    """The tasks in order; what the repositories do not hold is recorded."""
    sources.settle()
    own = OwnFiles(paths=tuple(dict.fromkeys([*files, *(path for each in found for path in each.named)])))
    made = [_make_task(each, own, declared, sources, problems) for each in found]
    own.tell(files[0], problems)
    return tuple(task for task in made if task is not None)


def _make_task(
    read: ReadTask, own: OwnFiles, declared: Declared, sources: Sources, problems: Problems
) -> Task | None:
    said = read.said
    if said is None:
        return None
    declared.check(said, read.node, problems)
    if said.weight == 0:
        problems.warning(read.node.at("weight").where, "a task of weight 0 never counts in a mean")
    start = _start(read, own, sources, problems)
    if start is None:
        return None
    return Task(
        id=said.id,
        title=said.title or said.id,
        description=said.description,
        version=said.version,
        prompt=read.prompt,
        start=start,
        checks=read.checks,
        where=problems.shown(read.node.where),
        dialect=Dialect.NATIVE,
        setup=read.setup,
        environment=Environment(pass_through=said.env.pass_, set=said.env.set_, unset=said.env.unset),
        limits=Limits(
            timeout_s=said.limits.timeout_s, rounds=read.improvement.rounds if read.improvement else 1
        ),
        config_path=said.config_path,
        reference=read.reference,
        improvement=read.improvement,
        safety=_safety(read),
        weight=said.weight,
        tags=said.tags,
        on_timeout=OnTimeout(said.on_timeout),
        verify_crashed=said.on_crash == "grade",
        known_issue=said.known_issue,
        suite=said.suite,
        case=said.case,
        held_back_by=declared.held_back_by(said),
        concurrency_group=said.concurrency_group,
        harness_options=read.options,
        unsupported=tuple(sorted(read.unsupported, key=lambda item: item.where)),
    )


def _start(
    read: ReadTask, own: OwnFiles, sources: Sources, problems: Problems
) -> GitStart | FolderStart | None:
    """Where the task starts, with its commit and without the suite's files; None where there is none."""
    origin = read.origin
    if origin is None:
        return None
    start = origin.start
    if isinstance(start, GitStart):
        assert origin.repository is not None, "a start in git has a repository"
        commit = sources.commit(origin.repository, start.revision)
        if commit is None:
            return None
        sources.warn_if_dirty(origin.repository, commit, read.node.at("start", "git").where)
        start = replace(start, commit=commit)
    safety = _safety(read)
    for index, canary in enumerate(safety.canaries if safety else ()):
        check_canary(canary, read.node.at("safety", "canaries", index), start, sources, problems)
    if isinstance(start, FolderStart) and start.folder is None:
        return start
    warn_of_paths(read, start.hide, sources.files(start), problems)
    return own.hidden_in(start, sources)


def _safety(read: ReadTask) -> Safety | None:
    if read.said is None or read.said.safety is None:
        return None
    block = read.said.safety
    return Safety(
        canaries=tuple(Canary(path=each.path, token=each.token) for each in block.canaries),
        lure_urls=block.lure_urls,
    )
