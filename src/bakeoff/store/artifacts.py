"""The files kept of one trial: written at once or not at all, redacted, readable by the owner only."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from bakeoff.store.layout import Layout, plain_name

RedactBytes = Callable[[bytes], bytes]
"""Gives the bytes back with every secret replaced."""

RedactFile = Callable[[BinaryIO, BinaryIO], None]
"""Copies the first file to the second with every secret replaced; for files of any size."""

STREAM = "stream"
"""What the harness wrote to standard output, as it came."""
STDERR = "stderr"
TRAJECTORY = "trajectory"
"""The steps of the trajectory; see `store.trajectory_file`."""
PROMPT = "prompt"
"""Kinds that every reader knows; a record may name others."""

_UNFINISHED = ".unfinished-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One stored file: its name within the trial and its size in bytes."""

    name: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifacts:
    """The artifacts of one trial.

    Names are plain file names that Bakeoff chooses, never paths that an agent made.
    """

    layout: Layout
    experiment: str
    trial: str

    @property
    def folder(self) -> Path:
        """Where they lie; made by the first write."""
        return self.layout.trial_artifacts(self.experiment, self.trial)

    def write(self, name: str, data: bytes, *, redact: RedactBytes) -> str:
        """Store `data`, redacted; returns the path that a trial record names.

        An artifact of that name is replaced. OSError when the disk refuses.
        """
        with self._replacing(name) as file:
            file.write(redact(data))
        return self.path_in_record(name)

    def copy(self, name: str, source: Path, *, redact: RedactFile) -> str:
        """Store what is in `source`, redacted piece by piece; returns the path for the record.

        `source` must be a regular file: a link or a device that an agent put there is an
        OSError and is not opened.
        """
        with _open_regular(source) as original, self._replacing(name) as file:
            redact(original, file)
        return self.path_in_record(name)

    def read(self, name: str) -> bytes:
        """The whole content of an artifact; FileNotFoundError when there is none."""
        with self.open(name) as file:
            return file.read()

    def open(self, name: str) -> BinaryIO:
        """An artifact opened for reading; FileNotFoundError when there is none."""
        return _open_regular(self.folder / plain_name(name))

    def list(self) -> tuple[Artifact, ...]:
        """The finished artifacts, sorted by name."""
        try:
            entries = sorted(self.folder.iterdir())
        except FileNotFoundError:
            return ()
        return tuple(
            Artifact(name=entry.name, size=entry.lstat().st_size)
            for entry in entries
            if not entry.name.startswith(_UNFINISHED)
        )

    def path_in_record(self, name: str) -> str:
        """Where the artifact lies, relative to the store's artifacts folder."""
        return f"{plain_name(self.experiment)}/{plain_name(self.trial)}/{plain_name(name)}"

    @contextmanager
    def _replacing(self, name: str) -> Iterator[BinaryIO]:
        """A new file that takes the place of `name` when the block ends without an error."""
        target = self.folder / plain_name(name)
        for folder in (self.layout.artifacts, self.folder.parent, self.folder):
            folder.mkdir(mode=0o700, exist_ok=True)
        unfinished = self.folder / f"{_UNFINISHED}{secrets.token_hex(8)}"
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
            os.replace(unfinished, target)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                unfinished.unlink()
            raise


def open_artifact(layout: Layout, path_in_record: str) -> BinaryIO:
    """Open the artifact that a trial record names.

    FileNotFoundError when it is gone; ValueError for a path that no record can name.
    """
    parts = path_in_record.split("/")
    if len(parts) != 3:
        msg = f"not the path of an artifact: {path_in_record!r}"
        raise ValueError(msg)
    experiment, trial, name = parts
    return Artifacts(layout=layout, experiment=experiment, trial=trial).open(name)


def remove_orphans(layout: Layout, experiment: str, recorded: Collection[str]) -> tuple[str, ...]:
    """Remove the artifacts of trials of `experiment` that have no record; their ids.

    Artifacts are written before the record, so an interrupted trial leaves them behind.
    Only safe while no trial of the experiment is running.
    """
    folder = layout.artifacts / plain_name(experiment)
    try:
        names = sorted(entry.name for entry in folder.iterdir())
    except FileNotFoundError:
        return ()
    orphans = tuple(name for name in names if name not in recorded)
    for name in orphans:
        shutil.rmtree(folder / name)
    return orphans


def _open_regular(path: Path) -> BinaryIO:
    # O_NONBLOCK: opening a named pipe that an agent left would wait for a writer for ever.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    file = os.fdopen(descriptor, "rb")
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        msg = f"not a regular file: {path}"
        raise OSError(msg)
    return file
