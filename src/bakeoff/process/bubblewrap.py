"""The command line that makes a bubblewrap sandbox show a view and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from bakeoff.process.supervise import View
from bakeoff.process.system_layout import SystemLayout

WORKSPACE = "/workspace"
AGENT_HOME = "/home/agent"
TEMPORARY = "/tmp"  # noqa: S108  (a path inside the sandbox, where it is private)

_ISOLATION = (
    *("--unshare-user", "--uid", "1000", "--gid", "1000"),
    *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    # A name that resolves everywhere and tells nothing about the machine.
    *("--hostname", "localhost"),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
)
_EMPTY_FILE = os.path.join(os.path.dirname(__file__), "etc", "empty")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mount:
    """Something of the host at a path of the sandbox; without a source, an empty directory."""

    inner: str
    source: str | None
    writable: bool = False

    def arguments(self) -> tuple[str, ...]:
        if self.source is None:
            return ("--tmpfs", self.inner)
        return ("--bind" if self.writable else "--ro-bind", self.source, self.inner)


def bubblewrap_arguments(view: View, *, cwd: str, layout: SystemLayout) -> list[bytes]:
    """All arguments of bwrap up to, and without, the program.

    Mounts are ordered by depth, so that the more specific one lies on top: a visible path
    below a hidden one can be seen. The root and masks are read-only in the end. Missing
    read-only paths are left out; a missing source of another kind fails when bwrap starts.
    """
    mounts = list(_visible(view, layout))
    masks = list(_masks(view, mounts))
    arguments: list[str] = [*_ISOLATION, "--proc", "/proc", "--dev", "/dev"]
    for path in layout.covered:
        arguments += ["--ro-bind", path, path]
    for path, target in layout.links:
        arguments += ["--symlink", target, path]
    arguments += ["--symlink", TEMPORARY, "/var/tmp", "--dir", "/run"]  # noqa: S108  (inner paths)
    # A mask comes after a mount of the same path: sorting keeps their order.
    for mount in sorted([*mounts, *masks], key=lambda mount: _depth(mount.inner)):
        arguments += mount.arguments()
    for mask in masks:
        if mask.source is None:
            arguments += ["--remount-ro", mask.inner]
    arguments += ["--remount-ro", "/", "--chdir", cwd]
    return [os.fsencode(argument) for argument in arguments]


def _visible(view: View, layout: SystemLayout) -> Iterator[_Mount]:
    """Everything that is shown, each inner path once."""
    moved = {inner: (str(source), writable) for source, (inner, writable) in view.mounts.items()}
    moved |= {
        WORKSPACE: (str(view.workspace), True),
        AGENT_HOME: (str(view.home), True),
        TEMPORARY: (str(view.tmp), True),
    }
    taken = set(moved)
    for inner, (source, writable) in moved.items():
        yield _Mount(inner=inner, source=source, writable=writable)
    for source, inner in layout.read_only:
        if inner not in taken:
            taken.add(inner)
            yield _Mount(inner=inner, source=source)
    for writable, paths in ((True, view.read_write), (False, view.read_only)):
        for path in map(os.path.abspath, paths):
            if not writable and not os.path.exists(path):
                continue
            for inner in _inner_spellings(path, layout):
                if inner not in taken and (writable or not _is_shown(inner, layout)):
                    taken.add(inner)
                    yield _Mount(inner=inner, source=path, writable=writable)


def _is_shown(path: str, layout: SystemLayout) -> bool:
    """Whether a path is part of the system that is shown at its own place."""
    return any(source == inner and is_below(path, inner) for source, inner in layout.read_only)


def _inner_spellings(path: str, layout: SystemLayout) -> list[str]:
    """The paths under which something is known: as given, and with links resolved.

    Below a link that the sandbox has as well, such as /bin, only the resolved one can be mounted.
    """
    real = os.path.realpath(path)
    below_link = any(is_below(path, link) for link, _target in layout.links)
    return [real] if below_link else sorted({path, real})


def _masks(view: View, mounts: list[_Mount]) -> Iterator[_Mount]:
    """What lies over the hidden paths, wherever a mount would show them."""
    sources = [(os.path.realpath(mount.source), mount) for mount in mounts if mount.source is not None]
    for hidden in sorted({os.path.realpath(path) for path in view.hidden}):
        if not os.path.lexists(hidden):
            continue
        for source, mount in sources:
            if source == hidden and mount.writable:
                msg = f"{hidden} is to be hidden and to be shown at {mount.inner}"
                raise ValueError(msg)
            if is_below(hidden, source) or hidden == source:
                inner = os.path.normpath(os.path.join(mount.inner, os.path.relpath(hidden, source)))
                yield _Mount(inner=inner, source=None if os.path.isdir(hidden) else _EMPTY_FILE)


def is_below(path: str, directory: str) -> bool:
    """Whether a path lies truly below a directory, by its spelling."""
    return path.startswith(directory.rstrip("/") + "/")


def _depth(path: str) -> int:
    return path.rstrip("/").count("/")
