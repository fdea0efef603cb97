"""Preparing an experiment: probes, snapshots, digests, the workbench and the plan's record."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bakeoff import __version__
from bakeoff.git.call import run_git
from bakeoff.identity import digest, new_id
from bakeoff.model.experiment import (
    ArmRecord,
    ExperimentRecord,
    ExperimentStatus,
    PlannedTrial,
    TaskRecord,
)
from bakeoff.model.suite import Environment, GitStart, Task
from bakeoff.plan.arms import ReadyArm
from bakeoff.plan.digests import (
    contents_of,
    contents_of_placements,
    digest_checks,
    digest_placements,
    digest_prompt,
    digest_task,
)
from bakeoff.plan.order import Order
from bakeoff.process.supervise import Interrupt, Supervisor
from bakeoff.redact import Redactor
from bakeoff.run.login import Login, read_logins
from bakeoff.run.probing import probe_arms
from bakeoff.run.snapshot import relocated, relocated_arm, snapshot
from bakeoff.run.workbench import TaskFacts, Workbench
from bakeoff.store.archive import Archive
from bakeoff.store.database import Store
from bakeoff.store.owner import this_host
from bakeoff.workspace.create import private_root
from bakeoff.workspace.environment import Inheritance, clean_path, secrets
from bakeoff.workspace.seal import seal
from bakeoff.workspace.sealed import Sealed
from bakeoff.workspace.toolchains import find_toolchains


def prepare(
    order: Order, supervisor: Supervisor, interrupt: Interrupt, environment: Mapping[str, str]
) -> tuple[Workbench, ExperimentRecord]:
    """Everything that the trials share, and the record of the plan, which is not stored yet.

    Nothing is written before every harness was found.
    """
    layout = order.layout
    hidden = _hidden(order)
    path = clean_path(environment, without=map(str, hidden))
    probes = probe_arms(order.arms, path)
    home = Path(os.path.expanduser("~"))
    logins = read_logins(order.arms, home) if order.auth == "login" else {}
    layout.create()
    contents = {task.key: contents_of(task) for task in order.tasks}
    everything = contents_of_placements(ready.arm for ready in order.arms)
    for each in contents.values():
        everything |= each
    moved = snapshot(everything, layout.snapshots)
    starts = {task.key: seal(task.start, (), cache=layout.cache / "templates") for task in order.tasks}
    bench = Workbench(
        experiment=new_id("e"),
        layout=layout,
        store=Store.open(layout, create=True),
        archive=Archive(layout.archive),
        supervisor=supervisor,
        redactor=Redactor(_secrets(order, environment, path, logins)),
        interrupt=interrupt,
        root=private_root(),
        host_environment=dict(environment),
        host_home=home,
        path=path,
        toolchains=find_toolchains(environment, path, home=home, never=hidden),
        credentials=_credentials(order.arms),
        arms={ready.arm.id: replace(ready, arm=relocated_arm(ready.arm, moved)) for ready in order.arms},
        probes=probes,
        tasks={task.key: task for task in relocated(order.tasks, moved)},
        facts={task.key: _facts(task, contents[task.key], starts[task.key]) for task in order.tasks},
        pass_env=order.pass_env,
        hidden=hidden,
        logins=logins,
        keep_workspaces=order.keep_workspaces,
    )
    warnings = [str(problem) for problem in order.suite.warnings]
    warnings += [text for start in starts.values() for text in start.warnings]
    return bench, _record(order, bench, list(dict.fromkeys(warnings)))


def _hidden(order: Order) -> tuple[Path, ...]:
    """What no program of a trial may see: the store, the suite and every source."""
    paths = [order.layout.home, order.suite.path, *order.suite.other_paths]
    for task in order.tasks:
        paths.append(task.where.file)
        start = task.start.repository if isinstance(task.start, GitStart) else task.start.folder
        paths += [start] if start else []
        paths += contents_of(task)
    return tuple(dict.fromkeys(Path(os.path.realpath(path)) for path in paths))


def _credentials(arms: Iterable[ReadyArm]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for ready in arms for name in ready.harness.credentials))


def _secrets(
    order: Order, environment: Mapping[str, str], path: tuple[str, ...], logins: Mapping[str, Login]
) -> dict[str, tuple[str, ...]]:
    """Every value that must not be written down, by name."""
    handed_on = [
        getattr(options, "env_passthrough", ()) for ready in order.arms for options in ready.all_options
    ]
    passed = (*order.pass_env, *(name for names in handed_on for name in names))
    found = {f"login of {arm}": login.secrets for arm, login in logins.items()}
    for declared in [Environment(), *(task.environment for task in order.tasks)]:
        inheritance = Inheritance(
            parent=environment,
            path=path,
            declared=declared,
            passed=passed,
            credentials=_credentials(order.arms),
        )
        for name, values in secrets(inheritance).items():
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), *values)))
    return found


def _facts(task: Task, contents: Mapping[Path, str], start: Sealed) -> TaskFacts:
    return TaskFacts(
        contents={str(path): value for path, value in contents.items()},
        task=digest_task(task, start.tree, dict(contents)),
        checks=digest_checks(task, dict(contents)),
        prompt=digest_prompt(task),
    )


def _arm_record(ready: ReadyArm, bench: Workbench) -> ArmRecord:
    arm = ready.arm
    options = digest(ready.options)
    placements = digest_placements(arm.placements)
    return ArmRecord(
        id=arm.id,
        harness=arm.harness,
        harness_version=bench.probes[arm.id].version,
        model=arm.model,
        options=ready.options.model_dump(mode="json"),
        placements=[
            {"kind": item.kind, "name": item.name, "target": item.target, "removes": item.source is None}
            for item in arm.placements
        ],
        notes=dict(arm.notes),
        digest=digest([arm.harness, arm.model, options, placements]),
    )


def _task_record(task: Task, facts: TaskFacts) -> TaskRecord:
    return TaskRecord(
        suite=task.suite,
        id=task.name,
        title=task.title,
        description=task.description,
        dialect=task.dialect,
        prompt=task.prompt,
        prompt_digest=facts.prompt,
        digest=facts.task,
        weight=task.weight,
        tags=list(task.tags),
        base_commit=task.start.commit if isinstance(task.start, GitStart) else None,
    )


def _record(order: Order, bench: Workbench, warnings: list[str]) -> ExperimentRecord:
    record = ExperimentRecord(
        id=bench.experiment,
        name=order.name,
        suite=order.suite.name,
        suite_path=str(order.suite.path),
        status=ExperimentStatus.RUNNING,
        created_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        seed=order.seed,
        jobs=order.jobs,
        repeats=order.repeats,
        arms=[_arm_record(ready, bench) for ready in order.arms],
        tasks=[_task_record(task, bench.facts[task.key]) for task in order.tasks],
        planned=[
            PlannedTrial(suite=spec.task.suite, task=spec.task.name, arm=spec.arm.id, repeat=spec.repeat)
            for spec in order.specs
        ],
        warnings=warnings,
        sandbox=bench.supervisor.name,
        protections=dict(bench.supervisor.protections),
        environment={
            "system": platform.platform(),
            "machine": platform.machine(),
            "python": platform.python_version(),
            "git": run_git(["version"], git_dir=None).decode().strip(),
        },
        bakeoff_version=__version__,
        owner_pid=os.getpid(),
        owner_host=this_host(),
    )
    redacted = bench.redactor.redact_value(record.model_dump(mode="json"))
    return ExperimentRecord.model_validate(redacted)
