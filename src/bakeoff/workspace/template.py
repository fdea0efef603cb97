"""Building a sealed template: the repository of the one commit and the bytes of its files."""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import IO

from bakeoff.errors import UserError
from bakeoff.git.call import GitFailed, converse_with_git, run_git
from bakeoff.git.objects import (
    EXECUTABLE,
    FILE,
    LINK,
    SUBMODULE,
    Leaf,
    LooseObjects,
    make_git_directory,
    new_hash,
    object_id,
    tree_data,
)
from bakeoff.git.tree import Tree, make_tree
from bakeoff.workspace.laying import remove_tree
from bakeoff.workspace.manifest import PIECE
from bakeoff.workspace.sealed import Identity, SealedFile, write_seal
from bakeoff.workspace.start import Files, lacks_objects

_LFS = b"version https://git-lfs.github.com/spec/"
_LARGEST_POINTER = 1024


def build_template(files: Files, identity: Identity, commit: bytes, template: Path) -> None:
    """Fill the empty directory `template`; UserError when the source lacks something."""
    git_dir = template / "git"
    tree = _make_repository(files, identity, commit, git_dir)
    contents = _write_contents(files, identity, template)
    (template / "archive").mkdir()
    _pack_converted(contents.files, tree, identity.object_format, template)
    _write_rules(contents, template / "rules")
    for folder, _, names in os.walk(os.fsencode(template)):
        for name in names:
            os.chmod(os.path.join(folder, name), 0o444)
    write_seal(template, identity, contents.files, contents.pointers)


def _make_repository(files: Files, identity: Identity, commit: bytes, git_dir: Path) -> Tree:
    make_git_directory(git_dir, object_format=identity.object_format, bare=True)
    objects = LooseObjects(git_dir / "objects", identity.object_format)
    for path, content in files.local.items():
        data = content if isinstance(content, bytes) else content.read_bytes()
        if objects.put(b"blob", data) != files.leaves[path][1]:
            raise UserError(f"{files.origin} changed while it was sealed: {os.fsdecode(path)}")
    tree = make_tree(files.leaves, objects.put_tree)
    objects.put(b"commit", commit)
    try:
        _pack([identity.commit], git_dir, git_dir / "objects/pack", files.environment, "--revs")
    except GitFailed as error:
        raise lacks_objects(files.origin, "these files", error) from error
    for folder in (git_dir / "objects").glob("??"):
        remove_tree(folder)
    (git_dir / "refs/heads/main").write_text(identity.commit + "\n")
    return tree


def _pack(
    names: Collection[str], git_dir: Path, place: Path, environment: Mapping[str, str], *options: str
) -> None:
    """Write one pack with its index into `place`, from the source's objects and the loose ones."""
    run_git(
        ["pack-objects", "-q", "--delta-base-offset", *options, str(place / "pack")],
        git_dir=git_dir,
        env=environment,
        input="".join(f"{name}\n" for name in names).encode(),
    )


class _Contents:
    """The file `contents` while it is written."""

    def __init__(self, output: IO[bytes], origin: str) -> None:
        self.files: dict[bytes, SealedFile] = {}
        self.pointers: list[bytes] = []
        self.rules: dict[bytes, bytes] = {}
        self._output = output
        self._origin = origin
        self._offset = 0

    def take(self, path: bytes, leaf: Leaf, source: IO[bytes], size: int) -> None:
        """Copy the bytes of one file or link."""
        state = new_hash(b"blob", size)
        first = b""
        left = size
        while left:
            piece = source.read(min(left, PIECE))
            if not piece:
                raise UserError(f"{self._origin} changed while it was sealed: {os.fsdecode(path)}")
            first = first or piece
            left -= len(piece)
            state.update(piece)
            self._output.write(piece)
        self.files[path] = SealedFile(*leaf, state.hexdigest(), self._offset, size)
        self._offset += size
        if size <= _LARGEST_POINTER and first.startswith(_LFS):
            self.pointers.append(path)
        if path.rpartition(b"/")[2] == b".gitignore" and leaf[0] != LINK:
            self.rules[path] = first

    def take_submodule(self, path: bytes, leaf: Leaf) -> None:
        """Note an empty folder."""
        self.files[path] = SealedFile(*leaf, "", self._offset, 0)


def _write_contents(files: Files, identity: Identity, template: Path) -> _Contents:
    converting = any(path.rpartition(b"/")[2] == b".gitattributes" for path in files.leaves)
    with (template / "contents").open("xb") as output:
        contents = _Contents(output, files.origin)
        for path, leaf in files.leaves.items():
            if leaf[0] == SUBMODULE:
                contents.take_submodule(path, leaf)
        if converting:
            _take_checked_out(files, identity, template, contents)
        else:
            _take_verbatim(files, template / "git", contents)
    damaged = [
        os.fsdecode(path)
        for path, file in contents.files.items()
        if not converting and identity.object_format == "sha1" and file.disk_id not in {file.id, ""}
    ]
    if damaged:
        raise UserError(f"{files.origin} is damaged: {damaged[0]} does not have the content that its id says")
    return contents


def _take_verbatim(files: Files, git_dir: Path, contents: _Contents) -> None:
    """Without attributes, what lies on disk is what the commit holds."""
    with converse_with_git(["cat-file", "--batch"], git_dir=git_dir) as conversation:
        for path, leaf in sorted(files.leaves.items()):
            if leaf[0] == SUBMODULE:
                continue
            conversation.ask.write(leaf[1].encode() + b"\n")
            conversation.ask.flush()
            size = int(conversation.answers.readline().split(b" ")[2])
            contents.take(path, leaf, conversation.answers, size)
            conversation.answers.read(1)


def _take_checked_out(files: Files, identity: Identity, template: Path, contents: _Contents) -> None:
    """With attributes, git itself writes the files: line ends, encodings and ids as a user would see them.

    Filter programs are not known to this repository, so their files stay as they are stored.
    """
    tree, index = template / "tree", template / "index"
    tree.mkdir()
    run_git(
        ["read-tree", "--reset", "-u", identity.commit],
        git_dir=template / "git",
        work_tree=tree,
        env={"GIT_INDEX_FILE": str(index)},
    )
    for path, leaf in sorted(files.leaves.items()):
        full = os.path.join(os.fsencode(tree), path)
        if leaf[0] == LINK:
            target = os.readlink(full)
            contents.take(path, leaf, io.BytesIO(target), len(target))
        elif leaf[0] in {FILE, EXECUTABLE}:
            with open(full, "rb") as source:
                contents.take(path, leaf, source, os.fstat(source.fileno()).st_size)
    remove_tree(tree)
    index.unlink()


def _pack_converted(
    files: Mapping[bytes, SealedFile], tree: Tree, object_format: str, template: Path
) -> None:
    """Pack what the archive needs and the commit does not have: bytes on disk that differ, as sha1."""
    scratch = template / "scratch"
    make_git_directory(scratch, bare=True)
    objects = LooseObjects(scratch / "objects")
    known = {file.id for file in files.values()} | {tree.id}
    known |= {name for entries in tree.folders.values() for _, name in entries.values()}
    if object_format != "sha1":
        known = set()
    wanted: set[str] = set()

    def put_tree(entries: Mapping[bytes, Leaf]) -> str:
        name = object_id(b"tree", tree_data(entries))
        if name not in known:
            wanted.add(objects.put_tree(entries))
        return name

    with (template / "contents").open("rb") as contents:
        for file in files.values():
            if file.mode != SUBMODULE and file.disk_id not in known:
                wanted.add(objects.put(b"blob", os.pread(contents.fileno(), file.size, file.offset)))
    make_tree(
        {path: (file.mode, file.disk_id) for path, file in files.items() if file.mode != SUBMODULE}, put_tree
    )
    if wanted:
        _pack(sorted(wanted), scratch, template / "archive", {})
    remove_tree(scratch)


def _write_rules(contents: _Contents, rules: Path) -> None:
    rules.mkdir()
    for path, data in contents.rules.items():
        full = os.path.join(os.fsencode(rules), path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "xb") as file:
            file.write(data)
