"""What an agent did to its own repository, read as plain files: git is never run on it."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.identity import display_path
from bakeoff.workspace.descent import readable

_LARGEST = 1 << 20
_SECTION = re.compile(rb'^\s*\[\s*([-.\w]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$')
_KEY = re.compile(rb"^\s*([A-Za-z][-A-Za-z0-9]*)\s*(?:=|$)")
_REFERENCE = re.compile(rb"^ref: (refs/[^\s\\]+)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class GitFacts:
    """The state of a workspace's `.git`.

    Attributes:
        kind: "directory", "file", "link", "missing" or "unreadable".
        head: the commit that HEAD stands for, or what HEAD says where it is none.
        config: every setting line with its section, in order.
        files: small files that can change what git does, by their path in `.git`, to their bytes.
        hooks: names of the files in `hooks` that are no samples.
    """

    kind: str
    head: str = ""
    config: tuple[str, ...] = ()
    files: dict[str, bytes] = field(default_factory=dict)
    hooks: tuple[str, ...] = ()


_TELLING = ("info/exclude", "info/attributes", "info/grafts", "objects/info/alternates", "config.worktree")


def read_git_facts(workspace: Path) -> GitFacts:
    """The facts as they are now; whatever the agent made of `.git`, this never fails."""
    marker = workspace / ".git"
    try:
        mode = os.lstat(marker).st_mode
    except FileNotFoundError:
        return GitFacts(kind="missing")
    except OSError:
        return GitFacts(kind="unreadable")
    if not stat.S_ISDIR(mode):
        return GitFacts(kind="link" if stat.S_ISLNK(mode) else "file")
    files = {name: _small_file(marker, name) for name in _TELLING}
    return GitFacts(
        kind="directory",
        head=_head(marker),
        config=_settings(_small_file(marker, "config") or b""),
        files={name: data for name, data in files.items() if data},
        hooks=_hooks(marker),
    )


def tampering(before: GitFacts, after: GitFacts) -> list[tuple[str, str]]:
    """Findings, as kind and detail: how `.git` differs from what it was before the agent."""
    if after.kind != before.kind:
        kind = "git_removed" if after.kind == "missing" else "git_replaced"
        return [(kind, f".git was a {before.kind} and is {after.kind}")]
    found = []
    if after.head != before.head:
        found.append(
            ("head_moved", f"HEAD was at {before.head or 'nothing'} and is at {after.head or 'nothing'}")
        )
    changed = sorted(set(before.config) ^ set(after.config))
    if changed or before.config != after.config:
        found.append(("git_config_changed", ", ".join(changed[:20]) or "the order of settings"))
    if after.hooks != before.hooks:
        found.append(("git_hooks_changed", ", ".join(sorted(set(after.hooks) ^ set(before.hooks))[:20])))
    found += [
        ("git_file_changed", f".git/{name}")
        for name in _TELLING
        if before.files.get(name) != after.files.get(name)
    ]
    return found


def _small_file(git_dir: Path, name: str) -> bytes | None:
    """A file below `.git`; None when it is missing, not a regular file, or behind a link."""
    folder = git_dir / os.path.dirname(name)
    try:
        if stat.S_ISLNK(os.lstat(folder).st_mode):
            return None
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        with readable(os.fsencode(os.path.basename(name)), opened) as file:
            return os.read(file, _LARGEST)
    except OSError:
        return None
    finally:
        os.close(opened)


def _head(git_dir: Path) -> str:
    said = (_small_file(git_dir, "HEAD") or b"").strip()
    for _ in range(5):  # a reference may lead to another one
        reference = _REFERENCE.match(said)
        if reference is None:
            return display_path(said[:200])
        name = reference[1]
        if b".." in name.split(b"/"):
            return display_path(said[:200])
        loose = _small_file(git_dir, os.fsdecode(name))
        said = loose.strip() if loose is not None else _packed(git_dir, name)
    return display_path(said[:200])


def _packed(git_dir: Path, name: bytes) -> bytes:
    for line in (_small_file(git_dir, "packed-refs") or b"").splitlines():
        object_id, _, packed = line.partition(b" ")
        if packed == name:
            return object_id
    return b""


def _settings(config: bytes) -> tuple[str, ...]:
    """`section.subsection.key = value` of each line; a line that is no setting stands as it is."""
    section = b""
    found = []
    for line in config.splitlines():
        opened = _SECTION.match(line)
        if opened:
            section = opened[1].lower() + (b"." + opened[2] if opened[2] is not None else b"")
            line = opened[3]  # noqa: PLW2901  a setting may follow on the same line
        if line.strip():
            key = _KEY.match(line)
            text = section + b"." + line.strip() if key else line.strip()
            found.append(display_path(text[:200]))
    return tuple(found)


def _hooks(git_dir: Path) -> tuple[str, ...]:
    try:
        names = os.listdir(os.fsencode(git_dir / "hooks"))
    except OSError:
        return ()
    return tuple(sorted(display_path(name) for name in names if not name.endswith(b".sample")))
