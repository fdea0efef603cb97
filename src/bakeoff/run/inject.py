"""Files that an agent must not see, laid down for one check and taken away again."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bakeoff.errors import CheckBroken
from bakeoff.identity import new_id
from bakeoff.model.check import Injection
from bakeoff.workspace.laying import remove_tree


@contextmanager
def injected(items: Iterable[Injection], workspace: Path, aside: Path) -> Iterator[list[str]]:
    """Lay each source exactly at its destination for the length of the block.

    Whatever lies at a destination is moved to `aside` first (a directory on the same file
    system, outside the workspace) and moved back at the end. Links that an agent put on
    the way are replaced by real directories, never followed; directories on the way that
    are closed to their owner are open for the time. Yields the destinations at which
    something was replaced. Raises CheckBroken when a source is gone.
    """
    if os.path.islink(workspace) or not os.path.isdir(workspace):
        raise CheckBroken("the workspace itself was removed, or replaced by something else")
    replaced: list[str] = []
    with ExitStack() as undo:
        _open_up(workspace, workspace, undo)
        for item in items:
            if not item.source.exists():
                raise CheckBroken(f"the file to inject is missing: {item.source}")
            if _lay_down(item, workspace, aside, undo):
                replaced.append(item.dest)
        yield replaced


def _lay_down(item: Injection, workspace: Path, aside: Path, undo: ExitStack) -> bool:
    """Put one item in its place; whether something was there already."""
    parts = [part for part in item.dest.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise CheckBroken(f"the destination {item.dest!r} leaves the workspace")
    if not parts:
        return _lay_over_root(item, workspace, aside, undo)
    directory = workspace
    found = False
    for part in parts[:-1]:
        directory /= part
        found |= _make_directory(directory, workspace, aside, undo)
    place = directory / parts[-1]
    found |= _move_away(place, workspace, aside, undo)
    undo.callback(_take_away, place, workspace)
    _copy(item.source, place)
    return found


def _lay_over_root(item: Injection, workspace: Path, aside: Path, undo: ExitStack) -> bool:
    """A destination that is the workspace itself: each entry of the source is laid down."""
    found = False
    for entry in sorted(item.source.iterdir()):
        found |= _lay_down(Injection(source=entry, dest=entry.name), workspace, aside, undo)
    return found


def _make_directory(directory: Path, workspace: Path, aside: Path, undo: ExitStack) -> bool:
    """Make sure of a real directory; whether something else was in the way."""
    try:
        mode = os.lstat(directory).st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and stat.S_ISDIR(mode):
        _open_up(directory, workspace, undo)
        return False
    found = _move_away(directory, workspace, aside, undo)
    os.mkdir(directory)
    undo.callback(_take_away, directory, workspace)
    return found


def _move_away(place: Path, workspace: Path, aside: Path, undo: ExitStack) -> bool:
    if not os.path.lexists(place):
        return False
    # A directory that its owner may not write to cannot be moved either.
    _open_up(place, workspace, undo)
    kept = aside / new_id("replaced")
    os.rename(place, kept)
    undo.callback(_move_back, kept, place, workspace)
    return True


def _open_up(directory: Path, workspace: Path, undo: ExitStack) -> None:
    """Let the owner of a real directory into it until the end; anything else is left alone."""
    status = os.lstat(directory)
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(directory, status.st_mode | stat.S_IRWXU)
        undo.callback(_close_again, directory, workspace, stat.S_IMODE(status.st_mode))


def _close_again(directory: Path, workspace: Path, mode: int) -> None:
    if _obstacle(directory, workspace) is None and os.path.isdir(directory):
        os.chmod(directory, mode)


def _move_back(kept: Path, place: Path, workspace: Path) -> None:
    _take_away(place, workspace)
    place.parent.mkdir(parents=True, exist_ok=True)
    os.rename(kept, place)


def _take_away(place: Path, workspace: Path) -> None:
    """Remove a place after a command ran that may have put links on the way to it.

    A link between the workspace and the place is removed itself: following it could
    delete something outside that only has the same name.
    """
    _remove(_obstacle(place.parent, workspace) or place)


def _obstacle(directory: Path, workspace: Path) -> Path | None:
    """The first thing on the way to a directory, itself included, that is none; None without one.

    The directories before it are open to their owner afterwards: the command may have closed them.
    """
    inner = directory.relative_to(workspace).parts
    for each in (workspace.joinpath(*inner[:count]) for count in range(len(inner) + 1)):
        try:
            mode = os.lstat(each).st_mode
        except FileNotFoundError:
            return None
        if not stat.S_ISDIR(mode):
            return each
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            os.chmod(each, mode | stat.S_IRWXU)
    return None


def _copy(source: Path, place: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, place, symlinks=True)
    else:
        shutil.copy2(source, place)


def _remove(place: Path) -> None:
    """Remove whatever lies there; a directory with its content, a link without its target."""
    try:
        mode = os.lstat(place).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        remove_tree(place)
    else:
        os.unlink(place)
