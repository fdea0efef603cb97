"""Asks the repositories that tasks start from: which commits, which files, what is uncommitted."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.dialects.problems import Problems, quoted
from bakeoff.dialects.starting_files import StartingFiles
from bakeoff.errors import UserError, Where
from bakeoff.git.call import GitFailed, Repository, find_repository, is_dirty, list_tree, run_git
from bakeoff.identity import display_path
from bakeoff.model.suite import FolderStart, GitStart
from bakeoff.workspace.start import lacks_objects, list_files

_COMMIT = re.compile(rb"([0-9a-f]{40,64}) commit")
_OURS = frozenset({b".ablate", b".bakeoff"})
"""Directories that are not what an agent works on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """A revision that a file names, and where."""

    repository: Repository
    revision: str
    where: Where
    name: str


@dataclass(slots=True, kw_only=True)
class Sources:
    """The repositories of one load; git is asked once for many revisions, and never twice.

    Name every revision with `want` first: the first question about a commit then resolves
    all of them at once.
    """

    problems: Problems
    _repositories: dict[Path, Repository | None] = field(default_factory=dict)
    _wanted: list[_Wanted] = field(default_factory=list)
    _commits: dict[tuple[Path, str], str | None] = field(default_factory=dict)
    _files: dict[tuple[Path, str], StartingFiles] = field(default_factory=dict)
    _looked_at: set[Path] = field(default_factory=set)

    def repository(self, top: Path, where: Where) -> Repository | None:
        """The repository whose top is `top`; None for a plain directory or when git cannot use it."""
        if top not in self._repositories:
            self._repositories[top] = None
            try:
                self._repositories[top] = find_repository(top)
            except UserError as error:
                for problem in error.problems:
                    self.problems.error(where, problem.message, problem.hint)
        return self._repositories[top]

    def want(self, repository: Repository, revision: str, where: Where, name: str) -> None:
        """Note that the file at `where` names a revision in its field `name`."""
        self._wanted.append(_Wanted(repository=repository, revision=revision, where=where, name=name))

    def commit(self, repository: Repository, revision: str) -> str | None:
        """The full id of a commit; None when there is none, which is then recorded."""
        self.settle()
        return self._commits.get((repository.path, revision))

    def settle(self) -> None:
        """Resolve every revision that is noted; those that name no commit are recorded."""
        wanted, self._wanted = self._wanted, []
        for path in dict.fromkeys(each.repository.path for each in wanted):
            self._resolve([each for each in wanted if each.repository.path == path])

    def _resolve(self, wanted: list[_Wanted]) -> None:
        repository = wanted[0].repository
        # A line break would be a second question; no revision holds one.
        revisions = list(dict.fromkeys(each.revision for each in wanted if each.revision.isprintable()))
        answers = _ask(repository, [f"{revision}^{{commit}}" for revision in revisions])
        found = dict(zip(revisions, answers, strict=True))
        reported: set[str] = set()
        for each in wanted:
            answer = found.get(each.revision, b"")
            match = _COMMIT.fullmatch(answer)
            commit = match[1].decode("ascii") if match else None
            self._commits[repository.path, each.revision] = commit
            # Where nobody names a revision, one complaint about the repository is enough.
            if commit is None and not (each.revision == "HEAD" and each.revision in reported):
                message, hint = _no_commit(each)
                self.problems.error(each.where, message, hint)
                reported.add(each.revision)

    def files(self, start: GitStart | FolderStart) -> StartingFiles:
        """Every file that a trial would start from, hidden ones included; listed once for each start."""
        if isinstance(start, FolderStart):
            assert start.folder is not None, "a start that a file names is somewhere"
            key, place = (start.folder, ""), str(start.folder)
        else:
            assert start.commit is not None, "the revision was resolved"
            key, place = (start.repository, start.commit), f"commit {start.commit[:12]}"
        if key not in self._files:
            self._files[key] = StartingFiles(paths=self._listed(start), place=place)
        return self._files[key]

    def _listed(self, start: GitStart | FolderStart) -> tuple[bytes, ...]:
        if isinstance(start, FolderStart):
            assert start.folder is not None
            try:
                return list_files(start.folder, leave_out=start.leave_out)
            except OSError as error:
                raise UserError(f"{start.folder} cannot be read: {os.strerror(error.errno or 0)}") from error
        repository = self._repositories.get(start.repository) or find_repository(start.repository)
        assert repository is not None
        assert start.commit is not None
        try:
            return tuple(entry.path for entry in list_tree(repository.git_dir, start.commit))
        except GitFailed as error:
            raise lacks_objects(repository.path, start.commit, error) from error

    def content(self, repository: Repository, commit: str, path: str) -> bytes | None:
        """The bytes of a file of a commit; None when it is not there or not a file."""
        try:
            return run_git(["cat-file", "blob", f"{commit}:{path}"], git_dir=repository.git_dir)
        except GitFailed:
            return None

    def warn_if_dirty(self, repository: Repository, commit: str, where: Where | None) -> None:
        """Warn when the work tree at `commit` holds changes that are not part of it."""
        if repository.path in self._looked_at or self._head(repository) != commit:
            return
        self._looked_at.add(repository.path)
        try:
            uncommitted = _uncommitted(repository) if is_dirty(repository) else []
        except GitFailed as error:
            problem = lacks_objects(repository.path, commit, error).problems[0]
            self.problems.error(where, problem.message, problem.hint)
            return
        changed = [path for path in uncommitted if not _OURS & set(path.split(b"/"))]
        if not changed:
            return
        shown = ", ".join(display_path(path) for path in changed[:3])
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        self.problems.warning(
            where,
            f"{repository.path} has changes that are not committed: {shown}{more}",
            "trials start from the commit, without them",
        )

    def _head(self, repository: Repository) -> str | None:
        key = (repository.path, "HEAD")
        if key not in self._commits:
            match = _COMMIT.fullmatch(_ask(repository, ["HEAD^{commit}"])[0])
            self._commits[key] = match[1].decode("ascii") if match else None
        return self._commits[key]


def enclosing_top(folder: Path) -> Path | None:
    """The nearest directory at or above `folder` that holds a `.git`."""
    for each in (folder, *folder.parents):
        if os.path.lexists(each / ".git"):
            return each
    return None


def _ask(repository: Repository, names: list[str]) -> list[bytes]:
    """What git says about the name of each object: "ID kind", or that it is missing or ambiguous."""
    questions = "".join(f"{name}\n" for name in names)
    answer = run_git(
        ["cat-file", "--batch-check=%(objectname) %(objecttype)"],
        git_dir=repository.git_dir,
        input=questions.encode("utf-8", "surrogateescape"),
    )
    return answer.split(b"\n")[: len(names)]


def _no_commit(wanted: _Wanted) -> tuple[str, str]:
    """Message and hint for a revision that names no commit."""
    shown = f"`{wanted.name}`: " if wanted.name else ""
    place = wanted.repository.path
    if wanted.revision.isprintable() and _ask(wanted.repository, [wanted.revision])[0].endswith(
        b" ambiguous"
    ):
        return f"{shown}{quoted(wanted.revision)} is the beginning of several ids", "write more digits"
    if wanted.revision == "HEAD":
        return f"{shown}{place} has no commit yet", "commit the files that trials are to start from"
    hint = "the history is shallow: fetch more of it" if wanted.repository.shallow else ""
    return (
        f"{shown}there is no commit {quoted(wanted.revision)} in {place}",
        hint or "`git log --oneline` shows those that exist",
    )


def _uncommitted(repository: Repository) -> list[bytes]:
    listing = run_git(
        [
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            "--ignore-submodules=all",
            "--no-renames",
        ],
        git_dir=repository.git_dir,
        work_tree=repository.work_tree,
    )
    return [entry[3:] for entry in listing.split(b"\0") if entry]
