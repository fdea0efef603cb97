"""The one place that starts git, so that nothing of the repository at hand takes part in it.

Every call has an explicit git directory and an environment of its own: no variable, user or
system configuration, hook, monitor, pager, prompt, fetch or lock of anybody else. What a
repository's own configuration could still start is overridden on the command line.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bakeoff.errors import BakeoffError, UserError

_INHERITED = ("PATH", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DEVELOPER_DIR")
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "",  # nothing may be fetched, also where lazy fetches cannot be turned off
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_EDITOR": "false",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "TZ": "UTC",
    "XDG_CONFIG_HOME": "/nonexistent",
}
_CONFIG = (
    "core.attributesFile=/dev/null",
    "core.autocrlf=false",
    "core.eol=lf",
    "core.excludesFile=/dev/null",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.precomposeUnicode=false",
    "core.protectHFS=false",
    "core.protectNTFS=false",
    "core.quotePath=false",
    "core.splitIndex=false",
    "core.untrackedCache=false",
    "core.useReplaceRefs=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    "submodule.recurse=false",
)


class GitFailed(BakeoffError):
    """A git call ended with an exit code that its caller did not expect.

    Attributes:
        command: the arguments, without the fixed ones.
        returncode: the exit code; negative when a signal ended git.
        stderr: what git said, bytes that are not UTF-8 replaced.
    """

    def __init__(self, command: Sequence[str], returncode: int, stderr: str) -> None:
        self.command = tuple(command)
        self.returncode = returncode
        self.stderr = stderr.strip()
        super().__init__(f"git {' '.join(self.command[:3])}: exit code {returncode}: {self.stderr}")


def run_git(
    args: Sequence[str],
    *,
    git_dir: Path | None,
    work_tree: Path | None = None,
    env: Mapping[str, str] | None = None,
    input: bytes | None = None,  # noqa: A002  the name that subprocess uses for it
    cwd: Path | None = None,
    accept: Collection[int] = (0,),
) -> bytes:
    """Run git to its end and return what it printed.

    Without a `git_dir` git finds no repository at all. `env` is laid over the neutral
    environment. An exit code outside `accept` is GitFailed; a missing git is a UserError.
    """
    with _started(args, git_dir=git_dir, work_tree=work_tree, env=env, cwd=cwd) as process:
        output, errors = process.communicate(input)
    if process.returncode not in accept:
        raise GitFailed(args, process.returncode, errors.decode("utf-8", "replace"))
    return output


@dataclass(frozen=True, slots=True)
class Conversation:
    """A running git that answers on its standard output what it is asked on its input."""

    ask: IO[bytes]
    answers: IO[bytes]


@contextmanager
def converse_with_git(
    args: Sequence[str], *, git_dir: Path, env: Mapping[str, str] | None = None
) -> Iterator[Conversation]:
    """Keep one git running for many questions, as `cat-file --batch` does; ended on leaving."""
    with _started(args, git_dir=git_dir, env=env, errors=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Conversation(process.stdin, process.stdout)
        finally:
            process.kill()


def _started(
    args: Sequence[str],
    *,
    git_dir: Path | None,
    work_tree: Path | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    errors: int = subprocess.PIPE,
) -> subprocess.Popen[bytes]:
    # Without --git-dir git would look for a repository above the current directory.
    places = [f"--git-dir={git_dir if git_dir is not None else '/nonexistent'}"]
    if work_tree is not None:
        places.append(f"--work-tree={work_tree}")
    settings = [word for setting in _CONFIG for word in ("-c", setting)]
    try:
        return subprocess.Popen(
            ["git", "--no-pager", *settings, *places, *args],
            env=neutral_environment() | dict(env or {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=cwd or work_tree or "/",
            # Ctrl-C at a terminal reaches everything in its session: what git was asked to do must be done.
            start_new_session=True,
        )
    except FileNotFoundError as error:
        if error.filename != "git":  # the directory to start it in is missing
            raise
        raise UserError("git is not installed", hint="install git 2.32 or later") from error


def neutral_environment() -> dict[str, str]:
    """The environment of every git call: nothing of the user's but where programs are found."""
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return inherited | _ENVIRONMENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A git repository on this machine.

    Attributes:
        path: the directory that was asked for, absolute.
        git_dir: of this work tree; for a linked work tree its private one.
        common_dir: the directory with objects, refs and configuration.
        work_tree: None for a bare repository.
        object_format: "sha1" or "sha256".
        shallow: its history is cut off somewhere.
    """

    path: Path
    git_dir: Path
    common_dir: Path
    work_tree: Path | None
    object_format: str
    shallow: bool


def find_repository(path: Path) -> Repository | None:
    """The repository whose top is `path`: a work tree, a linked one or a bare repository.

    None for any other directory, also for one that lies inside a repository. A `.git` that
    git cannot use is a UserError.
    """
    path = Path(os.path.abspath(path))
    marker = path / ".git"
    if os.path.lexists(marker):
        git_dir = _git_dir_of(marker)
        work_tree: Path | None = path
    elif _looks_bare(path):
        git_dir, work_tree = path, None
    else:
        return None
    asked = ["rev-parse", "--path-format=absolute", "--git-common-dir"]
    try:
        answer = run_git(
            [*asked, "--show-object-format", "--is-shallow-repository"], git_dir=git_dir, cwd=path
        )
    except GitFailed as error:
        raise UserError(f"{marker if work_tree else path} is not a git repository: {error.stderr}") from error
    common, object_format, shallow = os.fsdecode(answer).rstrip("\n").rsplit("\n", 2)
    return Repository(
        path=path,
        git_dir=git_dir,
        common_dir=Path(common),
        work_tree=work_tree,
        object_format=object_format,
        shallow=shallow == "true",
    )


def _git_dir_of(marker: Path) -> Path:
    if marker.is_dir():
        return marker
    try:
        kind, _, place = os.fsdecode(marker.read_bytes()).partition(":")
    except OSError as error:
        raise UserError(f"{marker} cannot be read: {error.strerror}") from error
    if kind != "gitdir" or not place.strip():
        raise UserError(f"{marker} does not say where its git directory is")
    return Path(os.path.abspath(marker.parent / place.strip(" \n")))


def _looks_bare(path: Path) -> bool:
    return (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir()


def resolve_commit(repository: Repository, revision: str) -> str | None:
    """The full id of the commit that `revision` names; None when it names none."""
    try:
        answer = run_git(
            ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"],
            git_dir=repository.git_dir,
        )
    except GitFailed:
        return None
    return answer.decode("ascii").strip()


def is_dirty(repository: Repository) -> bool:
    """Whether the work tree differs from HEAD, new files included; False for a bare repository.

    Submodules are not looked into. Where a file's content passes through a filter program,
    which is never run, only its size and times are compared.
    """
    if repository.work_tree is None:
        return False
    drivers = _filter_drivers(repository)
    listing = run_git(
        ["status", "--porcelain=v1", "-z", "--ignore-submodules=all", "--no-renames"],
        git_dir=repository.git_dir,
        work_tree=repository.work_tree,
        env=_without_filters(drivers),
    )
    entries = [entry for entry in listing.split(b"\0") if entry]
    if not drivers:
        return bool(entries)
    edited = [entry[3:] for entry in entries if entry[:2] == b" M"]
    return len(edited) < len(entries) or bool(set(edited) - _filtered(repository, edited))


def _filter_drivers(repository: Repository) -> list[str]:
    listing = run_git(
        ["config", "--null", "--name-only", "--get-regexp", r"^filter\."],
        git_dir=repository.git_dir,
        accept=(0, 1),
    )
    keys = [os.fsdecode(key) for key in listing.split(b"\0") if key]
    return sorted({key[len("filter.") : key.rindex(".")] for key in keys})


def _without_filters(drivers: Sequence[str]) -> dict[str, str]:
    # By variables and not by -c, because the name of a driver may hold any character.
    settings = [
        (f"filter.{name}.{key}", value)
        for name in drivers
        for key, value in (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))
    ]
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


def _filtered(repository: Repository, paths: Sequence[bytes]) -> set[bytes]:
    answer = run_git(
        ["check-attr", "-z", "--stdin", "filter"],
        git_dir=repository.git_dir,
        work_tree=repository.work_tree,
        input=b"".join(path + b"\0" for path in paths),
    )
    fields = answer.split(b"\0")
    return {path for path, value in zip(fields[::3], fields[2::3], strict=False) if value != b"unspecified"}


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One file, link or submodule of a tree; `mode` as git writes it (0o100644, 0o120000, ...)."""

    path: bytes
    mode: int
    id: str


def list_tree(git_dir: Path, tree: str, *, env: Mapping[str, str] | None = None) -> list[TreeEntry]:
    """Everything below a tree or commit except directories, in git's own order."""
    listing = run_git(["ls-tree", "-r", "-z", "--full-tree", tree], git_dir=git_dir, env=env)
    return [_tree_entry(record) for record in listing.split(b"\0") if record]


def _tree_entry(record: bytes) -> TreeEntry:
    facts, _, path = record.partition(b"\t")
    mode, _kind, object_id = facts.split(b" ")
    return TreeEntry(path, int(mode, 8), object_id.decode("ascii"))
