"""`bakeoff validate`: everything that can be known about files without starting an agent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.errors import Problem
    from bakeoff.model.suite import Arm, Suite, Task, Unsupported


@dataclass(frozen=True, slots=True, kw_only=True)
class _Report:
    """The suites that could be loaded, and all problems of all files."""

    suites: tuple[Suite, ...]
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> int:
        """How many problems stop a run."""
        return sum(problem.severity == "error" for problem in self.problems)


@click.command(short_help="Check suites and tasks without running an agent.")
@click.argument("specs", nargs=-1, metavar="[PATH]...")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def command(specs: tuple[str, ...], as_json: bool) -> int:
    """Check suites, experiments, tasks, or projects with tasks; by default this directory.

    Reads the files and the repositories that they name, starts no agent, imports no plugin
    and writes nothing. All problems of all files are printed at once. The exit code is 2
    when there is an error, else 0; fields that `bakeoff run` cannot honour yet are listed.
    """
    report = _load_all(specs or (".",))
    if as_json:
        import json

        click.echo(json.dumps(_document(report), indent=2, allow_nan=False))
    else:
        for suite in report.suites:
            click.echo("\n".join(_lines(suite)))
    for problem in report.problems:
        prefix = "bakeoff: " if problem.where is None and problem.severity == "error" else ""
        click.echo(f"{prefix}{problem}", err=True)
    _echo_sum(report)
    return 2 if report.errors else 0


def _load_all(specs: tuple[str, ...]) -> _Report:
    from bakeoff.dialects.load import load
    from bakeoff.errors import UserError

    suites: list[Suite] = []
    problems: list[Problem] = []
    for spec in specs:
        try:
            suite = load(spec, cwd=Path.cwd())
        except UserError as error:
            problems.extend(error.problems)
        else:
            suites.append(suite)
            problems.extend(suite.warnings)
    # Two suites may share a task file: what is wrong with it is said once.
    return _Report(suites=tuple(suites), problems=tuple(dict.fromkeys(problems)))


def _echo_sum(report: _Report) -> None:
    tasks = sum(len(suite.tasks) for suite in report.suites)
    warnings = len(report.problems) - report.errors
    parts = [_count(len(report.suites), "valid suite"), _count(tasks, "task")]
    parts += [_count(report.errors, "error")] if report.errors else []
    parts += [_count(warnings, "warning")] if warnings else []
    click.echo(f"bakeoff: {', '.join(parts)}", err=True)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _lines(suite: Suite) -> Iterator[str]:
    """A suite for people."""
    yield f"{suite.name} ({suite.dialect.value}, {suite.path})"
    yield "  tasks:"
    several = len({task.suite for task in suite.tasks}) > 1
    for task in suite.tasks:
        weight = f", weight {task.weight:g}" if task.weight != 1 else ""
        title = f" - {task.title}" if task.title not in {task.id, task.name} else ""
        yield f"    {task.key if several else task.name}{title}{weight}"
        yield from (f"      {_check_line(task, index)}" for index in range(len(task.checks)))
    yield "  arms:"
    for arm in suite.arms:
        model = f", model {arm.model}" if arm.model else ""
        yield f"    {arm.id}: {arm.harness}{model}"
    others = [arm.id for arm in suite.known_arms if arm.id not in {each.id for each in suite.arms}]
    if others:
        yield f"    also, with --arm: {', '.join(others)}"
    unsupported = list(_unsupported(suite))
    if unsupported:
        yield "  valid, but not supported yet by `bakeoff run`:"
        owners: dict[Unsupported, list[str]] = {}
        for owner, item in unsupported:
            owners.setdefault(item, []).append(owner)
        yield from (f"    {item.where}: {item.field} ({_few(names)})" for item, names in owners.items())
    if suite.plugins:
        yield f"  plugins: {', '.join(suite.plugins)} (validate does not import them)"


def _few(owners: list[str]) -> str:
    """The first owner of a field, and how many others share its place."""
    return owners[0] if len(owners) == 1 else f"{owners[0]} and {len(owners) - 1} more"


def _check_line(task: Task, index: int) -> str:
    check = task.checks[index]
    return f"{check.id}: {check.type_name}{'' if check.required else ' (reported only)'}"


def _unsupported(suite: Suite) -> Iterator[tuple[str, Unsupported]]:
    yield from ((f"suite {suite.name}", item) for item in suite.unsupported)
    for task in suite.tasks:
        yield from ((f"task {task.key}", item) for item in task.unsupported)
    for arm in _arms(suite):
        yield from ((f"arm {arm.id}", item) for item in arm.unsupported)


def _arms(suite: Suite) -> tuple[Arm, ...]:
    """Every arm once, those that run first."""
    return tuple({arm.id: arm for arm in (*suite.arms, *suite.known_arms)}.values())


def _document(report: _Report) -> dict[str, object]:
    return {
        "schema": "bakeoff.validate",
        "version": 1,
        "suites": [_suite_document(suite) for suite in report.suites],
        "problems": [
            {
                "file": str(problem.where.file) if problem.where else None,
                "line": (problem.where.line or None) if problem.where else None,
                "column": (problem.where.column or None) if problem.where else None,
                "severity": problem.severity,
                "message": problem.message,
                "hint": problem.hint,
            }
            for problem in report.problems
        ],
    }


def _suite_document(suite: Suite) -> dict[str, object]:
    from bakeoff.identity import plain

    selected = [arm.id for arm in suite.arms]
    return {
        "name": suite.name,
        "path": str(suite.path),
        "dialect": suite.dialect.value,
        "description": suite.description,
        "tasks": [
            {
                "suite": task.suite or suite.name,
                "id": task.id,
                "case": task.case,
                "title": task.title,
                "where": str(task.where),
                "weight": task.weight,
                "tags": list(task.tags),
                "checks": [
                    {"id": check.id, "type": check.type_name, "required": check.required}
                    for check in task.checks
                ],
            }
            for task in suite.tasks
        ],
        "arms": [
            {
                "id": arm.id,
                "harness": arm.harness,
                "model": arm.model,
                "options": plain(arm.options),
                "selected": arm.id in selected,
            }
            for arm in _arms(suite)
        ],
        "unsupported": [
            {"owner": owner, "field": item.field, "where": str(item.where)}
            for owner, item in _unsupported(suite)
        ],
        "plugins": list(suite.plugins),
    }
