"""Finds the fixtures that tasks start from, and what of them cannot be copied."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.dialects.field_types import check_inner_path
from bakeoff.dialects.nodes import Node
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.sources import enclosing_top
from bakeoff.dialects.wording import Refusal
from bakeoff.errors import UserError, Where
from bakeoff.git.call import GitFailed, find_repository, run_git
from bakeoff.identity import display_path
from bakeoff.model.suite import FolderStart
from bakeoff.workspace.descent import LEAVE_ALONE
from bakeoff.workspace.walk import Kind, walk

LEFT_OUT = (".git", ".gitkeep")
"""Names that are not copied, at any depth: a placeholder is not part of what an agent works on."""

_MOST_SHOWN = 3
_LIST_IGNORED = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--")


@dataclass(slots=True, kw_only=True)
class Fixtures:
    """The fixtures of a project; each is looked at once."""

    folder: Path
    problems: Problems
    _starts: dict[str, FolderStart] = field(default_factory=dict)
    _ignored: tuple[bytes, ...] | None = None

    def start(self, name: str | None, node: Node) -> FolderStart:
        """The start of a task with this fixture, or an empty directory; what is wrong is recorded at `node`."""
        if name is None:
            return FolderStart(folder=None)
        if name not in self._starts:
            found = self._find(name, node)
            if found is None:
                return FolderStart(folder=None)
            self._starts[name] = FolderStart(folder=found, leave_out=LEFT_OUT)
            self._look_at(found)
        return self._starts[name]

    def _find(self, name: str, node: Node) -> Path | None:
        try:
            inner = check_inner_path(name)
        except Refusal as refusal:
            message = str(refusal).replace("workspace", "folder of fixtures")
            hint = f"name a directory below {self.problems.shown(Where(self.folder)).file}"
            self.problems.error(node.where, f"`setup.fixture`: {message}", hint)
            return None
        found = self.folder / inner
        if not found.is_dir():
            what = "is not a directory" if os.path.lexists(found) else "does not exist"
            self.problems.error(
                node.where, f"`setup.fixture`: {found} {what}", suggestion(name, self._names())
            )
            return None
        if not Path(os.path.realpath(found)).is_relative_to(os.path.realpath(self.folder)):
            self.problems.error(
                node.where,
                f"`setup.fixture`: {quoted(name)} is a link that leaves the folder of fixtures",
                "copy what it leads to",
            )
            return None
        return found

    def _names(self) -> list[str]:
        try:
            return sorted(each.name for each in self.folder.iterdir() if each.is_dir())
        except OSError:
            return []

    def _look_at(self, fixture: Path) -> None:
        """Record what cannot be copied, and warn about directories that would be lost."""
        empty = []
        try:
            for found in walk(Path(os.path.realpath(fixture)), rights=LEAVE_ALONE, skip=_is_left_out):
                if found.kind is Kind.EMPTY_FOLDER:
                    empty.append(found.path)
                elif found.kind not in {Kind.FILE, Kind.LINK, Kind.GIT}:
                    reason = found.reason or found.kind.name.lower().replace("_", " ")
                    place = Where(fixture / os.fsdecode(found.path))
                    self.problems.error(place, f"cannot be copied: {reason}", "remove it from the fixture")
        except (OSError, UserError) as error:
            self.problems.error(Where(fixture), f"cannot be read: {error}")
        if empty:
            self.problems.warning(
                Where(fixture),
                f"directories without a file are not there for the agent: {_few(empty)}",
                "put a file into them that may be seen; `.gitkeep` is not copied",
            )
        below = os.fsencode(fixture.relative_to(self.folder)) + b"/"
        ignored = [path.removeprefix(below) for path in self._ignored_paths() if path.startswith(below)]
        if ignored:
            self.problems.warning(
                Where(fixture),
                f"git ignores files that are copied to the agent: {_few(ignored)}",
                "who clones the project starts from other files: let git track them, or remove them",
            )

    def _ignored_paths(self) -> tuple[bytes, ...]:
        """The files and directories of all fixtures that git ignores; none outside of a checkout."""
        if self._ignored is None:
            try:
                self._ignored = _ignored_below(self.folder)
            except (GitFailed, UserError):
                # Fixtures are plain directories: a checkout that git cannot read is no obstacle.
                self._ignored = ()
        return self._ignored


def _ignored_below(folder: Path) -> tuple[bytes, ...]:
    top = enclosing_top(folder)
    repository = find_repository(top) if top is not None else None
    if repository is None or repository.work_tree is None:
        return ()
    listing = run_git(
        [*_LIST_IGNORED, "."], git_dir=repository.git_dir, work_tree=repository.work_tree, cwd=folder
    )
    return tuple(path for path in listing.split(b"\0") if path)


def _few(paths: list[bytes]) -> str:
    more = f" and {len(paths) - _MOST_SHOWN} more" if len(paths) > _MOST_SHOWN else ""
    return ", ".join(display_path(path) for path in paths[:_MOST_SHOWN]) + more


def _is_left_out(path: bytes) -> bool:
    return os.fsdecode(path.rpartition(b"/")[2]) in LEFT_OUT
