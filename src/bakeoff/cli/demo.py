"""`bakeoff demo`: the bundled tasks and scripted agents, on the real engine."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from bakeoff.process.start import SupervisorKind

EXPLANATION = """
What you saw: three tasks with hidden tests, and three scripted agents that all say they are done.
The agent's word counts for nothing: tests that it never saw decide, and whoever changes
protected files fails before they run.
"""

_NEXT = (
    ("show", "the experiment again"),
    ("show latest::demo::month-end::confident::1", "why one trial failed"),
    ("show latest::demo::month-end::right::1 --diff", "what an agent changed"),
)
"""Commands that a newcomer may try now, and what each shows."""


@click.command(short_help="Run bundled tasks with scripted agents: no key, no network.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@click.option(
    "--sandbox",
    type=click.Choice(["auto", "bubblewrap", "process"]),
    default="auto",
    show_default=True,
    help="The supervisor to use.",
)
@click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    help="The store [default: .bakeoff at the project's root].",
)
def command(as_json: bool, sandbox: SupervisorKind, home: Path | None) -> int:
    """Run three small tasks with three scripted agents and show who passes, and why.

    Workspaces, supervisors, hidden tests and verdicts are the real ones; only the agents
    are scripts. It takes seconds, calls no model and needs no key.
    """
    from bakeoff.cli.run import run_and_report
    from bakeoff.dialects.bundled import bundled_suite
    from bakeoff.dialects.load import load
    from bakeoff.plan.order import make_order
    from bakeoff.plan.select import Selection
    from bakeoff.store.layout import Layout, find_home

    order = make_order(
        load(str(bundled_suite("demo")), cwd=Path.cwd()),
        Selection(arms=("right", "confident", "test-editor")),
        repeats=1,
        jobs=None,
        seed=0,
        sandbox=sandbox,
        auth="key",
        pass_env=(),
        name="demo",
        keep_workspaces=False,
        layout=Layout(home=find_home(Path.cwd(), home, os.environ)),
    )
    code = run_and_report(order, as_json=as_json, fail_on="void")
    if not as_json and code == 0:
        click.echo(EXPLANATION)
        click.echo(_commands(home))
    return code


def _commands(home: Path | None) -> str:
    """What to try next, in words that work where the demo was started."""
    from bakeoff.report.program import program

    start = program(os.environ)
    elsewhere = "" if home is None else f" --home {shlex.quote(str(home))}"
    commands = [(f"{start} {command}{elsewhere}", meaning) for command, meaning in _NEXT]
    width = max(len(command) for command, _ in commands)
    return "\n".join(f"  {command:<{width}}  {meaning}" for command, meaning in commands) + "\n"
