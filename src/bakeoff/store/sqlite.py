"""Everything about a store that is true of SQLite only: pragmas, locks, and the words of its errors."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

WRITING = "bakeoff_writing"
"""Execution option of a connection that is going to write."""

_WAIT_ONCE_MS = 1_000
"""How long SQLite itself waits for a lock before we look at the clock and try again."""

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_PRIMARY_CODE = 0xFF


def make_engine(path: Path) -> Engine:
    """An engine for the database file at `path`, which must exist.

    No connection outlives its use: threads share nothing and a fork inherits nothing.
    """
    engine = create_engine(URL.create("sqlite", database=os.fspath(path)), poolclass=NullPool)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def create_file(path: Path) -> None:
    """Make an empty database readable by the owner only; one that is there is left as it is.

    It has a write-ahead log: readers and one writer work at the same time.
    """
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    if path.stat().st_size:
        return
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")


def is_busy(error: DBAPIError) -> bool:
    """Whether another connection holds a lock, so that trying again later can succeed."""
    return _primary_code(error) in _BUSY


def is_foreign(error: DBAPIError) -> bool:
    """Whether the file is no SQLite database at all, or a damaged one."""
    return _primary_code(error) in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}


def _primary_code(error: DBAPIError) -> int | None:
    code = getattr(error.orig, "sqlite_errorcode", None)
    return None if code is None else code & _PRIMARY_CODE


def _prepare(connection: sqlite3.Connection, _record: object) -> None:
    # Transactions begin where `_begin` says, not where the driver guesses.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={_WAIT_ONCE_MS}")
    cursor.execute("PRAGMA foreign_keys=ON")
    # A record that was reported as stored survives a power cut.
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()


def _begin(connection: Connection) -> None:
    # A writer takes the lock at once: a read that turns into a write cannot wait for it.
    writing = connection.get_execution_options().get(WRITING, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
