"""Loads Harness Lab tasks: each file is read, git is asked for all of them, then each is translated."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Files
from dataclasses import dataclass
from pathlib import Path

from bakeoff.dialects.harness_lab.overlays import read_inject, read_reference
from bakeoff.dialects.harness_lab.own_paths import check_named, own_paths
from bakeoff.dialects.harness_lab.schema import HarnessLabTask
from bakeoff.dialects.harness_lab.start import Origin, find_origin, find_written_origin, make_start
from bakeoff.dialects.harness_lab.verification import protecting_glob, read_checks
from bakeoff.dialects.nodes import Mapping, Node, Scalar
from bakeoff.dialects.own_files import OwnFiles
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.protection import NamedPath, warn_protecting_nothing
from bakeoff.dialects.shapes import read_shape
from bakeoff.dialects.sources import Sources
from bakeoff.errors import Where
from bakeoff.model.check import Check
from bakeoff.model.suite import (
    Canary,
    Dialect,
    Improvement,
    Limits,
    Objective,
    OnTimeout,
    Reference,
    Safety,
    Setup,
    Task,
    Unsupported,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTask:
    """A task as its file says it, before git was asked about its commit.

    Without `task`, too much of it is wrong; what can be read is looked at all the same.
    """

    node: Mapping
    task: HarnessLabTask | None
    origin: Origin | None
    checks: tuple[Check, ...]
    reference: Reference
    improvement: Improvement | None


def read_task(node: Node, sources: Sources, problems: Problems) -> ReadTask | None:
    """What a file says; None when it cannot be read, which is then recorded."""
    before = problems.error_count
    task = read_shape(node, HarnessLabTask, problems)
    if not isinstance(node, Mapping):
        return None
    if problems.error_count > before:
        check_named(node, problems)
    if task is None:
        find_written_origin(node, sources, problems)
        return ReadTask(node=node, task=None, origin=None, checks=(), reference=Reference(), improvement=None)
    return ReadTask(
        node=node,
        task=task,
        origin=find_origin(node, task.repo.path, task.repo.base_ref, sources, problems),
        checks=read_checks(node, task, problems),
        reference=read_reference(node, task, problems),
        improvement=_read_improvement(node, task, problems),
    )


def make_tasks(
    found: Iterable[ReadTask], files: Files[Path], sources: Sources, problems: Problems
) -> tuple[Task, ...]:
    """The tasks in order; what the repositories do not hold is recorded.

    `files` are the suite and experiment that list them, the most important one first. Where
    they, the tasks' own files and what these name are part of the starting files, they are hidden.
    """
    found = tuple(found)
    _refuse_same_ids(found, problems)
    _check_faults(found, problems)
    sources.settle()
    own = OwnFiles(paths=own_paths(files, (each.node for each in found)))
    made = [_make_task(each, own, sources, problems) for each in found]
    own.tell(files[0], problems)
    return tuple(task for task in made if task is not None)


def _make_task(read: ReadTask, own: OwnFiles, sources: Sources, problems: Problems) -> Task | None:
    said = read.task
    if read.origin is None or said is None:
        return None
    start = make_start(read.node, said, read.origin, sources, problems)
    if start is None:
        return None
    for index, entry in enumerate(said.verification.protected_paths):
        place = read.node.at("verification", "protected_paths", index)
        named = NamedPath(text=entry, name="verification.protected_paths", where=place.where)
        warn_protecting_nothing(named, protecting_glob(entry), sources.files(start), problems)
    return Task(
        id=said.id,
        title=said.name,
        description=said.description,
        version=said.version,
        prompt=said.prompt,
        start=own.hidden_in(start, sources),
        checks=read.checks,
        where=problems.shown(read.node.where),
        dialect=Dialect.HARNESS_LAB,
        setup=Setup(
            commands=said.setup.commands,
            timeout_s=float(said.setup.timeout_seconds),
            must_leave_clean=True,
        ),
        limits=Limits(
            timeout_s=float(said.limits.agent_timeout_seconds),
            rounds=read.improvement.rounds if read.improvement else 1,
        ),
        reference=read.reference,
        improvement=read.improvement,
        safety=_safety(said),
        tags=said.tags,
        on_timeout=OnTimeout.GRADE,
        verify_crashed=True,
        unsupported=_unsupported(read.node, said, problems),
    )


def _safety(said: HarnessLabTask) -> Safety | None:
    if said.safety is None:
        return None
    canaries = tuple(Canary(path=each.path, token=each.token) for each in said.safety.canaries)
    return Safety(canaries=canaries, lure_urls=said.safety.lure_urls)


def _unsupported(node: Mapping, said: HarnessLabTask, problems: Problems) -> tuple[Unsupported, ...]:
    """The fields that `run` cannot honour yet, as far as they say something."""
    safety = said.safety
    present: dict[tuple[str, ...], bool] = {
        ("improve",): said.improve is not None,
        ("improve", "max_evaluations"): said.improve is not None and said.improve.max_evaluations is not None,
        ("safety", "canaries"): safety is not None and bool(safety.canaries),
        ("safety", "lure_urls"): safety is not None and bool(safety.lure_urls),
        ("verification", "answer_key"): said.verification.answer_key is not None,
        ("verification", "visible_command"): said.verification.visible_command is not None,
        ("reference_solution", "command"): said.reference_solution.command is not None,
        ("fault_of",): said.fault_of is not None,
    }
    found = (
        Unsupported(field=".".join(path), where=problems.shown(node.key_where(*path)))
        for path, is_present in present.items()
        if is_present
    )
    return tuple(sorted(found, key=lambda item: item.where))


def _read_improvement(node: Mapping, said: HarnessLabTask, problems: Problems) -> Improvement | None:
    improve = said.improve
    if improve is None:
        return None
    objective = improve.objective
    inject = read_inject(
        objective.inject,
        node.at("improve", "objective", "inject"),
        "improve.objective.inject",
        problems,
    )
    return Improvement(
        objective=Objective(
            command=objective.command,
            direction=objective.direction,
            unit=objective.unit,
            target=objective.target,
            repeats=objective.repeats,
            timeout_s=float(objective.timeout_seconds),
            inject=tuple((item.source, item.dest) for item in inject),
        ),
        rounds=improve.rounds,
        keep_best=improve.keep_best,
        min_improvement=improve.min_improvement,
        evaluator_budget=improve.evaluator.budget,
    )


def _refuse_same_ids(found: Iterable[ReadTask], problems: Problems) -> None:
    first: dict[str, Where] = {}
    for each in found:
        place = each.node.get("id")
        if not isinstance(place, Scalar):
            continue
        if place.text in first:
            problems.error(
                place.where,
                f"a second task is called {quoted(place.text)}; the first is {first[place.text]}",
                "give each task its own id",
            )
        first.setdefault(place.text, problems.shown(place.where))


def _check_faults(found: Iterable[ReadTask], problems: Problems) -> None:
    """`fault_of` names a task of the same suite that has no fault itself."""
    found = tuple(found)
    healthy = [_word(each.node, "id") for each in found if not _word(each.node, "fault_of")]
    for each in found:
        name = _word(each.node, "fault_of")
        if name and name not in healthy:
            problems.error(
                each.node.at("fault_of").where,
                f"`fault_of`: there is no task {quoted(name)} without a fault in this suite",
                suggestion(name, healthy),
            )


def _word(node: Mapping, key: str) -> str:
    """What is written behind a key; empty when that is not one value."""
    found = node.get(key)
    return found.text if isinstance(found, Scalar) else ""
