"""Loads what a SPEC of the command line names, whatever its format, into a suite."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bakeoff.dialects.ablate.load import load_ablate
from bakeoff.dialects.field_types import nearest_id
from bakeoff.dialects.harness_lab.load import load_experiment, load_suite, load_task_alone
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.recognise import Kind, Recognised, recognise, split_spec
from bakeoff.errors import UserError
from bakeoff.model.suite import Suite


def load(spec: str, *, cwd: Path) -> Suite:
    """The suite that `spec` names, seen from the directory `cwd`.

    Everything that can be known without an agent is checked. Raises ProblemsFound with all
    errors and warnings of all files, or UserError when there is nothing to load; what does
    not stop anything is in `warnings` of the suite.
    """
    problems = Problems(cwd=cwd)
    name, task = split_spec(spec, cwd)
    found = recognise(name, cwd, problems)
    suite = _load(found, problems) if found is not None else None
    problems.raise_errors()
    assert suite is not None, "a suite that cannot be made has at least one error"
    suite = replace(suite, warnings=problems.warnings())
    return suite if task is None else _selected(suite, task)


def _load(found: Recognised, problems: Problems) -> Suite | None:
    if found.kind is Kind.ABLATE:
        assert found.project is not None
        name = nearest_id(found.project.name)
        return load_ablate(found.files, path=found.path, name=name, folder=found.project, problems=problems)
    assert found.node is not None
    read = {Kind.SUITE: load_suite, Kind.EXPERIMENT: load_experiment, Kind.TASK: load_task_alone}
    return read[found.kind](found.path, found.node, problems)


def _selected(suite: Suite, task_id: str) -> Suite:
    tasks = tuple(task for task in suite.tasks if task.id == task_id)
    if not tasks:
        raise UserError(
            f"{suite.name} has no task {quoted(task_id)}",
            hint=suggestion(task_id, [task.id for task in suite.tasks]),
        )
    return replace(suite, tasks=tasks)
