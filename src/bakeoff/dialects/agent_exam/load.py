"""Loads what SPECs name in a project into one suite, with the arms of its configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bakeoff.dialects.agent_exam.arms import read_arms
from bakeoff.dialects.agent_exam.config import Config, read_config
from bakeoff.dialects.agent_exam.fixtures import Fixtures
from bakeoff.dialects.agent_exam.project import Project
from bakeoff.dialects.agent_exam.skills import read_skills
from bakeoff.dialects.agent_exam.suite import ReadSuite, read_suite, without_held_tags
from bakeoff.dialects.agent_exam.target import Target, suite_folders
from bakeoff.dialects.field_types import nearest_id
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.errors import UserError, Where
from bakeoff.model.suite import Dialect, Suite, Task, Unsupported


def load_exam(project: Project, targets: Sequence[Target], problems: Problems) -> Suite | None:
    """The tasks that `targets` name, each once and in the order of the project; None for an error.

    Only the suites that are named are read. Raises UserError when there is no such suite or task.
    """
    config = read_config(project, problems)
    selected, known = read_arms(config, problems)
    skills = read_skills(project, config, problems)
    fixtures = Fixtures(folder=project.fixtures, problems=problems)
    names = _suite_names(project, targets, problems)
    suites = [
        read_suite(folder, config, fixtures, skills, problems)
        for folder in suite_folders(project)
        if folder.name in names
    ]
    if problems.has_errors:
        return None
    tasks = _chosen(suites, targets)
    if not tasks:
        problems.error(Where(project.suites), "there is no task", "a task is a file SUITE/tasks/NAME.yaml")
        return None
    return Suite(
        name=suites[0].name if len(suites) == 1 else nearest_id(project.root.name),
        path=project.evals,
        dialect=Dialect.AGENT_EXAM,
        tasks=tasks,
        arms=selected,
        known_arms=known,
        unsupported=(
            *project.unsupported,
            *skills.unsupported,
            *_later(config, problems),
            *(item for suite in suites for item in suite.unsupported),
        ),
        concurrency_groups=dict(config.said.concurrency_groups),
        declared_tags=tuple(config.tags),
    )


def _later(config: Config, problems: Problems) -> tuple[Unsupported, ...]:
    if config.node is None or config.said.mcp_servers is None:
        return ()
    where = problems.shown(config.node.key_where("mcp_servers"))
    return (Unsupported(field="mcp_servers", where=where),)


def _suite_names(project: Project, targets: Sequence[Target], problems: Problems) -> set[str]:
    """The suites to read; UserError for one that does not exist."""
    known = [folder.name for folder in suite_folders(project)]
    if not known:
        problems.error(
            Where(project.suites),
            "there is no suite",
            "a suite is a folder in it, with a folder `tasks` that holds a file for each task",
        )
    for target in targets:
        if target.suite is not None and known and target.suite not in known:
            raise UserError(
                f"the project has no suite {quoted(target.suite)}", hint=suggestion(target.suite, known)
            )
    if any(target.suite is None for target in targets):
        return set(known)
    return {target.suite for target in targets if target.suite is not None}


@dataclass(frozen=True, slots=True)
class _Positioned:
    """A task with its position among the cases of its file."""

    task: Task
    position: int


def _chosen(suites: Sequence[ReadSuite], targets: Sequence[Target]) -> tuple[Task, ...]:
    """The tasks that any target names; named ones, and those of a lone suite, are held back by less."""
    everything = [each for suite in suites for each in _positioned(suite)]
    for target in targets:
        if target.task is not None and not any(_names(target, each) for each in everything):
            raise _unknown(target, everything)
    # What a lone suite says of itself is no reason to leave its tasks out.
    lifted = frozenset(suites[0].tags) if len(suites) == 1 else frozenset()
    chosen = []
    for each in everything:
        naming = [target for target in targets if _names(target, each)]
        if any(target.task is not None for target in naming):
            chosen.append(replace(each.task, held_back_by=()))
        elif naming:
            chosen.append(without_held_tags(each.task, lifted))
    return tuple(chosen)


def _positioned(suite: ReadSuite) -> list[_Positioned]:
    counts: dict[str, int] = {}
    found = []
    for task in suite.tasks:
        found.append(_Positioned(task, counts.get(task.id, 0)))
        counts[task.id] = counts.get(task.id, 0) + 1
    return found


def _names(target: Target, each: _Positioned) -> bool:
    task = each.task
    if target.suite not in {None, task.suite} or target.task not in {None, task.id}:
        return False
    if target.case is None:
        return True
    return task.case is not None and target.case in {task.case, str(each.position)}


def _unknown(target: Target, everything: Sequence[_Positioned]) -> UserError:
    tasks = [each.task for each in everything if target.suite in {None, each.task.suite}]
    place = f"suite {target.suite}" if target.suite else "no suite of the project"
    has = "has no" if target.suite else "has a"
    same = [task for task in tasks if task.id == target.task]
    if not same:
        return UserError(
            f"{place} {has} task {quoted(target.task or '')}",
            hint=suggestion(target.task or "", [task.id for task in tasks]),
        )
    cases = [task.case for task in same if task.case is not None]
    if not cases:
        return UserError(
            f"task {target.task} has no cases: it is executed",
            hint=f"write {target.suite or '*'}::{target.task}",
        )
    return UserError(
        f"task {target.task} has no case {quoted(target.case or '')}",
        hint=f"its positions are 0 to {len(cases) - 1}; its cases: {', '.join(cases[:6])}",
    )
