"""`bakeoff run`: run tasks, judge the results, record them, and show what came out."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bakeoff.model.bounds import MOST_AT_ONCE, MOST_REPETITIONS

if TYPE_CHECKING:
    from bakeoff.plan.arms import ReadyArm
    from bakeoff.plan.order import Order
    from bakeoff.process.start import SupervisorKind
    from bakeoff.run.experiment import Result

LOGIN_WARNING = (
    "bakeoff: --auth login lends your own login to the agents: a refresh of its token inside a trial "
    "can end your session, so trials that hold a refresh token run one at a time"
)


_LONGEST_NAME = 200


def _comma_separated(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    parts = [[part.strip() for part in value.split(",") if part.strip()] for value in values]
    if not all(parts):
        # An unset variable of a shell script must not select everything.
        raise click.BadParameter("it is empty")
    return tuple(part for each in parts for part in each)


def _not_empty(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and not value.strip():
        raise click.BadParameter("it is empty")
    return value


def _name(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A name that an address can hold: what `show` is asked for must not mean something else."""
    value = _not_empty(context, parameter, value)
    if value is None:
        return None
    if len(value) > _LONGEST_NAME:
        raise click.BadParameter(f"it has {len(value)} characters, more than {_LONGEST_NAME}")
    if not value.isprintable() or "::" in value:
        raise click.BadParameter("it holds `::`, a line break or another character that cannot be printed")
    if value in {"latest", "prev"}:
        raise click.BadParameter(f"{value!r} is what the newest experiments are called by")
    return value


def _settings(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, object]:
    """`NAME=VALUE` pairs as a mapping, each value read as YAML."""
    import yaml

    settings: dict[str, object] = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals or not name.strip():
            raise click.BadParameter(f"{value!r} is not NAME=VALUE")
        try:
            settings[name.strip()] = yaml.safe_load(
                Path(text[1:]).read_text("utf-8") if text.startswith("@") else text
            )
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise click.BadParameter(f"{name.strip()}: {error}") from error
    return settings


@click.command(short_help="Run tasks, judge the results and record them.")
@click.argument("specs", nargs=-1, metavar="[SPEC]...")
@click.option(
    "--tasks",
    "--tasks-only",
    multiple=True,
    callback=_comma_separated,
    metavar="GLOBS",
    help="Only tasks whose id matches (comma-separated globs).",
)
@click.option(
    "--drop",
    multiple=True,
    callback=_comma_separated,
    metavar="GLOBS",
    help="Leave out tasks whose id matches.",
)
@click.option(
    "--tag",
    "--tasks-tag",
    "tags",
    multiple=True,
    callback=_comma_separated,
    help="Only tasks with one of these tags.",
)
@click.option(
    "--exclude-tag",
    "exclude_tags",
    multiple=True,
    callback=_comma_separated,
    help="Leave out tasks with one of these tags.",
)
@click.option("--all-tags", is_flag=True, help="Select tasks too that their tags leave out by default.")
@click.option("--no-triggers", is_flag=True, help="Leave out cases that only tell which skill fires.")
@click.option(
    "--arm",
    "--variants",
    "arms",
    multiple=True,
    callback=_comma_separated,
    metavar="IDS",
    help="The arms to run, by id.",
)
@click.option(
    "--harness",
    "--provider",
    callback=_not_empty,
    help="Run on this harness: the suite's arm of that name, else every arm instead of on its own.",
)
@click.option("--model", callback=_not_empty, help="Ask for this model in every arm.")
@click.option(
    "--option",
    "-o",
    "options",
    multiple=True,
    callback=_settings,
    metavar="NAME=VALUE",
    help="Set an option of every arm's harness; the value is YAML, @FILE reads it from a file.",
)
@click.option(
    "-k",
    "--trials",
    "--repetitions",
    "repeats",
    type=click.IntRange(1, MOST_REPETITIONS),
    help="Trials of each task and arm.",
)
@click.option(
    "-j",
    "--jobs",
    "--parallelism",
    type=click.IntRange(1, MOST_AT_ONCE),
    help="Trials at once [default: as the file says, else 2].",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the order of trials.")
@click.option(
    "--sandbox",
    type=click.Choice(["auto", "bubblewrap", "process"]),
    default="auto",
    show_default=True,
    help="The supervisor to use.",
)
@click.option(
    "--auth",
    type=click.Choice(["key", "login"]),
    default="key",
    show_default=True,
    help="Pass the harness's own credential variables, or lend it the user's login.",
)
@click.option(
    "--env", "pass_env", multiple=True, metavar="NAME", help="Pass this variable to setup, agent and checks."
)
@click.option("--name", callback=_name, help="What to call the experiment.")
@click.option("--keep-workspaces", is_flag=True, help="Leave the workspaces on disk and say where.")
@click.option("--dry-run", is_flag=True, help="Show what would run; start no agent, write nothing.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before a harness that costs money is started.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@click.option(
    "--fail-on",
    type=click.Choice(["never", "void", "fail"]),
    help="What makes the exit code 1 [default: fail with one arm, void with several].",
)
@click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    help="The store [default: .bakeoff at the project's root].",
)
def command(
    specs: tuple[str, ...],
    tasks: tuple[str, ...],
    drop: tuple[str, ...],
    tags: tuple[str, ...],
    exclude_tags: tuple[str, ...],
    all_tags: bool,
    no_triggers: bool,
    arms: tuple[str, ...],
    harness: str | None,
    model: str | None,
    options: dict[str, object],
    repeats: int | None,
    jobs: int | None,
    seed: int,
    sandbox: SupervisorKind,
    auth: str,
    pass_env: tuple[str, ...],
    name: str | None,
    keep_workspaces: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    fail_on: str | None,
    home: Path | None,
) -> int:
    """Run the tasks of each SPEC: a suite, a task, an experiment file, a project or a bundled suite.

    `SPEC::TASK` is one task. In an agent-exam project a SPEC is also SUITE, SUITE::TASK,
    SUITE::TASK::CASE, '*' for all suites or '*::TASK'. A SPEC that exists as a path is that path.
    """
    from bakeoff.dialects.load import load_all
    from bakeoff.plan.order import make_order
    from bakeoff.plan.select import Selection
    from bakeoff.store.layout import Layout, find_home

    suite = load_all(specs or (".",), cwd=Path.cwd())
    selection = Selection(
        tasks=tasks,
        drop=drop,
        tags=tags,
        exclude_tags=exclude_tags,
        all_tags=all_tags,
        no_triggers=no_triggers,
        arms=arms,
        harness=harness,
        model=model,
        options=options,
    )
    order = make_order(
        suite,
        selection,
        repeats=repeats,
        jobs=jobs,
        seed=seed,
        sandbox=sandbox,
        auth=auth,
        pass_env=pass_env,
        name=name,
        keep_workspaces=keep_workspaces,
        layout=Layout(home=find_home(Path.cwd(), home, os.environ)),
    )
    if dry_run:
        return show_plan(order, as_json=as_json)
    if auth == "login":
        click.echo(LOGIN_WARNING, err=True)
    _confirm(order.arms, yes=yes)
    return run_and_report(order, as_json=as_json, fail_on=fail_on)


def show_plan(order: Order, *, as_json: bool) -> int:
    """Print what would run, in order, and which harness is missing; no agent is started."""
    import json

    from bakeoff.plan.describe import describe, plan_document
    from bakeoff.run.probing import look_for
    from bakeoff.workspace.environment import clean_path

    _print_warnings(order)
    for arm, probe in look_for(order.arms, clean_path(os.environ)).items():
        if not probe.available:
            click.echo(f"warning: arm {arm!r} cannot run here: {probe.problem}", err=True)
    if as_json:
        click.echo(json.dumps(plan_document(order), indent=2, allow_nan=False))
    else:
        from bakeoff.report.screen import screen_for, write

        write(sys.stdout, screen_for(sys.stdout, os.environ).own(describe(order)) + "\n")
    return 0


def _print_warnings(order: Order) -> None:
    for problem in order.suite.warnings:
        click.echo(str(problem), err=True)


def _confirm(arms: tuple[ReadyArm, ...], *, yes: bool) -> None:
    """Ask once before real harnesses start, when there is a person to ask."""
    paid = sorted({ready.arm.harness for ready in arms if _may_cost(ready)})
    if not paid or yes or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    click.confirm(f"This starts {', '.join(paid)}, which may cost money. Go on?", abort=True, err=True)


def _may_cost(ready: ReadyArm) -> bool:
    """Whether the agent is given anything that it could spend money with."""
    return bool(ready.harness.credentials or getattr(ready.options, "env_passthrough", ()))


def run_and_report(order: Order, *, as_json: bool, fail_on: str | None) -> int:
    """Run the experiment with a progress display and print its report; the exit code."""
    from bakeoff.report.progress import Reporter
    from bakeoff.run.experiment import run_experiment
    from bakeoff.run.gate import exit_code
    from bakeoff.strategy.fixed import Fixed

    _print_warnings(order)
    several = len({task.suite for task in order.tasks}) > 1
    reporter = Reporter(planned=order.planned, name=order.name, several_suites=several)
    try:
        result = run_experiment(order, Fixed(specs=order.specs), reporter)
    finally:
        reporter.stop()
    try:
        _print_result(result, as_json=as_json)
    except OSError as error:
        if not isinstance(error, BrokenPipeError) and not result.interrupted:
            raise
        # The reader of our output has gone away, or the whole terminal: the exit code still counts.
        for stream in (sys.stdout, sys.stderr):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return exit_code(result, fail_on=fail_on, arms=len(order.arms))


def _print_result(result: Result, *, as_json: bool) -> None:
    from bakeoff.report.json import experiment_json
    from bakeoff.report.terminal import print_experiment
    from bakeoff.report.view import experiment_view

    view = experiment_view(result.experiment, result.records)
    if as_json:
        click.echo(experiment_json(view))
    else:
        print_experiment(view)
    for line in result.notices:
        click.echo(f"bakeoff: {line}", err=True)
