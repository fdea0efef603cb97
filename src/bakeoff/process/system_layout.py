"""Which parts of this machine's system a sandbox shows: programs, libraries, a little of /etc."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass

_TOP = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32")
_STORES = ("/nix/store", "/gnu/store", "/run/current-system")

_ETC = (
    # names and addresses
    *("hosts", "host.conf", "gai.conf", "resolv.conf", "services", "protocols"),
    # libraries, and the choice between versions of a program
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "static"),
    # time, language, terminals, kinds of files
    *("localtime", "timezone", "locale.alias", "locale.conf", "terminfo", "inputrc", "shells"),
    *("mime.types", "magic", "os-release", "lsb-release", "debian_version", "redhat-release", "fonts"),
    # certificates: public ones only, as /etc/ssl and /etc/pki hold private keys too
    *("ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf", "ca-certificates", "ca-certificates.conf"),
    *("pki/ca-trust", "pki/tls/certs", "pki/tls/cert.pem", "pki/tls/openssl.cnf", "crypto-policies"),
)
_ETC_PATTERNS = ("python[0-9]*", "perl", "java-*", "php", "R", "dotnet")
"""Where distributions keep parts of a language's standard library."""

_PROC_COVERED = ("sys", "sysrq-trigger", "acpi", "fs", "scsi", "mtrr")
"""What root owns in /proc: its files change the whole machine, with no capability asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemLayout:
    """The system as a sandbox shows it.

    Attributes:
        links: path to what it points to, to be made again in the sandbox.
        read_only: (host path, inner path), all of which exist.
        covered: paths below /proc that must be read-only.
    """

    links: tuple[tuple[str, str], ...]
    read_only: tuple[tuple[str, str], ...]
    covered: tuple[str, ...] = ()


def read_system_layout(root: str = "/") -> SystemLayout:
    """Look at this machine's system below `root`."""
    links: list[tuple[str, str]] = []
    read_only: list[tuple[str, str]] = []
    for name in _TOP:
        path = os.path.join(root, name)
        # Where /bin and the like are links into /usr they are links in the sandbox as well.
        if os.path.islink(path):
            links.append((f"/{name}", os.readlink(path)))
        elif os.path.isdir(path):
            read_only.append((path, f"/{name}"))
    stores = ((os.path.join(root, store.lstrip("/")), store) for store in _STORES)
    read_only.extend((os.path.realpath(path), store) for path, store in stores if os.path.exists(path))
    for inner, path in _etc_paths(root):
        if _is_link_into_usr(path):
            links.append((inner, os.path.realpath(path)))
        else:
            read_only.append((os.path.realpath(path), inner))
    own = os.path.join(os.path.dirname(__file__), "etc")
    read_only.extend(
        (os.path.join(own, name), f"/etc/{name}") for name in ("passwd", "group", "nsswitch.conf")
    )
    return SystemLayout(links=tuple(links), read_only=tuple(read_only), covered=_covered())


def _etc_paths(root: str) -> list[tuple[str, str]]:
    etc = os.path.join(root, "etc")
    names = [
        *_ETC,
        *(os.path.basename(path) for pattern in _ETC_PATTERNS for path in glob.glob(f"{etc}/{pattern}")),
    ]
    return [(f"/etc/{name}", path) for name in names if os.path.exists(path := os.path.join(etc, name))]


def _is_link_into_usr(path: str) -> bool:
    """Whether a link can stay one; that of the time zone must, as its target is its name."""
    return os.path.islink(path) and os.path.realpath(path).startswith("/usr/")


def _covered() -> tuple[str, ...]:
    """What of /proc a sandbox of root's needs to have covered.

    An ordinary user may not write there anyway; and where nothing is covered, an agent's own
    sandbox can mount a /proc of its own.
    """
    if os.geteuid() != 0:
        return ()
    return tuple(f"/proc/{name}" for name in _PROC_COVERED if os.path.exists(f"/proc/{name}"))
