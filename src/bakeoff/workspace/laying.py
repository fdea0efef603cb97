"""Writing and removing single paths below a directory without passing through any link."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from bakeoff.git.objects import EXECUTABLE, FILE, LINK
from bakeoff.workspace.descent import CHANGE, Descent, readable
from bakeoff.workspace.walk import walk

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextlib.contextmanager
def folder_of(root: Path, path: bytes, *, make: bool) -> Iterator[int]:
    """The open folder that holds `path`; made on the way if `make` says so.

    NotADirectoryError when a file or link is in the way, FileNotFoundError when a folder is
    missing and not made.
    """
    opened = os.open(root, _OPEN_FOLDER)
    try:
        for part in path.split(b"/")[:-1]:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=opened)
            inner = _open_part(part, opened)
            os.close(opened)
            opened = inner
        yield opened
    finally:
        os.close(opened)


def _open_part(part: bytes, folder: int) -> int:
    try:
        return os.open(part, _OPEN_FOLDER, dir_fd=folder)
    except OSError as error:
        # A link gives ELOOP or ENOTDIR, depending on the system.
        if stat.S_ISLNK(os.stat(part, dir_fd=folder, follow_symlinks=False).st_mode):
            raise NotADirectoryError(f"a link is in the way: {os.fsdecode(part)}") from error
        raise


def write(root: Path, path: bytes, mode: int, data: bytes) -> None:
    """Make a file, an executable or a link; whatever was at the path is gone before."""
    remove(root, path)
    name = path.rpartition(b"/")[2]
    with folder_of(root, path, make=True) as folder:
        if mode == LINK:
            os.symlink(data, name, dir_fd=folder)
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        opened = os.open(name, flags, 0o600, dir_fd=folder)
        with open(opened, "wb") as file:
            file.write(data)
            os.fchmod(opened, 0o755 if mode == EXECUTABLE else 0o644)


def read_below(root: Path, path: bytes) -> dict[bytes, tuple[int, bytes]] | None:
    """Mode and content of the file or link at `path`, or of all below the folder there.

    None when something else is there that this cannot tell.
    """
    name = path.rpartition(b"/")[2]
    try:
        with folder_of(root, path, make=False) as folder:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if not stat.S_ISDIR(status.st_mode):
                single = _read(name, folder, status)
                return None if single is None else {path: single}
    except OSError:
        return None
    found: dict[bytes, tuple[int, bytes]] = {}
    for each in walk(root / os.fsdecode(path)):
        held = None if each.status is None else _read(each.name, each.folder, each.status)
        if held is None:
            return None
        found[path + b"/" + each.path] = held
    return found


def _read(name: bytes, folder: int, status: os.stat_result) -> tuple[int, bytes] | None:
    if stat.S_ISLNK(status.st_mode):
        return LINK, os.readlink(name, dir_fd=folder)
    if not stat.S_ISREG(status.st_mode):
        return None
    with readable(name, folder) as opened, open(opened, "rb", closefd=False) as file:
        return (EXECUTABLE if status.st_mode & stat.S_IXUSR else FILE), file.read()


def remove(root: Path, path: bytes) -> bool:
    """Remove whatever is at `path`, with everything below it; False when there was nothing.

    A folder that becomes empty goes too, as git would have it, up to `root`.
    """
    name = path.rpartition(b"/")[2]
    try:
        with folder_of(root, path, make=False) as folder:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if not stat.S_ISDIR(status.st_mode):
                os.unlink(name, dir_fd=folder)
            else:
                remove_tree(os.path.join(os.fsencode(root), path))
    except FileNotFoundError:
        return False
    _remove_empty(root, path.rpartition(b"/")[0])
    return True


def _remove_empty(root: Path, path: bytes) -> None:
    while path:
        above, _, name = path.rpartition(b"/")
        try:
            with folder_of(root, path, make=False) as folder:
                os.rmdir(name, dir_fd=folder)
        except OSError:
            return
        path = above


def remove_tree(root: Path | bytes) -> None:
    """Remove a directory with everything in it, however deep, whatever the modes say.

    Links are removed, never followed. FileNotFoundError when it is not there.
    """
    with Descent(root, rights=CHANGE) as place:
        waiting = [(b"", _emptied(place))]
        while True:
            name, folders = waiting[-1]
            if folders:
                inner = folders.pop()
                place.enter(inner)
                waiting.append((inner, _emptied(place)))
                continue
            waiting.pop()
            if not waiting:
                break
            place.leave()
            os.rmdir(name, dir_fd=place.fd)
    os.rmdir(root)


def _emptied(place: Descent) -> list[bytes]:
    """Remove everything here that is no folder; the names of the folders."""
    folders: list[bytes] = []
    with os.scandir(place.fd) as entries:
        listed = [(os.fsencode(entry.name), entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in listed:
        if is_folder:
            folders.append(name)
        else:
            os.unlink(name, dir_fd=place.fd)
    return folders
