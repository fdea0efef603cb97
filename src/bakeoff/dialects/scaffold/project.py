"""The project that a first suite is written for: its repository, its commit, its test command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bakeoff.dialects.field_types import nearest_id
from bakeoff.dialects.scaffold.self_test import SelfTest, self_tests
from bakeoff.dialects.sources import enclosing_top
from bakeoff.errors import UserError
from bakeoff.git.call import find_repository, is_dirty, resolve_commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What is known of a project.

    Attributes:
        top: the top of its repository; where it has none, the directory itself.
        name: an id for its suite.
        commit: the full id of the commit that is checked out; None without one.
        dirty: there are changes that no commit has.
        tests: commands by which it tests itself, the most specific one first.
    """

    top: Path
    name: str
    commit: str | None
    dirty: bool
    tests: tuple[SelfTest, ...]

    @property
    def test(self) -> SelfTest | None:
        """The command to use."""
        return self.tests[0] if self.tests else None

    def needed_commit(self) -> str:
        """The commit, for a format whose tasks start from one; UserError without one."""
        if self.commit is not None:
            return self.commit
        if find_repository(self.top) is None:
            raise UserError(
                f"{self.top} is not in a git repository, and a task of this format starts from a commit",
                hint="run `git init` and commit the project; or take --format agent-exam, which starts from a folder",
            )
        raise UserError(
            f"the repository {self.top} has no commit yet, and a task starts from one",
            hint="run `git add -A && git commit`",
        )


def project_at(folder: Path) -> Project:
    """The project that `folder` is in."""
    top = enclosing_top(folder) or folder
    repository = find_repository(top)
    commit = resolve_commit(repository, "HEAD") if repository is not None else None
    return Project(
        top=top,
        name=nearest_id(top.name),
        commit=commit,
        dirty=repository is not None and commit is not None and is_dirty(repository),
        tests=self_tests(top),
    )
