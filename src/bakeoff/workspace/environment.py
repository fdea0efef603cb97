"""The environment variables of setup, agent and checks: what each may see, and why.

Nothing is inherited but a short allow-list. Every variable remembers where it came from;
records name variables and sources, never values.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from bakeoff.errors import UserError
from bakeoff.identity import digest
from bakeoff.model.suite import Environment
from bakeoff.process.supervise import InnerPaths
from bakeoff.workspace.secrecy import has_login, is_credential, is_secret, secret_parts

CERTIFICATES = (
    "AWS_CA_BUNDLE",
    "CARGO_HTTP_CAINFO",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "HTTPLIB2_CA_CERTS",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "npm_config_cafile",
)
"""Names of certificate files and directories; programs must be able to read what they name."""

ALLOWED = (
    *CERTIFICATES,
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "LANGUAGE",
    "NO_PROXY",
    "TZ",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
)
"""Names that are inherited when they are set; those that begin with LC_ are too."""

_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Source(StrEnum):
    """Where a variable of a child's environment comes from."""

    ALLOW_LIST = "allow-list"
    BAKEOFF = "bakeoff"
    TOOLCHAIN = "toolchain"
    CACHE = "cache"
    PASSED = "passed"
    CREDENTIAL = "credential"
    HARNESS = "harness"
    SUITE = "suite"


@dataclass(frozen=True, slots=True)
class ChildEnvironment:
    """A whole environment for one program; printing it shows names only.

    Attributes:
        values: name to value.
        sources: name to where it came from.
        missing: names that were to be passed through but are not set.
        withheld: names that were to be passed through but look like secrets, which this
            program must not see.
    """

    values: Mapping[str, str] = field(repr=False)
    sources: Mapping[str, Source]
    missing: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()

    def digest(self) -> str:
        """SHA-256 of names, sources and values, without values that are secret or differ by trial."""
        told = {name: self.values[name] for name in self.values if self._is_same_in_every_trial(name)}
        return digest({"values": told, "sources": dict(self.sources)})

    def _is_same_in_every_trial(self, name: str) -> bool:
        if self.sources[name] in {Source.CREDENTIAL, Source.HARNESS, Source.CACHE} or name in _PRIVATE:
            return False
        return not is_secret(name, self.values[name])


@dataclass(frozen=True, slots=True, kw_only=True)
class Inheritance:
    """What the environments of one trial have in common.

    Attributes:
        parent: the variables that Bakeoff itself was started with.
        path: directories for PATH, already cleaned; see `clean_path`.
        toolchain: variables that installed toolchains need; see `workspace.toolchains`.
        declared: what suite and task say.
        passed: names that the user passes through (`--env`, project settings).
        credentials: names that the harness of the arm uses for keys and endpoints.
    """

    parent: Mapping[str, str] = field(repr=False)
    path: tuple[str, ...]
    toolchain: Mapping[str, str] = field(default_factory=dict)
    declared: Environment = Environment()
    passed: tuple[str, ...] = ()
    credentials: tuple[str, ...] = ()

    @property
    def pass_through(self) -> tuple[str, ...]:
        """All names to pass through, the suite's first."""
        return tuple(dict.fromkeys((*self.declared.pass_through, *self.passed)))


def secrets(inheritance: Inheritance) -> Mapping[str, tuple[str, ...]]:
    """The values, by name, that must never be written down: for `redact.Redactor`."""
    parent = inheritance.parent
    names = (*ALLOWED, *inheritance.pass_through)
    values = {name: parent[name] for name in names if name in parent} | dict(inheritance.declared.set)
    found = {name: secret_parts(value) for name, value in values.items() if is_secret(name, value)}
    for name in inheritance.credentials:
        if name in parent and is_credential(name, parent[name]):
            found[name] = secret_parts(parent[name])
    return MappingProxyType(found)


def agent_environment(
    inheritance: Inheritance, paths: InnerPaths, *, harness: Mapping[str, str] | None = None
) -> ChildEnvironment:
    """What the harness and its agent see: the only environment with credentials.

    `harness` holds the variables of the adapter itself (`Launch.env`). What the task sets
    and unsets comes last.
    """
    made = _Making(inheritance.parent)
    _begin(made, inheritance, paths)
    made.pass_on(inheritance.credentials, Source.CREDENTIAL, optional=True)
    made.pass_on(inheritance.pass_through, Source.PASSED)
    made.lay(harness or {}, Source.HARNESS)
    return _finish(made, inheritance)


def setup_environment(
    inheritance: Inheritance, paths: InnerPaths, *, caches: Mapping[str, str] | None = None
) -> ChildEnvironment:
    """What setup commands see: no credentials; `caches` holds where package managers keep files."""
    made = _Making(inheritance.parent)
    _begin(made, inheritance, paths)
    made.lay(caches or {}, Source.CACHE)
    made.pass_on(inheritance.pass_through, Source.PASSED, withhold=inheritance.credentials)
    return _finish(made, inheritance)


def check_environment(inheritance: Inheritance, paths: InnerPaths, *, pycache: str) -> ChildEnvironment:
    """What checks see: no credentials, and the same on every machine where that can be.

    `pycache` is the inner path of a fresh, empty directory for Python's byte code, so that
    byte code which an agent planted is never loaded.
    """
    made = _Making(inheritance.parent)
    _begin(made, inheritance, paths)
    for name in list(made.values):
        # A proxy's login is a credential too, and locales change what programs print.
        if name == "LANGUAGE" or name.startswith("LC_") or has_login(made.values[name]):
            made.drop(name)
    made.lay(
        {"TZ": "UTC", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONPYCACHEPREFIX": pycache},
        Source.BAKEOFF,
    )
    made.pass_on(inheritance.pass_through, Source.PASSED, withhold=inheritance.credentials)
    return _finish(made, inheritance)


def clean_path(parent: Mapping[str, str], *, without: Iterable[str] = ()) -> tuple[str, ...]:
    """The directories of PATH that a trial's programs are looked for in, in order.

    Left out are relative and missing directories, repetitions, the active virtual
    environment's, and whatever lies in a directory of `without`.
    """
    barred = [os.path.realpath(directory) for directory in without]
    if virtual := parent.get("VIRTUAL_ENV"):
        barred.append(os.path.realpath(virtual))
    kept: dict[str, None] = {}
    for entry in parent.get("PATH", "").split(os.pathsep):
        directory = os.path.normpath(entry) if entry else ""
        if os.path.isabs(directory) and os.path.isdir(directory) and not _lies_in(directory, barred):
            kept.setdefault(directory)
    return tuple(kept) or tuple(_DEFAULT_PATH.split(":"))


def home_files() -> Mapping[str, bytes]:
    """Files that a private HOME begins with, by path relative to it: a neutral git identity."""
    return MappingProxyType({".gitconfig": _GITCONFIG})


_PRIVATE = frozenset(
    {
        "HOME",
        "TMPDIR",
        "PYTHONPYCACHEPREFIX",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
    }
)
_GITCONFIG = b"""\
[user]
\tname = Agent
\temail = agent@example.invalid
[init]
\tdefaultBranch = main
[commit]
\tgpgSign = false
[tag]
\tgpgSign = false
[advice]
\tdetachedHead = false
"""


class _Making:
    """An environment while it is put together; later values replace earlier ones."""

    def __init__(self, parent: Mapping[str, str]) -> None:
        self.values: dict[str, str] = {}
        self.sources: dict[str, Source] = {}
        self.missing: list[str] = []
        self.withheld: list[str] = []
        self._parent = parent

    def lay(self, variables: Mapping[str, str], source: Source) -> None:
        for name, value in variables.items():
            _refuse_bad(name, value)
            self.values[name] = value
            self.sources[name] = source

    def drop(self, name: str) -> None:
        self.values.pop(name, None)
        self.sources.pop(name, None)

    def pass_on(
        self,
        names: Iterable[str],
        source: Source,
        *,
        optional: bool = False,
        withhold: tuple[str, ...] | None = None,
    ) -> None:
        """Hand on variables of the parent; with `withhold`, not these names and no secrets."""
        for name in names:
            _refuse_bad(name, "")
            value = self._parent.get(name)
            if value is None:
                if not optional:
                    self.missing.append(name)
            elif withhold is not None and (name in withhold or is_secret(name, value)):
                self.withheld.append(name)
            else:
                self.lay({name: value}, source)


def _begin(made: _Making, inheritance: Inheritance, paths: InnerPaths) -> None:
    parent = inheritance.parent
    allowed = {name: value for name, value in parent.items() if name in ALLOWED or name.startswith("LC_")}
    made.lay({"LANG": "C.UTF-8"}, Source.BAKEOFF)
    made.lay(allowed, Source.ALLOW_LIST)
    made.lay({"PATH": os.pathsep.join(inheritance.path)}, Source.ALLOW_LIST)
    made.lay(
        {
            "HOME": paths.home,
            "TMPDIR": paths.tmp,
            "XDG_CACHE_HOME": f"{paths.home}/.cache",
            "XDG_CONFIG_HOME": f"{paths.home}/.config",
            "XDG_DATA_HOME": f"{paths.home}/.local/share",
            "XDG_STATE_HOME": f"{paths.home}/.local/state",
            "USER": "agent",
            "LOGNAME": "agent",
            "TERM": "dumb",
            "NO_COLOR": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        Source.BAKEOFF,
    )
    made.lay(inheritance.toolchain, Source.TOOLCHAIN)


def _finish(made: _Making, inheritance: Inheritance) -> ChildEnvironment:
    made.lay(inheritance.declared.set, Source.SUITE)
    for name in inheritance.declared.unset:
        made.drop(name)
    return ChildEnvironment(
        values=MappingProxyType(made.values),
        sources=MappingProxyType(made.sources),
        missing=tuple(dict.fromkeys(made.missing)),
        withheld=tuple(dict.fromkeys(made.withheld)),
    )


def refuse_bad_name(name: str) -> None:
    """Raise UserError for what cannot be the name of a variable."""
    if not _NAME.fullmatch(name):
        hint = "letters, digits and _ only, not beginning with a digit"
        if "=" in name:
            hint = (
                f"name the variable only, its value is taken from your environment: {name.partition('=')[0]}"
            )
        raise UserError(f"not a name of an environment variable: {name!r}", hint=hint)


def _refuse_bad(name: str, value: str) -> None:
    refuse_bad_name(name)
    if "\0" in value:
        msg = f"the value of the environment variable {name} holds a NUL character"
        raise UserError(msg)


def _lies_in(directory: str, barred: list[str]) -> bool:
    real = os.path.realpath(directory)
    return any(real == each or real.startswith(f"{each.rstrip('/')}/") for each in barred)
