"""`bakeoff list`: the recorded experiments, newest first."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bakeoff.cli.store import find_layout, home_option, open_store

if TYPE_CHECKING:
    from bakeoff.report.list_page import ExperimentLine


@click.command(short_help="List recorded experiments.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many to show.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
@home_option
def command(limit: int, as_json: bool, home: Path | None) -> None:
    """List the recorded experiments, newest first: what each was and what it came to."""
    lines, more = _read(limit, home)
    if as_json:
        from bakeoff.report.json import list_json

        click.echo(list_json(lines, more=more))
        return
    if not lines:
        click.echo("nothing is recorded yet: `bakeoff run` and `bakeoff demo` record experiments", err=True)
        return
    from bakeoff.report.list_page import render_list
    from bakeoff.report.screen import screen_for, write

    write(sys.stdout, render_list(lines, screen_for(sys.stdout, os.environ), more=more))


def _read(limit: int, home: Path | None) -> tuple[tuple[ExperimentLine, ...], int]:
    """The newest experiments, and how many older ones there are."""
    if home is None and not find_layout(home).database.is_file():
        # A project in which nothing was run yet is no mistake; a wrong --home is.
        return (), 0
    from bakeoff.report.list_page import experiment_lines
    from bakeoff.store.owner import is_abandoned

    store = open_store(home)
    experiments = store.experiments(limit=limit)
    facts = store.facts(experiment.id for experiment in experiments)
    more = store.count_experiments() - len(experiments)
    return experiment_lines(experiments, facts, is_abandoned), more
