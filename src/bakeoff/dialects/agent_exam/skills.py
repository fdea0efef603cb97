"""Which skills a project stages, and names of skills that nothing stages."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bakeoff.dialects.agent_exam.config import Config
from bakeoff.dialects.agent_exam.project import Project
from bakeoff.dialects.nodes import Scalar, Sequence
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.errors import Where
from bakeoff.model.suite import Unsupported

DEFAULT = "skills"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skills:
    """The skills of a project.

    Attributes:
        names: of all skills in its directories.
        unsupported: the directories, which `run` cannot stage yet.
        are_known: whether every skill is among `names`; a hook may bring others.
    """

    names: tuple[str, ...] = ()
    unsupported: tuple[Unsupported, ...] = ()
    are_known: bool = False

    def check(self, places: Iterable[Scalar], problems: Problems) -> None:
        """Warn about skills that nothing stages: what asks whether they stay quiet always passes."""
        for place in places:
            if self.are_known and not self._has(place.text):
                problems.warning(
                    place.where,
                    f"no skill of the project is called {quoted(place.text)}",
                    _near(place.text, self.names),
                )

    def require(self, places: Iterable[Scalar], problems: Problems) -> None:
        """Record skills that should be evaluated and are not there."""
        for place in places:
            if self.are_known and not self._has(place.text):
                problems.error(
                    place.where,
                    f"`evaluated_skills`: no skill of the project is called {quoted(place.text)}",
                    _near(place.text, self.names),
                )

    def _has(self, name: str) -> bool:
        return name.partition(":")[2] in self.names if ":" in name else name in self.names


def _near(name: str, names: tuple[str, ...]) -> str:
    return suggestion(name, names) if names else "the directories of skills are empty"


def read_skills(project: Project, config: Config, problems: Problems) -> Skills:
    """The skills of the configured directories, or of `skills` when it exists."""
    folders, unsupported = _folders(project, config, problems)
    names = dict.fromkeys(name for folder in folders for name in _names(folder))
    return Skills(
        names=tuple(names),
        unsupported=unsupported,
        are_known=bool(folders) and not project.unsupported,
    )


def _folders(
    project: Project, config: Config, problems: Problems
) -> tuple[list[Path], tuple[Unsupported, ...]]:
    if config.said.skills_dirs is None or config.node is None:
        default = project.root / DEFAULT
        if not default.is_dir():
            return [], ()
        return [default], (Unsupported(field="skills_dirs", where=problems.shown(Where(default))),)
    written = config.node.at("skills_dirs")
    places = written.items if isinstance(written, Sequence) else ()
    found = []
    for text, place in zip(config.said.skills_dirs, places, strict=False):
        folder = Path(os.path.normpath(project.root / text))
        if folder.is_dir():
            found.append(folder)
        else:
            what = "is not a directory" if os.path.lexists(folder) else "does not exist"
            problems.error(
                place.where, f"`skills_dirs`: {folder} {what}", "the path is relative to the project's root"
            )
    where = problems.shown(config.node.key_where("skills_dirs"))
    return found, (Unsupported(field="skills_dirs", where=where),) if places else ()


def _names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir() if (each / "SKILL.md").is_file())
