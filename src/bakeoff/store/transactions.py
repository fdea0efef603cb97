"""Doing work on the database all or nothing, with patience while others have it locked."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, IntegrityError

from bakeoff.errors import UserError
from bakeoff.store.sqlite import WRITING, is_busy, is_foreign

_PAUSE_S = (0.01, 0.1)
_READING_WRITES = (
    "its directory cannot be written, which reading needs too: copy the store, and name the copy with --home"
)

Result = TypeVar("Result")


class StoreUnusable(UserError):
    """The database cannot be read or written now: locked for too long, full disk, no permission."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transactions:
    """Runs work in transactions of one database.

    Attributes:
        engine: how connections are made; none is held between calls.
        database: the file, for messages.
        patience_s: how long to wait for a lock of another process.
    """

    engine: Engine
    database: Path
    patience_s: float
    _writer: threading.Lock = field(default_factory=threading.Lock)

    def read(self, work: Callable[[Connection], Result]) -> Result:
        """What `work` returns; it sees one state of the database from start to end."""
        return self.patiently(lambda: self._once(work, writing=False))

    def write(self, work: Callable[[Connection], Result]) -> Result:
        """The same for work that writes; all of it happens, or nothing when it raises."""
        deadline = time.monotonic() + self.patience_s
        # The threads of this process queue here, where waiting is fair, not at the file.
        if not self._writer.acquire(timeout=self.patience_s):
            raise self._locked()
        try:
            return self.patiently(lambda: self._once(work, writing=True), deadline=deadline)
        finally:
            self._writer.release()

    def patiently(self, once: Callable[[], Result], *, deadline: float | None = None) -> Result:
        """Call `once`, again from its start while the database is locked; StoreUnusable in the end."""
        last = time.monotonic() + self.patience_s if deadline is None else deadline
        while True:
            try:
                return once()
            except IntegrityError:
                raise
            except DBAPIError as error:
                if not is_busy(error):
                    raise self._unusable(error) from error
                if time.monotonic() > last:
                    raise self._locked() from error
            time.sleep(random.uniform(*_PAUSE_S))  # noqa: S311 - spreads waiting processes, hides nothing

    def _once(self, work: Callable[[Connection], Result], *, writing: bool) -> Result:
        with self.engine.connect() as connection:
            connection.execution_options(**{WRITING: writing})
            with connection.begin():
                return work(connection)

    def _locked(self) -> StoreUnusable:
        return StoreUnusable(
            f"the store {self.database} has been locked by another process for {self.patience_s:g} s",
            hint="end the program that holds it, then try again",
        )

    def _unusable(self, error: DBAPIError) -> UserError:
        if is_foreign(error):
            return UserError(
                f"{self.database} is damaged, or not a database: {error.orig}",
                hint="move it away, or choose another place with --home",
            )
        return StoreUnusable(
            f"cannot use the store {self.database}: {error.orig}",
            hint="" if os.access(self.database.parent, os.W_OK) else _READING_WRITES,
        )
