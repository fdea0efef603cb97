"""The command line that makes a bubblewrap sandbox show a view and nothing else."""

from __future__ import annotations

import os

from bakeoff.process.mounts import Link, Mount, masks_over, shown_by
from bakeoff.process.supervise import View
from bakeoff.process.system_layout import SystemLayout

_ISOLATION = (
    *("--unshare-user", "--uid", "1000", "--gid", "1000"),
    *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    # A name that resolves everywhere and tells nothing about the machine.
    *("--hostname", "localhost"),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
)


def bubblewrap_arguments(view: View, *, cwd: str, layout: SystemLayout) -> list[bytes]:
    """All arguments of bwrap up to, and without, the program.

    Mounts are ordered by depth, so that the more specific one lies on top: a visible path
    below a hidden one can be seen. The root, /etc and masks are read-only in the end. Missing
    read-only paths are left out; a missing source of another kind fails when bwrap starts.
    """
    items = shown_by(view, layout)
    masks = masks_over(view, items, layout.empty_file)
    arguments: list[str] = [*_ISOLATION, "--proc", "/proc", "--dev", "/dev"]
    for path in layout.covered:
        arguments += ["--ro-bind", path, path]
    arguments += ["--dir", "/run"]
    # A mask comes after a mount of the same path: sorting keeps their order.
    for item in sorted([*items, *masks], key=lambda item: item.inner.count("/")):
        arguments += _arguments(item)
    for inner in ("/etc", *(mask.inner for mask in masks if mask.source is None), "/"):
        arguments += ["--remount-ro", inner]
    arguments += ["--chdir", cwd]
    return [os.fsencode(argument) for argument in arguments]


def _arguments(item: Mount | Link) -> tuple[str, ...]:
    if isinstance(item, Link):
        return ("--symlink", item.target, item.inner)
    if item.source is None:
        return ("--tmpfs", item.inner)
    return ("--bind" if item.writable else "--ro-bind", item.source, item.inner)
