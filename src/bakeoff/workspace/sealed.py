"""A sealed template on disk: what it holds, how it is read back, and whether it is still whole.

A template is a directory that is written once and never again:

    git/         a bare repository with one commit and nothing else
    archive/     what the archive of final trees needs besides: objects of converted files
    contents     all files one after the other, as they lie on disk
    files        the list of files, in the order of their paths
    rules/       the ignore rules of the commit
    seal.json    what the template is, and the facts and digests of everything above
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bakeoff.errors import HostFailed
from bakeoff.git.call import run_git
from bakeoff.git.objects import SUBMODULE, object_id, tree_data
from bakeoff.git.tree import Tree, make_tree
from bakeoff.model.suite import Placement

SEAL_VERSION = 1
DATE = 1704067200
"""1 January 2024, 00:00 UTC: of the commit, and of every file in a workspace."""

_DIGEST_PIECE = 1 << 20


class Identity(NamedTuple):
    """The one commit of a template; follows from nothing but its files."""

    commit: str
    tree: str
    object_format: str


class SealedFile(NamedTuple):
    """One file, link or submodule of the commit.

    Attributes:
        mode: as git writes it.
        id: its id in the commit.
        disk_id: the sha1 of its bytes on disk as a blob; differs from `id` where attributes
            of the repository convert it, and in repositories of sha256.
        offset: where its bytes begin in `contents`.
        size: how many there are.
    """

    mode: int
    id: str
    disk_id: str
    offset: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """Starting files, sealed: one commit without a past, and the bytes of its files.

    Safe to use from many threads, for as many workspaces as are wanted.

    Attributes:
        path: the template's directory; nothing in it is ever written again.
        commit: the id of the one commit.
        tree: the id of its tree.
        object_format: "sha1" or "sha256", of both ids and of the workspace's repository.
        files: every tracked path.
        disk_tree: the tree of the files as they lie on disk, with sha1 ids, as archived.
        commit_tree: the tree of the commit.
        facts: of each part of the template when it was verified.
        pointers: files that stand for content in Git LFS, which is not there.
        placed: the placements that are part of the commit.
        warnings: what a user should know about these starting files, in full sentences.
    """

    path: Path
    commit: str
    tree: str
    object_format: str
    files: Mapping[bytes, SealedFile]
    commit_tree: Tree
    disk_tree: Tree
    facts: Mapping[str, list[int]]
    pointers: tuple[bytes, ...] = ()
    placed: tuple[Placement, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def git_dir(self) -> Path:
        """The bare repository that holds the commit."""
        return self.path / "git"

    @property
    def contents(self) -> Path:
        """The file with the bytes of all files."""
        return self.path / "contents"

    @property
    def archive_packs(self) -> tuple[Path, ...]:
        """Packs that together hold `disk_tree` and all its files."""
        own = self.git_dir.glob("objects/pack/*.pack") if self.object_format == "sha1" else ()
        return (*sorted(own), *sorted(self.path.glob("archive/*.pack")))

    def read(self, file: SealedFile) -> bytes:
        """The bytes of a file, or the target of a link."""
        with self.contents.open("rb") as contents:
            return os.pread(contents.fileno(), file.size, file.offset)

    def ignored(self, paths: Collection[bytes], *, besides: bytes = b"") -> set[bytes]:
        """Those of `paths` (files, not folders) that the ignore rules of the commit match.

        Rules that an agent wrote do not count; whether a path is tracked does not matter.
        `besides` are lines of an exclude file, which the rules of the commit overrule.
        """
        rules = self.path / "rules"
        if not paths or not (besides or any(rules.iterdir())):
            return set()
        with tempfile.NamedTemporaryFile(prefix="rules-") as exclude:
            exclude.write(besides)
            exclude.flush()
            answer = run_git(
                ["-c", f"core.excludesFile={exclude.name}", "check-ignore", "--no-index", "--stdin", "-z"],
                git_dir=self.git_dir,
                work_tree=rules,
                # Git would take a colon at the beginning for a pattern of its own.
                input=b"".join(b"./" + path + b"\0" for path in paths),
                accept=(0, 1),
            )
        return {path[2:] for path in answer.split(b"\0") if path}

    def check_contents(self) -> None:
        """Raise HostFailed when the template was touched since it was verified."""
        changed = [name for name, facts in self.facts.items() if _facts(self.path / name) != facts]
        if changed:
            raise HostFailed("a sealed template was changed while it was in use", f"{self.path}: {changed}")


def write_seal(
    template: Path, identity: Identity, files: Mapping[bytes, SealedFile], pointers: Collection[bytes]
) -> None:
    """Finish a template: write the list of its files and the facts of everything in it."""
    lines = [b"%o %s %s %d %d\t%s\0" % _record(path, files[path]) for path in sorted(files)]
    (template / "files").write_bytes(b"".join(lines))
    seal = {
        "version": SEAL_VERSION,
        "commit": identity.commit,
        "tree": identity.tree,
        "object_format": identity.object_format,
        "pointers": [os.fsdecode(path) for path in pointers],
        "parts": {
            name: {"facts": _facts(template / name), "sha256": _digest(template / name)}
            for name in _parts(template)
        },
    }
    (template / "seal.json").write_text(json.dumps(seal))


def load_seal(template: Path) -> Sealed | None:
    """Read a template back; None when there is none, or when it is damaged in any way."""
    try:
        seal = json.loads((template / "seal.json").read_bytes())
        if seal["version"] != SEAL_VERSION or not _is_whole(template, seal["parts"]):
            return None
        files = dict(_read_files(template))
        commit_tree = _tree(files, seal["object_format"], disk=False)
        same = seal["object_format"] == "sha1" and all(file.id == file.disk_id for file in files.values())
        return Sealed(
            path=template,
            commit=seal["commit"],
            tree=seal["tree"],
            object_format=seal["object_format"],
            files=files,
            commit_tree=commit_tree,
            disk_tree=commit_tree if same else _tree(files, "sha1", disk=True),
            facts={name: _facts(template / name) or [] for name in seal["parts"]},
            pointers=tuple(os.fsencode(path) for path in seal["pointers"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _record(path: bytes, file: SealedFile) -> tuple[int, bytes, bytes, int, int, bytes]:
    return file.mode, file.id.encode(), file.disk_id.encode(), file.offset, file.size, path


def _read_files(template: Path) -> Iterator[tuple[bytes, SealedFile]]:
    for line in (template / "files").read_bytes().split(b"\0")[:-1]:
        facts, _, path = line.partition(b"\t")
        mode, name, disk_name, offset, size = facts.split(b" ")
        yield (
            path,
            SealedFile(int(mode, 8), name.decode(), disk_name.decode(), int(offset), int(size)),
        )


def _tree(files: Mapping[bytes, SealedFile], object_format: str, *, disk: bool) -> Tree:
    leaves = {
        path: (file.mode, file.disk_id if disk else file.id)
        for path, file in files.items()
        if not (disk and file.mode == SUBMODULE)
    }
    return make_tree(leaves, lambda entries: object_id(b"tree", tree_data(entries), object_format))


def _parts(template: Path) -> list[str]:
    found = [path for path in template.rglob("*") if path.is_file() and path.name != "seal.json"]
    return sorted(os.fspath(path.relative_to(template)) for path in found)


def _is_whole(template: Path, parts: Mapping[str, Mapping[str, object]]) -> bool:
    if sorted(parts) != _parts(template):
        return False
    # The facts of a file cannot be kept while its bytes change; a copied template is read.
    return all(
        _facts(template / name) == part["facts"] or _digest(template / name) == part["sha256"]
        for name, part in parts.items()
    )


def _facts(path: Path) -> list[int] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _digest(path: Path) -> str:
    state = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_DIGEST_PIECE):
            state.update(piece)
    return state.hexdigest()
