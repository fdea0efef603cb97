"""What commands that read the store have in common: the --home option, and opening the store."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from bakeoff.store.database import Store
    from bakeoff.store.layout import Layout

home_option = click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    help="The store [default: BAKEOFF_HOME, else .bakeoff at the project's root].",
)


def find_layout(home: Path | None) -> Layout:
    """The paths of the store that this command is about."""
    from bakeoff.store.layout import Layout, find_home

    return Layout(home=find_home(Path.cwd(), home, os.environ))


def open_store(home: Path | None) -> Store:
    """The store, opened for reading; UserError when nothing is recorded there."""
    from bakeoff.store.database import Store

    return Store.open(find_layout(home), create=False)
