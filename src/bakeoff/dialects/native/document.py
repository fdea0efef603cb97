"""A suite of any format as the native file that says the same, with what holds by default written out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bakeoff.dialects.native.agent_paths import located_options
from bakeoff.dialects.native.checks import SHARED
from bakeoff.dialects.native.schema import VERSION
from bakeoff.dialects.native.written import Folder, Plain, fields_of, number, plain_value, said
from bakeoff.model.check import Check
from bakeoff.model.suite import (
    Arm,
    FolderStart,
    GitStart,
    Improvement,
    Placement,
    Reference,
    Safety,
    Suite,
    Task,
)


def document_of(suite: Suite, folder: Path) -> Plain:
    """The mapping to write into a file in `folder`.

    What is nothing by default (no description, no tags) is left out; every default that does
    something is there. UserError for a path that no text can hold.
    """
    around = Folder(folder)
    arms = {arm.id: arm for arm in (*suite.known_arms, *suite.arms)}
    held = {tag for task in suite.tasks for tag in task.held_back_by} & set(suite.declared_tags)
    return {
        "bakeoff": VERSION,
        "suite": suite.name,
        **said(
            description=suite.description,
            experiment=suite.experiment_name,
            repeats=suite.repeats,
            jobs=suite.jobs,
        ),
        "keep_workspaces": suite.keep_workspaces,
        **said(
            min_tasks_for_interval=suite.min_tasks_for_interval,
            plugins=list(suite.plugins),
            tags={tag: {"exclude_by_default": tag in held} for tag in suite.declared_tags},
            concurrency_groups=dict(suite.concurrency_groups),
        ),
        "arms": [_arm(arm, around) for arm in arms.values()],
        "default_arms": [arm.id for arm in suite.arms],
        "tasks": [_task(task, held, around) for task in suite.tasks],
    }


def _arm(arm: Arm, folder: Folder) -> Plain:
    return {
        "id": arm.id,
        "harness": arm.harness,
        **said(
            model=arm.model,
            options=plain_value(located_options(arm), folder),
            place=[_placement(each, folder) for each in arm.placements],
            notes=plain_value(arm.notes, folder),
            model_aliases=dict(arm.model_aliases),
        ),
    }


def _placement(placement: Placement, folder: Folder) -> Plain:
    source = folder.relative(placement.source) if placement.source is not None else None
    return {placement.kind.value: source, "to": placement.target, "name": placement.name}


def _task(task: Task, held: set[str], folder: Folder) -> Plain:
    derived = tuple(tag for tag in task.tags if tag in held)
    document: Plain = {
        "id": task.id,
        **said(suite=task.suite, case=task.case),
        "title": task.title,
        **said(description=task.description),
        "version": task.version,
        **said(tags=list(task.tags)),
    }
    if derived != task.held_back_by:
        document["held_back_by"] = list(task.held_back_by)
    document |= {
        "weight": number(task.weight),
        **said(known_issue=task.known_issue, concurrency_group=task.concurrency_group),
        "prompt": task.prompt,
        "start": _start(task.start, folder),
        "setup": {
            "run": list(task.setup.commands),
            "timeout_s": number(task.setup.timeout_s),
            "must_leave_clean": task.setup.must_leave_clean,
        },
        **said(env=_environment(task)),
        "limits": {"timeout_s": number(task.limits.timeout_s)},
        "config_path": task.config_path,
        **said(options=plain_value(task.harness_options, folder)),
        "on_timeout": task.on_timeout.value,
        "on_crash": "grade" if task.verify_crashed else "fail",
        **said(reference=_reference(task.reference, folder)),
    }
    if task.improvement is not None:
        document["improve"] = _improvement(task.improvement, folder)
    if task.safety is not None:
        document["safety"] = _safety(task.safety)
    document["checks"] = _checks(task.checks, folder)
    return document


def _start(start: GitStart | FolderStart, folder: Folder) -> object:
    if isinstance(start, GitStart):
        return {
            "git": folder.relative(start.repository),
            "at": start.revision,
            **said(hide=list(start.hide)),
        }
    if start.folder is None:
        return "empty"
    return {
        "folder": folder.relative(start.folder),
        "leave_out": list(start.leave_out),
        **said(hide=list(start.hide)),
    }


def _environment(task: Task) -> Plain:
    environment = task.environment
    return said(
        **{"pass": list(environment.pass_through)}, set=dict(environment.set), unset=list(environment.unset)
    )


def _reference(reference: Reference, folder: Folder) -> Plain:
    return said(
        overlay=folder.relative(reference.overlay) if reference.overlay else None,
        partial_overlay=folder.relative(reference.partial_overlay) if reference.partial_overlay else None,
        improve_overlays=[folder.relative(path) for path in reference.improve_overlays],
        description=reference.description,
    )


def _improvement(improvement: Improvement, folder: Folder) -> Plain:
    objective = improvement.objective
    return {
        "objective": {
            "command": objective.command,
            "direction": objective.direction,
            **said(unit=objective.unit),
            **({"target": number(objective.target)} if objective.target is not None else {}),
            "repeats": objective.repeats,
            "timeout_s": number(objective.timeout_s),
            **said(
                inject=[{"source": folder.relative(path), "dest": dest} for path, dest in objective.inject]
            ),
        },
        "rounds": improvement.rounds,
        "keep_best": improvement.keep_best,
        "min_improvement": number(improvement.min_improvement),
        "evaluator_budget": improvement.evaluator_budget,
    }


def _safety(safety: Safety) -> Plain:
    return said(
        canaries=[{"path": each.path, "token": each.token} for each in safety.canaries],
        lure_urls=list(safety.lure_urls),
    )


def _checks(checks: Sequence[Check], folder: Folder) -> list[object]:
    return [
        {
            "id": check.id,
            check.type_name: fields_of(check, frozenset(SHARED), folder),
            "required": check.required,
            "stop": check.stop,
            **said(known_issue=check.known_issue, providers=list(check.providers)),
        }
        for check in checks
    ]
