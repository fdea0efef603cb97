"""Reading the starting files of a task: one commit of a repository, or a plain folder."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.errors import UserError
from bakeoff.git.call import GitFailed, Repository, find_repository, list_tree, resolve_commit
from bakeoff.git.diff import quoted
from bakeoff.git.objects import EXECUTABLE, FILE, LINK, Leaf, new_hash, object_id
from bakeoff.model.suite import FolderStart, GitStart
from bakeoff.patterns import compile_glob, matches_any
from bakeoff.workspace.descent import LEAVE_ALONE
from bakeoff.workspace.exclusions import is_unsafe
from bakeoff.workspace.manifest import PIECE, mark_of
from bakeoff.workspace.walk import Found, Kind, walk

Content = Path | bytes
"""Where the bytes of a blob are: a file of the user's, or the target of a link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Files that are to become a commit.

    Attributes:
        leaves: path to mode and id.
        local: path to its content, for files that no object database holds.
        objects: the object database that holds all the others; None when there are none.
        object_format: of the ids.
        origin: what the files come from, for messages.
        hidden: paths that were taken away.
        warnings: what a user should know about them.
    """

    leaves: Mapping[bytes, Leaf]
    local: Mapping[bytes, Content] = field(default_factory=dict)
    objects: Path | None = None
    object_format: str = "sha1"
    origin: str = ""
    hidden: frozenset[bytes] = frozenset()
    warnings: tuple[str, ...] = ()

    @property
    def environment(self) -> dict[str, str]:
        """Variables that let another git directory read the source's objects, and nothing else of it."""
        return {} if self.objects is None else {"GIT_ALTERNATE_OBJECT_DIRECTORIES": quoted(self.objects)}


def read_start(start: GitStart | FolderStart) -> Files:
    """The starting files, without those that are hidden; UserError when they cannot be had."""
    files = _read_commit(start) if isinstance(start, GitStart) else _read_folder(start)
    unsafe = [path for path in files.leaves if is_unsafe(path, is_link=False)]
    if unsafe:
        raise UserError(
            f"{files.origin} holds {os.fsdecode(unsafe[0])!r}, a name that git does not check out"
        )
    return _without_hidden(files, start.hide)


def _read_commit(start: GitStart) -> Files:
    repository = find_repository(start.repository)
    if repository is None:
        raise UserError(f"{start.repository} is not a git repository")
    commit = start.commit or resolve_commit(repository, start.revision)
    if commit is None:
        hint = "this clone is shallow: fetch the commit first" if repository.shallow else ""
        raise UserError(f"{start.repository} has no commit {start.revision!r}", hint=hint)
    try:
        entries = list_tree(repository.git_dir, commit)
    except GitFailed as error:
        raise lacks_objects(repository.path, commit, error) from error
    return Files(
        leaves={entry.path: (_usual_mode(entry.mode), entry.id) for entry in entries},
        objects=_objects(repository),
        object_format=repository.object_format,
        origin=f"{start.repository} at {commit[:12]}",
    )


def _usual_mode(mode: int) -> int:
    # Old repositories have files of mode 664, which git itself treats as 644.
    if not stat.S_ISREG(mode):
        return mode
    return EXECUTABLE if mode & stat.S_IXUSR else FILE


def _objects(repository: Repository) -> Path:
    return repository.common_dir / "objects"


def lacks_objects(origin: Path | str, what: str, error: GitFailed) -> UserError:
    """The error for a repository that does not hold everything that a commit needs."""
    return UserError(
        f"{origin} does not hold all objects of {what}: {error.stderr}",
        hint="a partial or damaged clone cannot be used: make a full one with `git clone`",
    )


def _read_folder(start: FolderStart) -> Files:
    if start.folder is None:
        return Files(leaves={}, origin="an empty folder")
    if not start.folder.is_dir():
        raise UserError(f"{start.folder} is not a folder")
    leaves, local = read_files(start.folder, leave_out=start.leave_out)
    return Files(leaves=leaves, local=local, origin=str(start.folder))


def read_files(
    folder: Path, *, leave_out: tuple[str, ...] = (), object_format: str = "sha1"
) -> tuple[dict[bytes, Leaf], dict[bytes, Content]]:
    """The files and links below a folder of the user's, with the ids that they have as blobs.

    Links stay links and are not followed, except for `folder` itself. Names that match a
    pattern of `leave_out`, and `.git`, are passed over at any depth; so are empty folders.
    What git cannot hold is a UserError.
    """
    top = Path(os.path.realpath(folder))
    leaves: dict[bytes, Leaf] = {}
    local: dict[bytes, Content] = {}
    for found in _found(top, leave_out):
        if found.kind in {Kind.FILE, Kind.LINK}:
            local[found.path] = _content(top, found)
            leaves[found.path] = _leaf(local[found.path], object_format)
        elif found.kind not in {Kind.GIT, Kind.EMPTY_FOLDER}:
            reason = found.reason or found.kind.name.lower().replace("_", " ")
            raise UserError(f"{top / os.fsdecode(found.path)} cannot be copied: {reason}")
    return leaves, local


def list_files(folder: Path, *, leave_out: tuple[str, ...] = ()) -> tuple[bytes, ...]:
    """The paths that `read_files` would read; OSError when it is no folder."""
    top = Path(os.path.realpath(folder))
    return tuple(found.path for found in _found(top, leave_out) if found.kind in {Kind.FILE, Kind.LINK})


def _found(top: Path, leave_out: tuple[str, ...]) -> Iterator[Found]:
    patterns = tuple(os.fsencode(pattern) for pattern in leave_out)
    return walk(top, rights=LEAVE_ALONE, skip=lambda path: _is_named(path, patterns))


def _is_named(path: bytes, patterns: tuple[bytes, ...]) -> bool:
    name = path.rpartition(b"/")[2]
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _content(top: Path, found: Found) -> Content:
    if found.kind is Kind.LINK:
        return os.readlink(found.name, dir_fd=found.folder)
    return top / os.fsdecode(found.path)


def _leaf(content: Content, object_format: str) -> Leaf:
    if isinstance(content, bytes):
        return LINK, object_id(b"blob", content, object_format)
    return file_leaf(content, object_format)


def file_leaf(path: Path, object_format: str = "sha1") -> Leaf:
    """The mode and id of one regular file of the user's; UserError when it cannot be read."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            state = new_hash(b"blob", status.st_size, object_format)
            while piece := file.read(PIECE):
                state.update(piece)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error
    return mark_of(status, None, archived=False).mode, state.hexdigest()


def _without_hidden(files: Files, hide: tuple[str, ...]) -> Files:
    hidden: set[bytes] = set()
    warnings = list(files.warnings)
    for pattern in hide:
        try:
            glob = compile_glob(pattern)
        except ValueError as error:
            raise UserError(str(error)) from error
        matched = {path for path in files.leaves if matches_any((glob,), path)}
        if not matched:
            warnings.append(f"{pattern!r} hides nothing: no file of {files.origin} matches it.")
        hidden |= matched
    return Files(
        leaves={path: leaf for path, leaf in files.leaves.items() if path not in hidden},
        local={path: content for path, content in files.local.items() if path not in hidden},
        objects=files.objects,
        object_format=files.object_format,
        origin=files.origin,
        hidden=frozenset(hidden),
        warnings=tuple(warnings),
    )
