"""Where everything of a store lies: every path below its home, and how the home is found."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bakeoff.errors import UserError

HOME_NAME = ".bakeoff"
HOME_VARIABLE = "BAKEOFF_HOME"
_OWNER_ONLY = 0o700
_OWN_NAMES = frozenset(
    {
        *("archive.git", "artifacts", "cache", "snapshots", "logs", "locks", "journal", ".gitignore"),
        *("bakeoff.db", "bakeoff.db-wal", "bakeoff.db-shm", "lost+found"),
    }
)
_COMPONENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The paths of one store.

    Attributes:
        home: absolute path of the store's own directory; everything else lies below it.
    """

    home: Path

    @property
    def database(self) -> Path:
        """The SQLite file with experiments, trials and verdicts."""
        return self.home / "bakeoff.db"

    @property
    def archive(self) -> Path:
        """The bare git repository of trees before and after each trial."""
        return self.home / "archive.git"

    @property
    def artifacts(self) -> Path:
        """Streams, session files, trajectories and check output, redacted."""
        return self.home / "artifacts"

    @property
    def cache(self) -> Path:
        """Package caches that setup commands may write to; never the user's own."""
        return self.home / "cache"

    @property
    def snapshots(self) -> Path:
        """Contents that experiments refer to, as they were when they started, by digest."""
        return self.home / "snapshots"

    @property
    def logs(self) -> Path:
        """Tracebacks of bugs."""
        return self.home / "logs"

    @property
    def locks(self) -> Path:
        """Lock files; their presence means nothing, only a lock held on them does."""
        return self.home / "locks"

    @property
    def journal(self) -> Path:
        """Records that could not be written to a locked database yet."""
        return self.home / "journal"

    def trial_artifacts(self, experiment: str, trial: str) -> Path:
        """The folder of one trial's artifacts; ValueError for ids that are no plain names."""
        return self.artifacts / plain_name(experiment) / plain_name(trial)

    def lock(self, name: str) -> Path:
        """The lock file of that name."""
        return self.locks / f"{plain_name(name)}.lock"

    def create(self) -> None:
        """Make the home and its directories, readable by the owner only and ignored by git.

        Safe when several processes do it at once, and when all of it is there already.
        UserError when it cannot be made.
        """
        directories = (self.artifacts, self.cache, self.snapshots, self.logs, self.locks, self.journal)
        try:
            self._refuse_other_use()
            self.home.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
            _restrict(self.home)
            for directory in directories:
                directory.mkdir(mode=_OWNER_ONLY, exist_ok=True)
            _write_ignore_file(self.home / ".gitignore")
        except OSError as error:
            raise UserError(
                f"cannot make the store in {self.home}: {error.strerror or error}",
                hint=f"choose another place with --home or {HOME_VARIABLE}",
            ) from error

    def _refuse_other_use(self) -> None:
        """UserError for a directory with other content: it would be closed to others and ignored by git."""
        if self.home.name == HOME_NAME or self.database.exists() or not self.home.exists():
            return
        foreign = sorted(set(os.listdir(self.home)) - _OWN_NAMES)
        if foreign:
            raise UserError(
                f"{self.home} is not a store of Bakeoff: it holds {foreign[0]!r}",
                hint="give --home a directory of its own, such as .bakeoff, which may be missing or empty",
            )


def plain_name(name: str) -> str:
    """`name` when it is safe as one component of a path; ValueError when it is not."""
    if not _COMPONENT.fullmatch(name):
        msg = f"not a plain file name: {name!r}"
        raise ValueError(msg)
    return name


def find_home(cwd: Path, explicit: Path | None, environ: Mapping[str, str]) -> Path:
    """The absolute path of the store's home, which need not exist.

    `explicit` (--home) wins over BAKEOFF_HOME, which wins over `.bakeoff` at the top of
    the git checkout that holds `cwd`, or in `cwd` itself outside any checkout.
    """
    chosen = explicit if explicit is not None else _from_environment(environ)
    if chosen is not None:
        return Path(os.path.abspath(cwd / chosen))
    top = _checkout_top(Path(os.path.abspath(cwd)))
    return (top or Path(os.path.abspath(cwd))) / HOME_NAME


def _from_environment(environ: Mapping[str, str]) -> Path | None:
    value = environ.get(HOME_VARIABLE, "")
    return Path(value).expanduser() if value else None


def _checkout_top(directory: Path) -> Path | None:
    """The nearest directory upward that git would call the top of a work tree."""
    for candidate in (directory, *directory.parents):
        marker = candidate / ".git"
        # A file in linked work trees and submodules; an empty directory is no repository.
        if marker.is_file() or (marker / "HEAD").exists():
            return candidate
    return None


def _restrict(directory: Path) -> None:
    """Take everybody else's permissions away; others' directories are left as they are."""
    status = directory.stat()
    if status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) & 0o077:
        directory.chmod(stat.S_IMODE(status.st_mode) & _OWNER_ONLY)


def _write_ignore_file(path: Path) -> None:
    # Exclusive creation: a file that is there, whoever wrote it, is left as it is.
    with contextlib.suppress(FileExistsError), path.open("x", encoding="ascii") as file:
        file.write("# Made by Bakeoff: nothing here belongs into version control.\n*\n")
