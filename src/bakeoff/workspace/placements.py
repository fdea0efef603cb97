"""Laying placements into the starting files and into a workspace.

A placement over tracked paths is part of the workspace's one commit: it is overlaid before
the files are sealed. Any other is laid into the workspace after setup and kept out of
`git status` by `info/exclude`. Either way git shows nothing that Bakeoff laid down.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from bakeoff.errors import SetupFailed, UserError
from bakeoff.git.objects import LINK, Leaf
from bakeoff.model.suite import Placement
from bakeoff.workspace import laying
from bakeoff.workspace.create import Workspace
from bakeoff.workspace.exclusions import is_unsafe
from bakeoff.workspace.sealed import Sealed
from bakeoff.workspace.start import Content, Files, file_leaf, read_files

_SPECIAL_IN_RULES = b"\\*?[!# "


def target_of(placement: Placement) -> bytes:
    """Where a placement goes, as a path; UserError when it leaves the workspace or enters `.git`."""
    path = os.fsencode(placement.target).rstrip(b"/")
    parts = path.split(b"/")
    if not path or any(part in {b"", b".", b".."} for part in parts) or is_unsafe(path, is_link=False):
        raise UserError(f"{placement.name} cannot be placed at {placement.target!r}")
    return path


def read_placement(
    placement: Placement, *, object_format: str = "sha1"
) -> tuple[dict[bytes, Leaf], dict[bytes, Content]]:
    """The files of a placement at their paths in the workspace; none when it removes."""
    target = target_of(placement)
    if placement.source is None:
        return {}, {}
    source = Path(os.path.realpath(placement.source))
    if source.is_file():
        return {target: file_leaf(source, object_format)}, {target: source}
    if not source.is_dir():
        raise UserError(f"{placement.name}: {placement.source} is neither a file nor a folder")
    leaves, local = read_files(source, object_format=object_format)
    below = {path: target + b"/" + path for path in leaves}
    return (
        {below[path]: leaf for path, leaf in leaves.items()},
        {below[path]: content for path, content in local.items()},
    )


def overlay(files: Files, placement: Placement) -> Files:
    """The starting files with a placement in the place of what is at its target."""
    target = target_of(placement)
    refuse_what_is_in_the_way(files, placement)
    leaves, local = read_placement(placement, object_format=files.object_format)
    kept = [path for path in files.leaves if not is_at_or_below(path, target)]
    return Files(
        leaves={path: files.leaves[path] for path in kept} | leaves,
        local={path: content for path, content in files.local.items() if not is_at_or_below(path, target)}
        | local,
        objects=files.objects,
        object_format=files.object_format,
        origin=files.origin,
        hidden=files.hidden,
        warnings=files.warnings,
    )


def refuse_what_is_in_the_way(files: Files, placement: Placement) -> None:
    """UserError when a tracked file or link stands where a placement needs a folder."""
    above = target_of(placement).rpartition(b"/")[0]
    while above:
        leaf = files.leaves.get(above)
        if leaf is not None:
            what = "a link" if leaf[0] == LINK else "a file"
            raise UserError(
                f"{placement.name} cannot be placed at {placement.target!r}:"
                f" {os.fsdecode(above)!r} is {what} in {files.origin}"
            )
        above = above.rpartition(b"/")[0]


def is_at_or_below(path: bytes, target: bytes) -> bool:
    """Whether `path` is `target` or lies in it."""
    return path == target or path.startswith(target + b"/")


def touches(paths: Iterable[bytes], placement: Placement) -> bool:
    """Whether a placement replaces, or is to replace, any of these paths."""
    target = target_of(placement)
    return any(is_at_or_below(path, target) for path in paths)


def exclude_line(path: bytes) -> bytes:
    """A line of an exclude file that matches exactly this path."""
    escaped = b"".join(b"\\" + bytes([byte]) if byte in _SPECIAL_IN_RULES else bytes([byte]) for byte in path)
    # A line cannot hold its own end; one unknown character stands for it.
    return b"/" + escaped.replace(b"\n", b"?").replace(b"\r", b"?") + b"\n"


def place(workspace: Workspace, sealed: Sealed, placements: tuple[Placement, ...]) -> None:
    """Lay all placements of an arm, in order, after setup.

    What is at a target that is not part of the commit is replaced by exactly the source.
    Placements that are part of the commit are laid again where setup changed them. SetupFailed
    when setup left a file or link where a folder is needed. ValueError when a placement over
    tracked paths was not sealed.
    """
    for placement in placements:
        if touches(sealed.files, placement) and not _is_sealed(placement, sealed):
            raise ValueError(f"a placement over tracked paths was not sealed: {placement.target}")
    excluded: list[bytes] = []
    for placement in placements:
        try:
            if touches(sealed.files, placement):
                _lay_again(workspace.path, sealed, target_of(placement))
            else:
                excluded += _lay(workspace.path, placement)
        except OSError as error:
            raise SetupFailed(
                f"{placement.name} cannot be placed at {placement.target!r}: {error.strerror or error}"
            ) from error
    if excluded:
        with open(workspace.path / ".git" / "info" / "exclude", "ab") as file:
            file.writelines(exclude_line(path) for path in excluded)


def _is_sealed(placement: Placement, sealed: Sealed) -> bool:
    return any(
        (each.target, each.source is None) == (placement.target, placement.source is None)
        for each in sealed.placed
    )


def _lay(root: Path, placement: Placement) -> Collection[bytes]:
    leaves, local = read_placement(placement)
    laying.remove(root, target_of(placement))
    for path, (mode, _) in leaves.items():
        content = local[path]
        laying.write(root, path, mode, content if isinstance(content, bytes) else content.read_bytes())
    return leaves


def _lay_again(root: Path, sealed: Sealed, target: bytes) -> None:
    wanted: Mapping[bytes, tuple[int, bytes]] = {
        path: (file.mode, sealed.read(file))
        for path, file in sealed.files.items()
        if is_at_or_below(path, target)
    }
    if laying.read_below(root, target) == wanted:
        return
    laying.remove(root, target)
    for path, (mode, data) in wanted.items():
        laying.write(root, path, mode, data)
