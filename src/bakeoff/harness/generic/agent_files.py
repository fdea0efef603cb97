"""The files of somebody's own agent, read once when an experiment starts.

They are copied into the private HOME of each trial: the agent sees them whatever the sandbox
hides, cannot change the originals, and an edit in the middle of an experiment changes nothing.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

MOST_BYTES = 32 * 1024 * 1024
MOST_FILES = 2000
_LEFT_OUT = frozenset({".git", "__pycache__", ".venv", "venv", "node_modules", ".bakeoff"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFile:
    """One file: its path below `{agent_dir}`, its content, whether it can be executed."""

    path: str
    content: bytes
    executable: bool


def read_agent_files(names: Iterable[str], folder: Path) -> tuple[AgentFile, ...]:
    """Every file that `names` lists, those of listed folders included, in order.

    Names are relative to `folder`; each is put below `{agent_dir}` by its last part. Links are
    followed for what is listed, and left out inside folders. Raises ValueError for what does
    not exist, for two of one name, and for more than is meant to be copied into every trial.
    """
    found: dict[str, AgentFile] = {}
    size = 0
    for name in names:
        source = Path(os.path.normpath(folder / os.path.expanduser(name)))
        if not source.exists():
            raise ValueError(f"{name!r} does not exist below {folder}")
        for path, place in _files_of(source):
            if place in found:
                raise ValueError(f"{place!r} comes twice; what is listed needs different names")
            content = path.read_bytes()
            size += len(content)
            if len(found) >= MOST_FILES or size > MOST_BYTES:
                raise ValueError(
                    f"they are more than {MOST_FILES} files or {MOST_BYTES // 2**20} MB; "
                    "list only the agent's own files, and install the rest"
                )
            runs = bool(path.stat().st_mode & stat.S_IXUSR)
            found[place] = AgentFile(path=place, content=content, executable=runs)
    return tuple(found[place] for place in sorted(found))


def _files_of(source: Path) -> Iterator[tuple[Path, str]]:
    if not source.is_dir():
        yield source, source.name
        return
    for above, folders, files in os.walk(source):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted(files):
            path = Path(above, name)
            if path.is_file() and not path.is_symlink():
                yield path, f"{source.name}/{path.relative_to(source)}"


def digest_of(files: Iterable[AgentFile]) -> str:
    """A short name of the content of all files."""
    digest = hashlib.sha256()
    for file in files:
        for part in (file.path.encode("utf-8", "surrogateescape"), bytes([file.executable]), file.content):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:12]
