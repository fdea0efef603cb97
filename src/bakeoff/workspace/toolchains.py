"""What a sandbox must show, read-only, so that the programs on PATH work in it.

Programs live in /usr, but also below HOME: version managers, tools that users installed for
themselves, links from one bin directory into another place. Each is followed to what it
needs, and only that becomes visible: never a whole HOME, never what must stay hidden.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from bakeoff.workspace.environment import CERTIFICATES
from bakeoff.workspace.installations import Homes, installation_of

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
"""Directories that every sandbox shows anyway."""

_TOO_WIDE_BELOW_HOME = (
    "",
    ".cache",
    ".cargo",
    ".config",
    ".local",
    ".local/lib",
    ".local/share",
    ".local/share/uv",
    ".local/state",
    ".nvm",
    ".rustup",
    "go",
)
_TOO_WIDE = ("/", "/home", "/mnt", "/nix", "/opt", "/root", "/run", "/snap", "/srv", "/tmp", "/var")  # noqa: S108 - named to be refused, never written to
MANAGERS = {
    "PYENV_ROOT": ".pyenv",
    "RBENV_ROOT": ".rbenv",
    "NODENV_ROOT": ".nodenv",
    "GOENV_ROOT": ".goenv",
    "ASDF_DATA_DIR": ".asdf",
    "MISE_DATA_DIR": ".local/share/mise",
    "VOLTA_HOME": ".volta",
}
"""Variables that say where a version manager keeps things, and where it does unless told."""

CHOSEN = ("JAVA_HOME", "GOROOT")
"""Variables that choose a toolchain; handed on when the directory can be shown."""

_SCRIPT_HEAD = 512
_INTERPRETER = re.compile(rb"\A#![ \t]*(/[^\s]+)(?:[^\n]*\n'''exec' \"?(/[^\s\"]+))?")
_MOST_LINKS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchains:
    """What the programs on PATH need besides the system's own directories.

    Attributes:
        visible: files and directories to show read-only, sorted, none inside another.
        environment: variables that say where version managers keep things, since HOME is
            a private one.
    """

    visible: tuple[Path, ...]
    environment: Mapping[str, str]


def find_toolchains(
    parent: Mapping[str, str], path: Iterable[str], *, home: Path, never: Iterable[Path] = ()
) -> Toolchains:
    """Follow every program in the directories of `path` to what it needs.

    `home` is the user's real HOME. Nothing that lies in a directory of `never`, or that
    holds one, becomes visible; then the bin directory or the file alone is shown, if that
    is allowed.
    """
    homes = Homes(os.path.normpath(home), parent)
    shown = _Shown(homes, never)
    looked_at: set[str] = set()
    for directory in path:
        shown.follow(directory)
        real = os.path.realpath(directory)
        # /bin and /usr/bin are often one directory, and sandboxes show it by both names.
        if _is_system(real) and real in looked_at:
            continue
        looked_at.add(real)
        # Nobody can call a program by a directory that is not shown.
        for program in _programs(directory) if shown.has(directory) else ():
            shown.follow(program)
    environment = _environment(homes, shown)
    for name in CERTIFICATES:
        for file in parent.get(name, "").split(os.pathsep):
            if os.path.isabs(file):
                shown.follow(file, alone=True)
    return Toolchains(visible=shown.sorted(), environment=MappingProxyType(environment))


def needs_of(
    program: Path, parent: Mapping[str, str], *, home: Path, never: Iterable[Path] = ()
) -> tuple[Path, ...]:
    """What one program needs to be seen and to run, its own links included."""
    shown = _Shown(Homes(os.path.normpath(home), parent), never)
    shown.follow(os.path.normpath(program))
    return shown.sorted()


def _environment(homes: Homes, shown: _Shown) -> dict[str, str]:
    environment = {}
    for variable, below_home in MANAGERS.items():
        place = homes.place(variable, below_home)
        if shown.has(place):
            environment[variable] = place
    cargo = homes.place("CARGO_HOME", ".cargo")
    if shown.has(f"{cargo}/bin"):
        rustup = homes.place("RUSTUP_HOME", ".rustup")
        for each in (f"{cargo}/registry", f"{cargo}/git", f"{rustup}/toolchains", f"{rustup}/settings.toml"):
            shown.follow(each, alone=True)
        if shown.has(f"{rustup}/toolchains"):
            environment["RUSTUP_HOME"] = rustup
    for variable in CHOSEN:
        place = os.path.normpath(homes.parent.get(variable) or ".")
        if os.path.isabs(place):
            shown.follow(place, alone=True)
            if shown.has(place):
                environment[variable] = place
    return environment


class _Shown:
    """The paths that are to become visible, as they are collected."""

    def __init__(self, homes: Homes, never: Iterable[Path]) -> None:
        self._homes = homes
        self._never = [os.path.realpath(path) for path in never]
        wide = [os.path.join(homes.home, each).rstrip("/") for each in _TOO_WIDE_BELOW_HOME]
        self._too_wide = {*_TOO_WIDE, *wide, *map(os.path.realpath, wide)}
        self._paths: set[str] = set()
        self._followed: set[str] = set()

    def has(self, path: str) -> bool:
        """Whether a path is visible, by itself, as part of a directory, or with the system."""
        return any(part in self._paths for part in _with_above(path)) or _is_system(path)

    def sorted(self) -> tuple[Path, ...]:
        """All of them in order, without those inside another one."""
        outer = [
            each
            for each in self._paths
            if not any(up in self._paths for up in _with_above(os.path.dirname(each)))
        ]
        return tuple(Path(each) for each in sorted(outer))

    def follow(self, path: str, *, alone: bool = False) -> None:
        """Show what is at `path`: links on the way, the installation, a script's interpreter.

        `alone` shows the file or directory itself and not what it belongs to.
        """
        if not os.path.exists(path):
            return
        for link in _links_on(path):
            self._add(link)
        real = os.path.realpath(path)
        # Both spellings: HOME itself may be a link, which is too wide to be shown as one.
        for each in dict.fromkeys((path, real)):
            if each not in self._followed:
                self._followed.add(each)
                self._show(each, alone=alone)
        for interpreter in _interpreters(real):
            if interpreter not in self._followed:
                self.follow(interpreter)

    def _show(self, path: str, *, alone: bool) -> None:
        if _is_system(path):
            return
        if alone or not self._add(installation_of(path, self._homes)):
            self._add(path)
        self._follow_environment_of(path)

    def _follow_environment_of(self, program: str) -> None:
        """The Python that a virtual environment is built on lies elsewhere."""
        prefix = os.path.dirname(os.path.dirname(program))
        if os.path.exists(os.path.join(prefix, "pyvenv.cfg")):
            python = os.path.join(prefix, "bin", "python")
            if python not in self._followed:
                self.follow(python)

    def _add(self, path: str) -> bool:
        """Show a path unless that shows too much; whether it is visible now."""
        if _is_system(path):
            return True
        real = os.path.realpath(path)
        for each in {path, real}:
            if each in self._too_wide or self._homes.home.startswith(f"{each}/"):
                return False
            if any(_is_within(each, barred) or _is_within(barred, each) for barred in self._never):
                return False
        self._paths.add(path)
        return True


def _programs(directory: str) -> Iterator[str]:
    """The executables of a directory, in order; of the system's own only links that may leave it."""
    try:
        with os.scandir(directory) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    system = _is_system(os.path.realpath(directory))
    for entry in found:
        if system and not _leads_away(entry):
            continue
        real = os.path.realpath(entry.path)
        if os.path.isfile(real) and os.access(real, os.X_OK) and not (system and _is_system(real)):
            yield entry.path


def _leads_away(entry: os.DirEntry[str]) -> bool:
    """Whether it is a link out of its directory; one to a neighbour leads where that does, which is looked at too."""
    try:
        return entry.is_symlink() and "/" in os.readlink(entry.path)
    except OSError:
        return False


def _links_on(path: str) -> Iterator[str]:
    """Every link that the kernel follows on the way to `path`, by the path at which it lies."""
    waiting = path.strip("/").split("/")[::-1]
    here, count = "", 0
    while waiting and count < _MOST_LINKS:
        part = waiting.pop()
        if part in {"", "."}:
            continue
        if part == "..":
            here = os.path.dirname(here)
            continue
        following = f"{here}/{part}"
        if not os.path.islink(following):
            here = following
            continue
        yield following
        count += 1
        target = os.readlink(following)
        waiting += target.strip("/").split("/")[::-1]
        here = "" if target.startswith("/") else here


def _interpreters(path: str) -> Iterator[str]:
    """The absolute paths of programs that the head of a script names."""
    try:
        with open(path, "rb") as file:
            head = file.read(_SCRIPT_HEAD)
    except OSError:
        return
    if found := _INTERPRETER.match(head):
        for each in found.groups():
            if each and os.path.exists(each):
                yield os.path.normpath(os.fsdecode(each))


def _with_above(path: str) -> Iterator[str]:
    while path not in {"/", ""}:
        yield path
        path = os.path.dirname(path)


def _is_system(path: str) -> bool:
    return any(_is_within(path, each) for each in SYSTEM)


def _is_within(path: str, directory: str) -> bool:
    return path == directory or path.startswith(f"{directory.rstrip('/')}/")
