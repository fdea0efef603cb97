"""Copies of everything a task refers to, so that edits in mid-run change nothing."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from bakeoff.errors import HostFailed
from bakeoff.identity import digest_tree, new_id
from bakeoff.model.suite import Arm, Improvement, Objective, Reference, Task


def snapshot(contents: Mapping[Path, str], folder: Path) -> dict[Path, Path]:
    """Copy each path below `folder` under its digest; the map from original to copy.

    A content that is there already is not copied again. Several processes may do the
    same at once: a copy is made aside and renamed. Raises HostFailed when a file changed
    between digest and copy.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return {path: _kept(path, value, folder) for path, value in contents.items()}


def _kept(path: Path, value: str, folder: Path) -> Path:
    place = folder / value / path.name
    if place.exists():
        return place
    aside = folder / new_id("copy")
    aside.mkdir()
    copy = aside / path.name
    if path.is_dir():
        shutil.copytree(path, copy, symlinks=True)
    else:
        shutil.copy2(path, copy)
    if digest_tree(copy) != value:
        shutil.rmtree(aside)
        raise HostFailed(f"{path} changed while it was read")
    try:
        os.rename(aside, folder / value)
    except OSError:
        # Another process was first: its copy has the same content.
        shutil.rmtree(aside)
    return place


def relocated(tasks: Iterable[Task], moved: Mapping[Path, Path]) -> tuple[Task, ...]:
    """The same tasks reading everything they refer to from the copies."""
    return tuple(
        dataclasses.replace(
            task,
            checks=tuple(check.relocated(moved) for check in task.checks),
            reference=_reference(task.reference, moved),
            improvement=_improvement(task.improvement, moved),
        )
        for task in tasks
    )


def relocated_arm(arm: Arm, moved: Mapping[Path, Path]) -> Arm:
    """The same arm laying down the copies."""
    placements = tuple(
        dataclasses.replace(item, source=moved[item.source]) if item.source else item
        for item in arm.placements
    )
    return dataclasses.replace(arm, placements=placements)


def _reference(reference: Reference, moved: Mapping[Path, Path]) -> Reference:
    return dataclasses.replace(
        reference,
        overlay=moved[reference.overlay] if reference.overlay else None,
        partial_overlay=moved[reference.partial_overlay] if reference.partial_overlay else None,
        improve_overlays=tuple(moved[path] for path in reference.improve_overlays),
    )


def _improvement(improvement: Improvement | None, moved: Mapping[Path, Path]) -> Improvement | None:
    if improvement is None:
        return None
    inject = tuple((moved[source], dest) for source, dest in improvement.objective.inject)
    objective: Objective = dataclasses.replace(improvement.objective, inject=inject)
    return dataclasses.replace(improvement, objective=objective)
