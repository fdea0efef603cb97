"""Concurrency groups: how many trials of a group run at once, over all processes on one store.

Each group has as many slot files as its cap says, and whoever runs a trial of it holds a
lock on one of them, which the kernel releases when the process dies. A process that has nothing else to do
than to wait for a group queues up by a ticket, a locked file too: a slot is taken only when no living ticket of
another process is older. So nobody starves, and a dead process keeps nobody waiting.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from bakeoff.errors import UserError
from bakeoff.identity import digest
from bakeoff.model.suite import Task

Leave = Callable[[], None]
"""Gives the place in a group back."""

_TICKET = re.compile(r"ticket-(\d+)\.lock")


class Groups:
    """The groups of one experiment; its methods are called by one thread at a time."""

    def __init__(self, locks: Path, caps: Mapping[str, int]) -> None:
        """`locks` is the directory of lock files of the store, `caps` how many may run at once.

        Raises UserError when the lock files cannot be used.
        """
        with _usable_locks():
            self._groups = {
                name: _Group(locks / f"group-{digest(name)[:24]}", cap) for name, cap in caps.items()
            }

    def enter(self, task: Task) -> Leave | None:
        """Take a place for a trial of this task; None when it has to wait for one.

        Raises UserError when the lock files cannot be used.
        """
        if task.concurrency_group is None:
            return _nothing_to_leave
        with _usable_locks():
            return self._groups[task.concurrency_group].enter()

    def queue_up(self, names: Iterable[str]) -> None:
        """Wait for these groups and for no other: nobody who comes later gets a place before."""
        wanted = set(names)
        with _usable_locks():
            for name, group in self._groups.items():
                if name in wanted:
                    group.queue_up()
                else:
                    group.step_back()


class _Group:
    """The lock files of one group, in a directory of its own."""

    def __init__(self, folder: Path, cap: int) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder
        self._cap = cap
        self._ticket: tuple[int, int] | None = None
        """Number and open file, while this process waits in the queue."""

    def enter(self) -> Leave | None:
        with self._alone() as alone:
            if not alone or self._others_are_before():
                return None
            slot = self._free_slot()
        if slot is None:
            return None
        self.step_back()
        return lambda: _release(slot)

    def queue_up(self) -> None:
        if self._ticket is not None:
            return
        with self._alone() as alone:
            # Another process is at it just now: the next attempt will do.
            if alone:
                number = max(self._tickets(), default=0) + 1
                file = _try_lock(self._path(number))
                assert file is not None, "nobody else can have locked a ticket that did not exist"
                self._ticket = (number, file)

    def step_back(self) -> None:
        if self._ticket is not None:
            number, file = self._ticket
            self._ticket = None
            self._path(number).unlink(missing_ok=True)
            os.close(file)

    def _others_are_before(self) -> bool:
        """Whether a living process waits for longer; tickets of dead ones are taken away."""
        for number in self._tickets():
            if self._ticket is not None and number >= self._ticket[0]:
                return False
            if _is_locked(self._path(number)):
                return True
            self._path(number).unlink(missing_ok=True)
        return False

    def _tickets(self) -> list[int]:
        return sorted(
            int(found[1]) for name in os.listdir(self._folder) if (found := _TICKET.fullmatch(name))
        )

    def _path(self, number: int) -> Path:
        return self._folder / f"ticket-{number}.lock"

    def _free_slot(self) -> int | None:
        slots = (_try_lock(self._folder / f"slot-{number}.lock") for number in range(self._cap))
        return next((slot for slot in slots if slot is not None), None)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[bool]:
        """Whether no other process looks at the group at this moment; it is never waited for."""
        file = _try_lock(self._folder / "queue.lock")
        try:
            yield file is not None
        finally:
            if file is not None:
                os.close(file)


def _try_lock(path: Path) -> int | None:
    """The open file once this process holds the lock on it; None when another one does."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    except BaseException:
        os.close(file)
        raise
    return file


def _is_locked(path: Path) -> bool:
    """Whether a living process holds the lock on a file; never on one that is gone."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(file)


def _release(file: int) -> None:
    # Said outright: a child that is being started may hold a copy of the file for a moment.
    fcntl.flock(file, fcntl.LOCK_UN)
    os.close(file)


def _nothing_to_leave() -> None:
    """A task without a group has no place to give back."""


@contextlib.contextmanager
def _usable_locks() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(
            f"the lock files of concurrency groups cannot be used: {error.strerror or error}",
            hint="they lie below `locks` in the store: choose a place on a local disk with --home",
        ) from error
