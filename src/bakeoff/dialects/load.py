"""Loads what SPECs of the command line name, whatever their format, into one suite.

A format's own modules are imported when a file of it is loaded: most of the time of a short
command is spent in preparing their keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bakeoff.dialects.agent_exam.target import Target
from bakeoff.dialects.field_types import nearest_id
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.recognise import Kind, Recognised, recognise
from bakeoff.dialects.several import as_one
from bakeoff.dialects.unfinished import warn_unfinished
from bakeoff.errors import UserError
from bakeoff.model.suite import Suite


def load(spec: str, *, cwd: Path) -> Suite:
    """The suite that `spec` names, seen from the directory `cwd`.

    Everything that can be known without an agent is checked. Raises ProblemsFound with all
    errors and warnings of all files, or UserError when there is nothing to load; what does
    not stop anything is in `warnings` of the suite.
    """
    return load_all((spec,), cwd=cwd)


def load_all(specs: Sequence[str], *, cwd: Path) -> Suite:
    """What several SPECs name, as one suite; a task that two of them name is there once.

    Raises as `load` does, and UserError when they cannot be run together: their formats,
    arms or settings differ.
    """
    problems = Problems(cwd=cwd)
    found = [recognise(spec, cwd, problems) for spec in dict.fromkeys(specs)]
    loaded = [_load(each, problems) for each in _together(found)]
    problems.raise_errors()
    suites = [_selected(suite, each) for suite, each in zip(loaded, _together(found), strict=True) if suite]
    assert len(suites) == len(loaded), "a suite that cannot be made has at least one error"
    for suite in suites:
        warn_unfinished(suite, problems)
    return replace(as_one(suites), warnings=problems.warnings())


def _together(found: Sequence[Recognised | None]) -> list[tuple[Recognised, tuple[Target, ...]]]:
    """What was recognised, in order; all parts of one agent-exam project count as one."""
    parts: dict[object, tuple[Recognised, tuple[Target, ...]]] = {}
    for number, each in enumerate(found):
        if each is None:
            continue
        key = each.target.project.root if each.target is not None else number
        targets = (each.target,) if each.target is not None else ()
        first, before = parts.get(key, (each, ()))
        parts[key] = (first, (*before, *targets))
    return list(parts.values())


def _load(each: tuple[Recognised, tuple[Target, ...]], problems: Problems) -> Suite | None:
    found, targets = each
    if targets:
        from bakeoff.dialects.agent_exam.load import load_exam

        return load_exam(targets[0].project, targets, problems)
    if found.kind is Kind.ABLATE:
        from bakeoff.dialects.ablate.load import load_ablate

        assert found.project is not None
        name = nearest_id(found.project.name)
        return load_ablate(found.files, path=found.path, name=name, folder=found.project, problems=problems)
    assert found.node is not None
    if found.kind is Kind.NATIVE:
        from bakeoff.dialects.native.load import load_native

        return load_native(found.path, found.node, problems)
    from bakeoff.dialects.harness_lab.load import load_experiment, load_suite, load_task_alone

    read = {Kind.SUITE: load_suite, Kind.EXPERIMENT: load_experiment, Kind.TASK: load_task_alone}
    return read[found.kind](found.path, found.node, problems)


def _selected(suite: Suite, each: tuple[Recognised, tuple[Target, ...]]) -> Suite:
    wanted = each[0].task
    if wanted is None:
        return suite
    # Whoever names a task wants it, whatever its tags say.
    tasks = tuple(replace(task, held_back_by=()) for task in suite.tasks if task.id == wanted)
    if not tasks:
        raise UserError(
            f"{suite.name} has no task {quoted(wanted)}",
            hint=suggestion(wanted, [task.id for task in suite.tasks]),
        )
    return replace(suite, tasks=tasks)
