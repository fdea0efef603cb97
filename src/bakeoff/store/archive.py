"""The archive of final trees: one bare repository that holds every file of every trial, byte by byte.

Objects are written in Python, each to a temporary file that is then renamed, and each trial
has a reference file of its own; so any number of processes may write at once, and no index,
HEAD or lock stands in a trial's way. Git only reads, and packs now and then.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from bakeoff.errors import HostFailed
from bakeoff.git.call import GitFailed, converse_with_git, list_tree, run_git
from bakeoff.git.diff import unified_diff
from bakeoff.git.objects import FOLDER, Leaf, LooseObjects, commit_data, make_git_directory

_PERSON = "Bakeoff <bakeoff@example.invalid>"
_CONFIG = """\
[core]
	hooksPath = /dev/null
	fsmonitor = false
	untrackedCache = false
	autocrlf = false
	protectNTFS = false
	protectHFS = false
	symlinks = true
	ignoreCase = false
	precomposeUnicode = false
	looseCompression = 1
"""
# Beats the attributes in the trees, so that git takes and gives bytes as they are.
_ATTRIBUTES = (
    "* -text -eol -crlf -filter -ident -working-tree-encoding -export-subst -export-ignore !diff !merge\n"
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


class Archive:
    """The archive below a store; safe for many threads and processes at once. Ids are sha1.

    Whatever the machine does wrong, a full disk or a damaged object, is HostFailed.
    """

    def __init__(self, path: Path) -> None:
        """Open the repository at `path`; it is made when it is missing."""
        self.path = path
        if not (path / "HEAD").exists():
            self._make()
        self._objects = LooseObjects(path / "objects")

    def _make(self) -> None:
        """Make it beside its place and move it there, unless another process was faster."""
        making = self.path.with_name(f"{self.path.name}.new-{secrets.token_hex(4)}")
        try:
            making.parent.mkdir(parents=True, exist_ok=True)
            making.mkdir(mode=0o700)
            make_git_directory(making, bare=True, config=_CONFIG)
            (making / "info" / "attributes").write_text(_ATTRIBUTES)
            (making / "refs" / "trials").mkdir()
            with contextlib.suppress(FileExistsError, OSError):
                os.rename(making, self.path)
        except OSError as error:
            raise HostFailed(f"the archive cannot be made: {error.strerror}", str(self.path)) from error
        finally:
            shutil.rmtree(making, ignore_errors=True)
        if not (self.path / "HEAD").exists():
            raise HostFailed("the archive cannot be made", str(self.path))

    def put_blob(self, data: bytes) -> str:
        """Keep the content of a file or link; returns its id."""
        return self._objects.put(b"blob", data)

    def put_tree(self, entries: Mapping[bytes, Leaf]) -> str:
        """Keep a folder whose entries are kept already; returns its id."""
        return self._objects.put_tree(entries)

    def put_commit(self, tree: str, *, message: str, parents: tuple[str, ...] = ()) -> str:
        """Keep a commit of a tree; the same content always has the same id."""
        data = commit_data(tree, person=_PERSON, date=0, message=message, parents=parents)
        return self._objects.put(b"commit", data)

    def adopt_pack(self, pack: Path) -> None:
        """Keep all objects of a pack that has its index beside it; more than once is no harm."""
        folder = self.path / "objects" / "pack"
        try:
            # Git looks for the index first, so it comes last.
            for source in (pack, pack.with_suffix(".idx")):
                _copy_once(source, folder / source.name)
        except OSError as error:
            raise HostFailed(f"the archive cannot be written: {error.strerror}", str(pack)) from error

    def keep(self, trial: str, trees: Mapping[str, str], *, aside: Collection[str] = ()) -> str:
        """Hold on to the trees of a trial and to single blobs for good, by a reference of its own.

        `trees` are named, such as `baseline` and `final`. Returns the commit that
        `refs/trials/TRIAL` now names; calling it again replaces what was held.
        """
        if not _NAME.fullmatch(trial) or ".." in trial or trial.endswith((".lock", ".")):
            raise ValueError(f"not a name for a reference: {trial!r}")
        entries: dict[bytes, Leaf] = {name.encode(): (FOLDER, tree) for name, tree in trees.items()}
        if aside:
            blobs: dict[bytes, Leaf] = {name.encode(): (0o100644, name) for name in aside}
            entries[b"aside"] = (FOLDER, self.put_tree(blobs))
        commit = self.put_commit(self.put_tree(entries), message=f"trial {trial}")
        self._write_reference(trial, commit)
        return commit

    def _write_reference(self, trial: str, commit: str) -> None:
        place = self.path / "refs" / "trials" / trial
        temporary = self.path / f"reference-{secrets.token_hex(8)}"
        try:
            temporary.write_text(commit + "\n")
            os.replace(temporary, place)
        except OSError as error:
            raise HostFailed(f"the archive cannot be written: {error.strerror}", str(place)) from error

    def drop(self, trial: str) -> None:
        """Let go of what `keep` held for a trial; its objects stay until they are collected."""
        if _NAME.fullmatch(trial):
            (self.path / "refs" / "trials" / trial).unlink(missing_ok=True)

    def trials(self) -> frozenset[str]:
        """Names of the trials for which something is held."""
        return frozenset(os.listdir(self.path / "refs" / "trials"))

    def has(self, name: str) -> bool:
        """Whether an object is here and can be read."""
        try:
            return self._objects.read(name) is not None or self._type(name) is not None
        except HostFailed:
            return False

    def _type(self, name: str) -> str | None:
        try:
            return run_git(["cat-file", "-t", name], git_dir=self.path).decode().strip()
        except GitFailed:
            return None

    def read_blob(self, name: str) -> bytes:
        """The content of one blob; HostFailed when it is missing or damaged."""
        data = self._objects.read(name)
        if data is not None:
            return data
        try:
            return run_git(["cat-file", "blob", name], git_dir=self.path)
        except GitFailed as error:
            raise HostFailed(f"the archive does not hold {name}", error.stderr) from error

    def read_blobs(self, names: Iterable[str]) -> Iterator[bytes]:
        """The contents of many blobs in their order, read one by one as they are asked for."""
        with converse_with_git(["cat-file", "--batch"], git_dir=self.path) as conversation:
            for name in names:
                conversation.ask.write(name.encode() + b"\n")
                conversation.ask.flush()
                answer = conversation.answers.readline().split()
                if len(answer) != 3 or answer[1] != b"blob":
                    raise HostFailed(f"the archive does not hold {name}")
                data = conversation.answers.read(int(answer[2]))
                conversation.answers.read(1)
                yield data

    def walk_tree(self, tree: str) -> Iterator[tuple[bytes, int, str]]:
        """Path, mode and id of every file and link of a tree, in the order of their paths."""
        try:
            entries = list_tree(self.path, tree)
        except GitFailed as error:
            raise HostFailed(f"the archive does not hold {tree}", error.stderr) from error
        for entry in entries:
            yield entry.path, entry.mode, entry.id

    def diff(self, before: str, after: str, paths: Collection[bytes] | None = None) -> bytes:
        """The unified diff from one tree to another, limited to exactly `paths` when given."""
        if before == after or (paths is not None and not paths):
            return b""
        try:
            return unified_diff(self.path, before, after, paths)
        except GitFailed as error:
            raise HostFailed("a diff cannot be made from the archive", error.stderr) from error

    def loose_count(self) -> int:
        """About how many objects are not packed, judged by one of 256 folders as git does."""
        try:
            return 256 * len(os.listdir(self.path / "objects" / "17"))
        except FileNotFoundError:
            return 0

    def pack(self) -> None:
        """Move loose objects of kept trials into a pack; one process at a time, others may go on writing."""
        with self._locked():
            try:
                run_git(["repack", "-d", "-l", "-q"], git_dir=self.path)
            except GitFailed as error:
                raise HostFailed("the archive cannot be packed", error.stderr) from error

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        lock = os.open(self.path / "pack.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def _copy_once(source: Path, place: Path) -> None:
    if place.exists():
        return
    temporary = place.with_name(f"tmp_pack_{secrets.token_hex(8)}")
    try:
        shutil.copyfile(source, temporary)
        os.chmod(temporary, 0o444)
        os.replace(temporary, place)
    finally:
        temporary.unlink(missing_ok=True)
