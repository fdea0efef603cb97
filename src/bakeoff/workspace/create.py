"""Making the workspace of one trial: a full private copy of sealed starting files.

Each trial has a directory of its own with an opaque name, which holds the workspace and, beside
it, the private HOME and temporary directory. Nothing of it is shared with another trial.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bakeoff.errors import HostFailed, UserError
from bakeoff.git.index import Indexed, write_index
from bakeoff.git.objects import EXECUTABLE, LINK, SUBMODULE, make_git_directory
from bakeoff.workspace.laying import remove_tree
from bakeoff.workspace.manifest import PIECE, Manifest, Mark
from bakeoff.workspace.ownership import ROOT_MARK, OwnerLock, lock_file, new_name
from bakeoff.workspace.sealed import DATE, Sealed, SealedFile

REVEALING = (
    *(".git", ".hg", "CLAUDE.md", "CLAUDE.local.md", ".claude", "AGENTS.md", "AGENTS.override.md"),
    *("GEMINI.md", ".codex", ".opencode", "opencode.json", ".mcp.json", "package.json", "node_modules"),
    *("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "pytest.ini", "conftest.py"),
)
"""What must not lie in a directory above a workspace: agents and tools look for it there."""

_FILE_TIME = (DATE * 10**9, DATE * 10**9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """The private directories of one trial, as the machine sees them.

    Attributes:
        root: holds the others; of mode 700, with an opaque name.
        path: the workspace itself: the agent's working directory.
        home: the private HOME, empty.
        tmp: the private temporary directory, empty.
        laid: the manifest of the files as they were laid down, with their content's ids.
        lock: says to others that the owner lives; None where nobody would ask.
    """

    root: Path
    path: Path
    home: Path
    tmp: Path
    laid: Manifest = field(default_factory=dict, repr=False)
    lock: OwnerLock | None = field(default=None, repr=False, compare=False)


def private_root(preferred: Path | None = None) -> Path:
    """A directory of mode 700 for workspaces, with nothing above it that agents look for.

    `preferred` or else the system's temporary directories are tried. UserError when none will do.
    """
    reasons = []
    candidates = [preferred] if preferred else [Path(tempfile.gettempdir()), Path("/var/tmp")]  # noqa: S108  only a candidate; what is made there is private
    for candidate in candidates:
        root = Path(os.path.realpath(candidate)) / f"w{os.getuid()}"
        found = _revealing_above(root)
        if found is not None:
            reasons.append(f"{found} lies above {root}")
            continue
        problem = _make_private(root)
        if problem is None:
            return root
        reasons.append(problem)
    raise UserError(
        "no directory will do for workspaces: " + "; ".join(reasons),
        hint="set TMPDIR to a directory that is outside of any project",
    )


def _revealing_above(root: Path) -> Path | None:
    for folder in (root, *root.parents):
        for name in REVEALING:
            if os.path.lexists(folder / name):
                return folder / name
    return None


def _make_private(root: Path) -> str | None:
    """Make a directory that only this user can enter; why not, if not."""
    try:
        with contextlib.suppress(FileExistsError):
            root.mkdir(mode=0o700)
            (root / ROOT_MARK).touch()
        status = os.lstat(root)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return f"{root} belongs to somebody else"
        os.chmod(root, 0o700)
    except OSError as error:
        return f"{root} cannot be made: {error.strerror}"
    return None


def create(
    sealed: Sealed, *, root: Path, owner: tuple[int, int] | None = None, prefix: str = ""
) -> Workspace:
    """A new workspace below `root` with the sealed files, a clean `git status` and nothing else.

    `owner` is the user and group that the agent will see as the owner of its files, where a
    sandbox shows another than the real one. The name begins with `prefix`, by which whoever
    makes several tells them from those of others. A full disk or the like is HostFailed. Any
    number of threads and processes may create workspaces at once.
    """
    name, lock = new_name(root, prefix)
    base = root / name
    workspace = Workspace(root=base, path=base / "project", home=base / "home", tmp=base / "tmp", lock=lock)
    try:
        for place in (base, workspace.path, workspace.home, workspace.tmp):
            place.mkdir(mode=0o755 if place == workspace.path else 0o700)
        laid = _lay_files(sealed, workspace.path)
        _make_repository(sealed, workspace.path, laid, owner)
        sealed.check_contents()
    except (OSError, HostFailed) as error:
        _give_up(workspace)
        if isinstance(error, HostFailed):
            raise
        raise HostFailed(f"a workspace cannot be made: {error.strerror or error}", str(base)) from error
    return replace(
        workspace, laid={path: _laid_mark(sealed.files[path], status) for path, status in laid.items()}
    )


def _give_up(workspace: Workspace) -> None:
    with contextlib.suppress(OSError):
        remove_tree(workspace.root)
    lock_file(workspace.root).unlink(missing_ok=True)
    if workspace.lock is not None:
        workspace.lock.release()


def _laid_mark(file: SealedFile, status: os.stat_result) -> Mark:
    facts = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    return Mark(file.mode, *facts, file.disk_id, archived=True)


def _lay_files(sealed: Sealed, project: Path) -> dict[bytes, os.stat_result]:
    """Write all files with one fixed time in the past; what lstat says of each."""
    laid: dict[bytes, os.stat_result] = {}
    top = os.fsencode(project)
    folders: dict[bytes, list[bytes]] = {}
    for path in sealed.files:
        folders.setdefault(path.rpartition(b"/")[0], []).append(path)
    with sealed.contents.open("rb") as contents:
        for folder, paths in folders.items():
            full = os.path.join(top, folder)
            os.makedirs(full, exist_ok=True)
            opened = os.open(full, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                for path in paths:
                    status = _lay(path, sealed.files[path], opened, contents.fileno())
                    if status is not None:
                        laid[path] = status
            finally:
                os.close(opened)
    return laid


def _lay(path: bytes, file: SealedFile, folder: int, contents: int) -> os.stat_result | None:
    name = path.rpartition(b"/")[2]
    if file.mode == SUBMODULE:
        # Files of a submodule's own folder cannot be in the commit, so it is not there yet.
        os.mkdir(name, dir_fd=folder)
        return None
    if file.mode == LINK:
        os.symlink(os.pread(contents, file.size, file.offset), name, dir_fd=folder)
        os.utime(name, ns=_FILE_TIME, dir_fd=folder, follow_symlinks=False)
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    mode = 0o755 if file.mode == EXECUTABLE else 0o644
    opened = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode, dir_fd=folder)
    try:
        _copy(contents, file, opened)
        os.utime(opened, ns=_FILE_TIME)
        status = os.fstat(opened)
        if stat.S_IMODE(status.st_mode) != mode:  # the user's umask took something away
            os.fchmod(opened, mode)
            status = os.fstat(opened)
        return status
    finally:
        os.close(opened)


def _copy(contents: int, file: SealedFile, output: int) -> None:
    done = 0
    while done < file.size:
        piece = os.pread(contents, min(file.size - done, PIECE), file.offset + done)
        if not piece:
            raise OSError(0, "a sealed template is cut short")
        done += os.write(output, piece)


def _make_repository(
    sealed: Sealed, project: Path, laid: Mapping[bytes, os.stat_result], owner: tuple[int, int] | None
) -> None:
    git_dir = project / ".git"
    git_dir.mkdir()
    make_git_directory(git_dir, object_format=sealed.object_format, bare=False)
    for pack in (sealed.git_dir / "objects" / "pack").iterdir():
        shutil.copyfile(pack, git_dir / "objects" / "pack" / pack.name)
        (git_dir / "objects" / "pack" / pack.name).chmod(0o444)
    (git_dir / "refs/heads/main").write_text(sealed.commit + "\n")
    (git_dir / "info/exclude").write_bytes(b"")
    indexed = [Indexed(path, file.mode, file.id, laid.get(path)) for path, file in sealed.files.items()]
    write_index(
        git_dir / "index", indexed, sealed.commit_tree, object_format=sealed.object_format, owner=owner
    )
