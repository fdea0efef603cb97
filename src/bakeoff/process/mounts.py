"""What a sandbox shows at which path, and what lies over the things that it must not show."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bakeoff.process.supervise import View
from bakeoff.process.system_layout import SystemLayout

WORKSPACE = "/workspace"
AGENT_HOME = "/home/agent"
TEMPORARY = "/tmp"  # noqa: S108  (a path inside the sandbox, where it is private)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """Something of the host at a path of the sandbox.

    Attributes:
        inner: where it is seen.
        source: its host path; None for an empty directory.
        writable: whether the program may write there.
    """

    inner: str
    source: str | None
    writable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A symbolic link that is made in the sandbox."""

    inner: str
    target: str


def shown_by(view: View, layout: SystemLayout) -> list[Mount | Link]:
    """Everything that a view shows on this machine, each inner path once."""
    fixed = _fixed(view, layout)
    below_fixed = [mount.inner for mount in fixed if mount.writable]
    shown = [mount.inner for mount in fixed if mount.source == mount.inner]
    links = {path: target for path, target in layout.links if not _is_in(path, below_fixed)}
    for path in _absolute(view.read_only):
        # A link stays a link: scripts find what belongs to them beside the file that it points to.
        if os.path.islink(path) and not _is_in(path, [*shown, *below_fixed, *links]):
            links[path] = os.path.realpath(path)
    items: dict[str, Mount | Link] = {path: Link(inner=path, target=target) for path, target in links.items()}
    for mount in (*fixed, *_at_their_own_path(view, shown, list(links))):
        items.setdefault(mount.inner, mount)
    return list(items.values())


def _fixed(view: View, layout: SystemLayout) -> list[Mount]:
    """What has its place whatever the host's paths are, and the system."""
    mounts = {
        WORKSPACE: Mount(inner=WORKSPACE, source=str(view.workspace), writable=True),
        AGENT_HOME: Mount(inner=AGENT_HOME, source=str(view.home), writable=True),
        TEMPORARY: Mount(inner=TEMPORARY, source=str(view.tmp), writable=True),
        "/var/tmp": Mount(inner="/var/tmp", source=str(view.tmp), writable=True),  # noqa: S108  (inner)
        # Writable until the end, so that a path below it can be given a place.
        "/etc": Mount(inner="/etc", source=layout.etc, writable=True),
    }
    for source, (inner, writable) in view.mounts.items():
        mounts.setdefault(inner, Mount(inner=inner, source=str(source), writable=writable))
    for host_path, inner in layout.read_only:
        mounts.setdefault(inner, Mount(inner=inner, source=host_path))
    return list(mounts.values())


def _at_their_own_path(view: View, shown: list[str], links: list[str]) -> Iterator[Mount]:
    """The read-write paths, and those read-only ones that exist and are not part of the system."""
    for path in _absolute(view.read_write):
        for inner in _spellings(path, links):
            yield Mount(inner=inner, source=path, writable=True)
    for path in _absolute(view.read_only):
        if os.path.exists(path):
            for inner in _spellings(path, links):
                if not _is_in(inner, shown):
                    yield Mount(inner=inner, source=path)


def _spellings(path: str, links: list[str]) -> list[str]:
    """The paths under which something is to be found: as given, and with links resolved.

    What is reached through a link of the sandbox has its place at the resolved path only.
    """
    real = os.path.realpath(path)
    return [real] if _is_in(path, links) else sorted({path, real})


def masks_over(view: View, items: Iterable[Mount | Link], empty_file: str) -> list[Mount]:
    """What lies over the hidden paths, wherever a mount would show them.

    Raises ValueError when the very same path is to be shown for writing.
    """
    sources = [
        (os.path.realpath(item.source), item)
        for item in items
        if isinstance(item, Mount) and item.source is not None
    ]
    masks: list[Mount] = []
    for hidden in sorted({os.path.realpath(path) for path in view.hidden}):
        if not os.path.lexists(hidden):
            continue
        for source, mount in sources:
            if source == hidden and mount.writable:
                msg = f"{hidden} is to be hidden and to be shown at {mount.inner}"
                raise ValueError(msg)
            if _is_in(hidden, [source]):
                inner = os.path.normpath(os.path.join(mount.inner, os.path.relpath(hidden, source)))
                masks.append(Mount(inner=inner, source=None if os.path.isdir(hidden) else empty_file))
    return masks


def _absolute(paths: Iterable[Path]) -> list[str]:
    return [os.path.abspath(path) for path in paths]


def _is_in(path: str, places: Iterable[str]) -> bool:
    """Whether a path is one of these, or lies below one, by its spelling."""
    return any(path == place or path.startswith(place.rstrip("/") + "/") for place in places)
