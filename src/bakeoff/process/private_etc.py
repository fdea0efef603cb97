"""The /etc that a sandbox shows: the public part of the machine's own, and made-up users."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

_NAMES = (
    # names and addresses
    *("hosts", "host.conf", "gai.conf", "resolv.conf", "services", "protocols"),
    # libraries, and the choice between versions of a program
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "static"),
    # time, language, terminals, kinds of files
    *("localtime", "timezone", "locale.alias", "locale.conf", "terminfo", "inputrc", "shells"),
    *("mime.types", "magic", "os-release", "lsb-release", "debian_version", "redhat-release", "fonts"),
    # certificates: public ones only, as /etc/ssl and /etc/pki hold private keys too
    *("ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf", "crypto-policies"),
    *("pki/ca-trust", "pki/tls/certs", "pki/tls/cert.pem", "pki/tls/openssl.cnf"),
)
_PATTERNS = ("python[0-9]*", "perl", "java-*", "php", "R", "dotnet")
"""Where distributions keep parts of a language's standard library."""

_MADE_UP = {
    "passwd": (
        "root:x:0:0:root:/root:/bin/sh\n"
        "agent:x:1000:1000:agent:/home/agent:/bin/sh\n"
        "nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n"
    ),
    "group": "root:x:0:\nagent:x:1000:\nnogroup:x:65534:\n",
    "nsswitch.conf": (
        "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\n"
        "services: files\nprotocols: files\nrpc: files\nethers: files\n"
    ),
}

_SHOWN_STORES = ("/usr/", "/nix/store/", "/gnu/store/")

_COPIED_ENTRIES = 64
_COPIED_BYTES = 1024 * 1024


def make_private_etc(target: Path, etc: Path = Path("/etc")) -> tuple[Path, ...]:
    """Fill a new directory; the directories of `etc` that are too large to copy.

    Those have an empty place in `target`, where they can be mounted. One directory to mount
    instead of thirty files saves each start of a sandbox half of its time.
    """
    target.mkdir(parents=True)
    large: list[Path] = []
    for name in [*_NAMES, *(path.name for pattern in _PATTERNS for path in sorted(etc.glob(pattern)))]:
        source = etc / name
        if not source.exists():
            continue
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir() and _is_large(source):
            place.mkdir()
            large.append(source)
        else:
            _copy(source, place)
    for name, text in _MADE_UP.items():
        (target / name).write_text(text)
    return tuple(large)


def _is_large(directory: Path) -> bool:
    entries = size = 0
    for parent, directories, files in os.walk(directory):
        entries += len(directories) + len(files)
        size += sum(os.lstat(os.path.join(parent, name)).st_size for name in files)
        if entries > _COPIED_ENTRIES or size > _COPIED_BYTES:
            return True
    return False


def _copy(source: Path, place: Path) -> None:
    """Copy what everybody may read. Links into the system stay links: that of the time zone is its name."""
    if source.is_symlink() and _leads_to_something_shown(source):
        place.symlink_to(os.readlink(source))
    elif source.is_dir():
        place.mkdir()
        for entry in sorted(source.iterdir()):
            _copy(entry, place / entry.name)
    elif _is_public_file(source):
        shutil.copyfile(source, place)


def _leads_to_something_shown(link: Path) -> bool:
    real = Path(os.path.realpath(link))
    return real.parent == link.parent or str(real).startswith(_SHOWN_STORES)


def _is_public_file(source: Path) -> bool:
    status = source.stat()
    return stat.S_ISREG(status.st_mode) and bool(status.st_mode & stat.S_IROTH)
