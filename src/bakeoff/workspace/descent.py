"""Going through a directory tree that an agent may have made, without ever following a link.

One directory is open at a time and each step is relative to it, so that neither the depth of
the tree nor the length of a path matters, and no link can lead outside.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from bakeoff.errors import HostFailed

READ = stat.S_IRUSR | stat.S_IXUSR
CHANGE = stat.S_IRWXU
LEAVE_ALONE = 0

_TREE_IS_TO_BLAME = {
    *(0, errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENOTDIR, errno.ENOENT, errno.ENAMETOOLONG),
    *(errno.ENXIO, errno.EISDIR, errno.EOPNOTSUPP),
}

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Descent:
    """A position in a directory tree: the folder where it stands is open as `fd`.

    Folders on which their owner lacks the wanted rights are given them while they are entered
    and put back when they are left.
    """

    def __init__(self, root: Path | bytes, *, rights: int = READ) -> None:
        """Start at `root`, which must be a directory and not a link; OSError otherwise.

        `rights` are READ, CHANGE or LEAVE_ALONE.
        """
        self._rights = rights
        self._above: list[tuple[int, int, int | None]] = []
        self.fd = -1
        self._place, self._restore = self._open(os.fsencode(root), None)

    @property
    def depth(self) -> int:
        """How many folders below the root this is."""
        return len(self._above)

    @property
    def device(self) -> int:
        """The file system of the folder where it stands."""
        return self._place[0]

    def enter(self, name: bytes) -> None:
        """Step into a folder; OSError when it is none or cannot be opened."""
        above = (*self._place, self._restore)
        outer = self.fd
        self._place, self._restore = self._open(name, outer)
        self._above.append(above)
        os.close(outer)

    def leave(self) -> None:
        """Step back; HostFailed when the tree was moved meanwhile."""
        device, inode, restore = self._above.pop()
        inner = self.fd
        self.fd = os.open("..", _OPEN_FOLDER, dir_fd=inner)
        self._put_back(inner)
        found = os.fstat(self.fd)
        self._place, self._restore = (device, inode), restore
        if (found.st_dev, found.st_ino) != self._place:
            raise HostFailed("a directory was moved while it was read")

    def close(self) -> None:
        """Step back to the root and let go of it."""
        if self.fd < 0:
            return
        try:
            while self._above:
                self.leave()
        finally:
            self._put_back(self.fd)
            self.fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self, name: bytes, outer: int | None) -> tuple[tuple[int, int], int | None]:
        restore = None
        try:
            opened = os.open(name, _OPEN_FOLDER, dir_fd=outer)
        except PermissionError:
            if not self._rights:
                raise
            restore = _grant(name, outer, self._rights)
            opened = os.open(name, _OPEN_FOLDER, dir_fd=outer)
        status = os.fstat(opened)
        if status.st_mode & self._rights != self._rights:
            with contextlib.suppress(PermissionError):
                os.fchmod(opened, stat.S_IMODE(status.st_mode) | self._rights)
                restore = stat.S_IMODE(status.st_mode)
        self.fd = opened
        return (status.st_dev, status.st_ino), restore

    def _put_back(self, folder: int) -> None:
        if self._restore is not None:
            with contextlib.suppress(OSError):
                os.fchmod(folder, self._restore)
        os.close(folder)


@contextlib.contextmanager
def readable(name: bytes, folder: int, *, rights: int = READ) -> Iterator[int]:
    """Open a regular file of the open `folder` for reading.

    One that its owner may not read is made readable meanwhile, unless `rights` are LEAVE_ALONE.
    Never blocks, never follows a link; OSError when it is no regular file or cannot be read.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    restore = None
    try:
        opened = os.open(name, flags, dir_fd=folder)
    except PermissionError:
        if not rights:
            raise
        restore = _grant(name, folder, stat.S_IRUSR)
        opened = os.open(name, flags, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise OSError(0, "not a regular file")
        yield opened
    finally:
        if restore is not None:
            os.fchmod(opened, restore)
        os.close(opened)


def blame(error: OSError) -> str:
    """Why something cannot be read, where the tree itself is to blame.

    HostFailed where the machine is: what an agent did not bring about must not count against it.
    """
    if (error.errno or 0) not in _TREE_IS_TO_BLAME:
        raise HostFailed(f"a directory tree cannot be read: {error.strerror or error}") from error
    return error.strerror or str(error)


def _grant(name: bytes, folder: int | None, rights: int) -> int:
    """Give the owner rights to a file or folder, not to what a link points to; the mode before."""
    mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    if stat.S_ISLNK(mode):
        raise PermissionError(0, "a link")
    before = stat.S_IMODE(mode)
    if not hasattr(os, "O_PATH"):
        os.chmod(name, before | rights, dir_fd=folder, follow_symlinks=False)
        return before
    # Linux changes no mode without following links, except through an open descriptor.
    held = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.chmod(f"/proc/self/fd/{held}", before | rights)
    finally:
        os.close(held)
    return before
