"""Records that a locked database could not take: kept as files until it can, so that none is lost."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from bakeoff.model.trial import TrialRecord
from bakeoff.store.layout import plain_name
from bakeoff.store.rows import dump

_SUFFIX = ".json"
_CONFLICT = ".conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """A folder with one file for each trial record that waits for the database."""

    folder: Path

    def add(self, record: TrialRecord) -> None:
        """Keep a record; returns when it is on the disk. OSError when the disk refuses."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        unfinished = self.folder / f".{secrets.token_hex(8)}"
        try:
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(dump(record))
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, self._path(record.id))
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                unfinished.unlink()
            raise

    def records(self) -> tuple[TrialRecord, ...]:
        """The records that wait, by id; one that another process has just taken is left out."""
        found = []
        for path in self._waiting():
            with contextlib.suppress(FileNotFoundError):
                found.append(TrialRecord.model_validate(json.loads(path.read_text(encoding="ascii"))))
        return tuple(found)

    def remove(self, record: TrialRecord) -> None:
        """Forget a record that the database holds now."""
        self._path(record.id).unlink(missing_ok=True)

    def set_aside(self, record: TrialRecord) -> None:
        """Keep a record for people only: the database holds another one for the same trial."""
        path = self._path(record.id)
        with contextlib.suppress(FileNotFoundError):
            os.replace(path, path.with_suffix(_CONFLICT))

    def _path(self, trial: str) -> Path:
        return self.folder / f"{plain_name(trial)}{_SUFFIX}"

    def _waiting(self) -> list[Path]:
        try:
            names = sorted(entry.name for entry in self.folder.iterdir())
        except FileNotFoundError:
            return []
        return [self.folder / name for name in names if name.endswith(_SUFFIX) and not name.startswith(".")]
