"""Where installations of programs lie: which directory goes with a program that was found."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

KNOWN = (
    ("PYENV_ROOT", ".pyenv", "."),
    ("RBENV_ROOT", ".rbenv", "."),
    ("NODENV_ROOT", ".nodenv", "."),
    ("GOENV_ROOT", ".goenv", "."),
    ("ASDF_DATA_DIR", ".asdf", "."),
    ("MISE_DATA_DIR", ".local/share/mise", "."),
    ("VOLTA_HOME", ".volta", "."),
    ("NVM_DIR", ".nvm", "versions/*/*"),
    ("FNM_DIR", ".local/share/fnm", "node-versions/*/installation"),
    ("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python", "."),
    ("UV_TOOL_DIR", ".local/share/uv/tools", "*"),
    ("PIPX_HOME", ".local/share/pipx", "venvs/*"),
    ("", ".local/pipx", "venvs/*"),
    ("PNPM_HOME", ".local/share/pnpm", "."),
    ("BUN_INSTALL", ".bun", "bin"),
    ("BUN_INSTALL", ".bun", "install/global"),
    ("SDKMAN_DIR", ".sdkman", "candidates/*/*"),
    ("CARGO_HOME", ".cargo", "bin"),
    ("RUSTUP_HOME", ".rustup", "toolchains"),
    ("", ".local/share/claude/versions", "."),
    ("", ".linuxbrew", "."),
)
"""Variable that moves it, place below HOME, and which parts of it go together; `.` is all."""

MARKS = ("pyvenv.cfg", "conda-meta", "lib/node_modules", "pkg/tool", "lib/jvm.cfg", "lib/python3*")
"""What lies in a directory that is an installation as a whole, its `bin` included."""

_WHOLE = ("/nix/store", "/home/linuxbrew/.linuxbrew")
"""Places outside HOME whose parts need each other; they hold nothing but programs."""

_TOGETHER = ("/opt", "/snap")
"""Places outside HOME whose direct subdirectories are installations."""

_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Homes:
    """Where to look: HOME, and the variables that move installations elsewhere."""

    home: str
    parent: Mapping[str, str]

    def place(self, variable: str, below_home: str) -> str:
        """The directory that a variable names, else the usual one below HOME."""
        named = self.parent.get(variable, "") if variable else ""
        return os.path.normpath(named) if os.path.isabs(named) else os.path.join(self.home, below_home)


def installation_of(path: str, homes: Homes) -> str:
    """The directory that must be readable for the program or bin directory at `path` to work.

    It is `path` itself when nothing says that it belongs to something larger.
    """
    for variable, below_home, parts in KNOWN:
        place = homes.place(variable, below_home)
        for root in dict.fromkeys((place, os.path.realpath(place))):
            if found := _part(path, root, parts):
                return found
    if "/node_modules/" in path:
        return path[: path.index("/node_modules/") + len("/node_modules")]
    for whole in _WHOLE:
        if path == whole or path.startswith(f"{whole}/"):
            return whole
    for top in _TOGETHER:
        if path.startswith(f"{top}/"):
            return f"{top}/{path.removeprefix(f'{top}/').split('/')[0]}"
    return next((each for each in _above(path) if _is_installation(each)), path)


def _part(path: str, root: str, parts: str) -> str | None:
    """The part of an installation's root that `path` lies in, None when it lies in no such part."""
    if path != root and not path.startswith(f"{root}/"):
        return None
    if parts == ".":
        return root
    wanted = parts.split("/")
    have = path.removeprefix(root).strip("/").split("/")
    if len(have) < len(wanted) or not all(map(fnmatch.fnmatchcase, have, wanted)):
        return None
    return "/".join([root, *have[: len(wanted)]])


def _above(path: str) -> Iterator[str]:
    for _ in range(_DEEPEST):
        path = os.path.dirname(path)
        if path == "/":
            return
        yield path


def _is_installation(directory: str) -> bool:
    for mark in MARKS:
        if "*" not in mark:
            if os.path.lexists(os.path.join(directory, mark)):
                return True
            continue
        folder, _, names = mark.rpartition("/")
        try:
            inside = os.listdir(os.path.join(directory, folder))
        except OSError:
            continue
        if fnmatch.filter(inside, names):
            return True
    return False
