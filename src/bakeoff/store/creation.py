"""Making a store's database on first use, and refusing one that this version cannot read."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, insert, inspect, select

from bakeoff import __version__
from bakeoff.errors import UserError
from bakeoff.store.layout import Layout
from bakeoff.store.schema import METADATA, SCHEMA, VERSION
from bakeoff.store.sqlite import WRITING, create_file


def create(engine: Engine, layout: Layout) -> None:
    """Make the tables unless they are there; any number of processes may do it at once."""
    layout.create()
    with _only_one(layout.lock("store")):
        create_file(layout.database)
        with engine.connect() as connection:
            connection.execution_options(**{WRITING: True})
            with connection.begin():
                _make_tables(connection)


def _make_tables(connection: Connection) -> None:
    if inspect(connection).get_table_names():
        return
    METADATA.create_all(connection, checkfirst=False)
    connection.execute(insert(SCHEMA).values(version=VERSION, bakeoff_version=__version__))


def check(connection: Connection, database: Path) -> None:
    """UserError when the tables are not the ones that this version reads and writes."""
    if not inspect(connection).has_table(SCHEMA.name):
        raise UserError(f"{database} is not a store of Bakeoff", hint="choose another place with --home")
    version, written_by = connection.execute(select(SCHEMA.c.version, SCHEMA.c.bakeoff_version)).one()
    if version > VERSION:
        raise UserError(
            f"the store {database} was made by a newer Bakeoff ({written_by}): its format is {version}, "
            f"this version ({__version__}) reads up to {VERSION}",
            hint="upgrade Bakeoff, or choose another place with --home",
        )
    if version < VERSION:
        raise UserError(
            f"the store {database} has format {version} of Bakeoff {written_by}; "
            f"this version ({__version__}) reads {VERSION} only",
            hint="choose another place with --home, or read it with the version that made it",
        )


@contextmanager
def _only_one(path: Path) -> Iterator[None]:
    """Wait until no other process is in this block."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise UserError(
            f"the store {path.parent.parent} cannot be written: {error.strerror or error}",
            hint="choose another place with --home",
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
