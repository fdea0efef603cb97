"""Sealing starting files: one commit without a past, from which nothing else can be reached.

Templates are kept in a cache by what they hold: the same files always have the same commit and
the same template, whoever asks for them. Many processes may seal at once.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from bakeoff.errors import HostFailed, UserError
from bakeoff.git.call import GitFailed
from bakeoff.git.objects import SUBMODULE, commit_data, object_id, tree_data
from bakeoff.git.tree import make_tree
from bakeoff.model.suite import FolderStart, GitStart, Placement
from bakeoff.workspace.laying import remove_tree
from bakeoff.workspace.placements import (
    exclude_line,
    overlay,
    read_placement,
    refuse_what_is_in_the_way,
    target_of,
    touches,
)
from bakeoff.workspace.sealed import DATE, SEAL_VERSION, Identity, Sealed, load_seal
from bakeoff.workspace.start import Files, read_start
from bakeoff.workspace.template import build_template

PERSON = "Developer <developer@example.invalid>"


def seal(start: GitStart | FolderStart, placements: tuple[Placement, ...], *, cache: Path) -> Sealed:
    """The sealed starting files of a task with the placements of an arm.

    Only placements over tracked paths become part of them; `place` lays the others. Call it
    once for each pair of start and placements when an experiment begins: what is sealed then
    does not change with the source. Raises UserError for what the user must mend.
    """
    files = read_start(start)
    _refuse_bad_placements(files, placements)
    inside = {number for number, placement in enumerate(placements) if touches(files.leaves, placement)}
    sealed = _sealed(files, placements, inside, cache)
    shown = _shown_by_rules(sealed, placements, inside)
    if shown:
        sealed = _sealed(files, placements, inside | shown, cache)
    return dataclasses.replace(
        sealed,
        placed=tuple(placements[number] for number in sorted(inside | shown)),
        warnings=(*files.warnings, *_warnings(files, sealed)),
    )


def _refuse_bad_placements(files: Files, placements: tuple[Placement, ...]) -> None:
    targets = [target_of(placement) for placement in placements]
    for number, placement in enumerate(placements):
        if targets[number] in targets[:number]:
            raise UserError(f"two placements go to {placement.target!r}")
        refuse_what_is_in_the_way(files, placement)
        read_placement(placement)


def _sealed(files: Files, placements: tuple[Placement, ...], inside: set[int], cache: Path) -> Sealed:
    for number in sorted(inside):
        files = overlay(files, placements[number])
    identity = _identity(files)
    template = cache / f"{SEAL_VERSION}-{identity.commit}"
    found = load_seal(template)
    if found is not None:
        return found
    try:
        os.makedirs(cache, mode=0o700, exist_ok=True)
        with _locked(cache / f"{template.name}.lock"):
            found = load_seal(template)
            return found if found is not None else _built(files, identity, template)
    except (OSError, GitFailed, HostFailed) as error:
        raise UserError(f"{files.origin} cannot be sealed in {cache}: {error}") from error


def _identity(files: Files) -> Identity:
    tree = make_tree(
        files.leaves, lambda entries: object_id(b"tree", tree_data(entries), files.object_format)
    ).id
    data = commit_data(tree, person=PERSON, date=DATE, message="Initial commit")
    return Identity(object_id(b"commit", data, files.object_format), tree, files.object_format)


def _built(files: Files, identity: Identity, template: Path) -> Sealed:
    """Build a template beside its place, then move it there; only called under its lock."""
    for leftover in template.parent.glob(f"{template.name}.*-*"):
        remove_tree(leftover)
    building = template.with_name(f"{template.name}.new-{secrets.token_hex(4)}")
    building.mkdir(mode=0o700)
    try:
        build_template(
            files,
            identity,
            commit_data(identity.tree, person=PERSON, date=DATE, message="Initial commit"),
            building,
        )
        if os.path.lexists(template):
            # It is damaged. Whoever still reads it keeps the files that are open.
            os.rename(template, template.with_name(f"{template.name}.old-{secrets.token_hex(4)}"))
        os.rename(building, template)
    except BaseException:
        remove_tree(building)
        raise
    for leftover in template.parent.glob(f"{template.name}.old-*"):
        remove_tree(leftover)
    sealed = load_seal(template)
    if sealed is None:
        raise HostFailed("a sealed template cannot be read back", str(template))
    return sealed


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock that ends with the process; the file stays, as removing it would race."""
    opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def _shown_by_rules(sealed: Sealed, placements: tuple[Placement, ...], inside: set[int]) -> set[int]:
    """Placements that `info/exclude` could not hide, because a rule of the commit brings them back."""
    rules = sealed.path / "rules"
    if not any(line.startswith(b"!") for path in rules.rglob(".gitignore") for line in _lines(path)):
        return set()
    placed = {
        number: set(read_placement(placement)[0])
        for number, placement in enumerate(placements)
        if number not in inside
    }
    lines = b"".join(exclude_line(path) for paths in placed.values() for path in paths)
    hidden = sealed.ignored({path for paths in placed.values() for path in paths}, besides=lines)
    return {number for number, paths in placed.items() if paths - hidden}


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()


def _warnings(files: Files, sealed: Sealed) -> Iterator[str]:
    submodules = [os.fsdecode(path) for path, file in sealed.files.items() if file.mode == SUBMODULE]
    if submodules:
        yield f"Submodules are empty folders in the workspace: {_some(submodules)}."
    if sealed.pointers:
        names = [os.fsdecode(path) for path in sealed.pointers]
        yield f"Files in Git LFS are only pointers in the workspace: {_some(names)}."
    yield from _told_names(files, sealed)


def _told_names(files: Files, sealed: Sealed) -> Iterator[str]:
    names = {path.rpartition(b"/")[2] for path in files.hidden}
    for path, file in sealed.files.items():
        if names and path.rpartition(b"/")[2] in {b".gitattributes", b".gitmodules", b".gitignore"}:
            data = sealed.read(file)
            told = sorted(os.fsdecode(name) for name in names if name in data)
            if told:
                yield f"{os.fsdecode(path)} names hidden files: {_some(told)}."


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
