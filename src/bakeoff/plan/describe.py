"""What `--dry-run` prints: the plan as text and as a document."""

from __future__ import annotations

from bakeoff.identity import plain
from bakeoff.model.suite import FolderStart, Task
from bakeoff.plan.order import Order

TIMES = "×"  # noqa: RUF001 - the multiplication sign is meant


def describe(order: Order) -> str:
    """The plan for people: what would run, from which start, judged by what."""
    lines = [
        (
            f"{order.name}: {_counted(order.planned, 'trial')}: {_counted(len(order.tasks), 'task')}"
            f" {TIMES} {_counted(len(order.arms), 'arm')} {TIMES} {order.repeats},"
            f" {order.jobs} at once, seed {order.seed}"
        ),
        "",
        "arms:",
    ]
    for ready in order.arms:
        model = f", model {ready.arm.model}" if ready.arm.model else ""
        lines.append(f"  {ready.arm.id}: {ready.arm.harness}{model}")
    lines += ["", "tasks:"]
    for task in order.tasks:
        lines.append(f"  {_name(task, order)}: {_start(task)}, {task.limits.timeout_s:g} s for the agent")
        lines += [f"    setup: {command}" for command in task.setup.commands]
        lines += [
            f"    check {check.id}: {check.type_name}{'' if check.required else ' (reported only)'}"
            for check in task.checks
        ]
        lines += [
            f"    {arm}: {', '.join(f'{name}: {value}' for name, value in own.items())}"
            for arm, own in _own_options(task, order).items()
        ]
    lines += ["", "order of trials:"]
    lines += [
        f"  {spec.order + 1:>4}  {_name(spec.task, order)}  {spec.arm.id}  {spec.repeat}"
        for spec in order.specs
    ]
    lines += ["", "nothing was started and nothing was written"]
    return "\n".join(lines)


def plan_document(order: Order) -> dict[str, object]:
    """The plan as plain values for JSON."""
    return {
        "schema": "bakeoff.plan",
        "version": 1,
        "name": order.name,
        "suite": order.suite.name,
        "trials": order.planned,
        "repeats": order.repeats,
        "jobs": order.jobs,
        "seed": order.seed,
        "arms": [
            {
                "id": ready.arm.id,
                "harness": ready.arm.harness,
                "model": ready.arm.model,
                "options": plain(ready.options),
            }
            for ready in order.arms
        ],
        "tasks": [
            {
                "suite": task.suite or order.suite.name,
                "id": task.name,
                "start": _start(task),
                "timeout_s": task.limits.timeout_s,
                "setup": list(task.setup.commands),
                "checks": [{"id": check.id, "type": check.type_name} for check in task.checks],
                "options": _own_options(task, order),
            }
            for task in order.tasks
        ],
        "order": [
            {"suite": spec.suite, "task": spec.task.name, "arm": spec.arm.id, "repeat": spec.repeat}
            for spec in order.specs
        ],
        "warnings": [str(problem) for problem in order.suite.warnings],
    }


def _name(task: Task, order: Order) -> str:
    """What a task is called in this plan: with its suite where there are several."""
    several = len({each.suite for each in order.tasks}) > 1
    return task.key if several else task.name


def _own_options(task: Task, order: Order) -> dict[str, dict[str, object]]:
    """By arm, the options that this task is run with in place of those of the arm."""
    found = {}
    for ready in order.arms:
        usual, own = ready.options, ready.options_for(task)
        names = type(usual).model_fields
        changed = [name for name in names if getattr(usual, name) != getattr(own, name)]
        if changed:
            found[ready.arm.id] = {name: plain(getattr(own, name)) for name in changed}
    return found


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _start(task: Task) -> str:
    if isinstance(task.start, FolderStart):
        return f"a copy of {task.start.folder}" if task.start.folder else "an empty directory"
    commit = (task.start.commit or task.start.revision)[:12]
    return f"commit {commit} of {task.start.repository}"
