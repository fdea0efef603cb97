"""What a SPEC names in a project: all suites, one, a task of it, or a case of that."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from bakeoff.dialects.agent_exam.project import SUFFIXES, TASKS, Project
from bakeoff.dialects.problems import quoted
from bakeoff.errors import UserError

ALL = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A part of a project; None stands for all.

    Attributes:
        case: its name, or its position from 0, positives first.
        depth: how many of the three levels are said, be it with `*`.
    """

    project: Project
    suite: str | None = None
    task: str | None = None
    case: str | None = None
    depth: int = 0

    def narrowed(self, parts: tuple[str, ...], spec: str) -> Target:
        """The part of it that further parts of a SPEC name; UserError when there are too many."""
        levels = ("suite", "task", "case")[self.depth :]
        if len(parts) > len(levels):
            raise UserError(
                f"{quoted(spec)} has too many parts", hint="write suite::task, or suite::task::case"
            )
        chosen = {level: part for level, part in zip(levels, parts, strict=False) if part != ALL}
        if parts and parts[-1] == ALL:
            raise UserError(
                f"{quoted(spec)} ends with `*`", hint="leave the last part out: everything below is meant"
            )
        return replace(
            self,
            suite=chosen.get("suite", self.suite),
            task=chosen.get("task", self.task),
            case=chosen.get("case", self.case),
            depth=self.depth + len(parts),
        )


def target_of(path: Path, project: Project) -> Target | None:
    """What a path inside of a project's suites names; None for a path elsewhere."""
    real, suites = os.path.realpath(path), os.path.realpath(project.suites)
    if not Path(real).is_relative_to(suites):
        return None
    parts = Path(real).relative_to(suites).parts
    target = Target(project=project, suite=parts[0] if parts else None, depth=min(1, len(parts)))
    is_task = len(parts) == 3 and parts[1] == TASKS and Path(real).suffix in SUFFIXES
    return replace(target, task=Path(real).stem, depth=2) if is_task else target


def suite_folders(project: Project) -> list[Path]:
    """The folders of a project's suites, by name."""
    try:
        found = sorted(project.suites.iterdir())
    except OSError:
        return []
    return [each for each in found if each.is_dir() and not each.name.startswith(".")]
