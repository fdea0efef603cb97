"""Which parts of this machine's system a sandbox shows: programs, libraries, a little of /etc."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from bakeoff.process.private_etc import make_private_etc

_TOP = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32")
_STORES = ("/nix/store", "/gnu/store", "/run/current-system")

_PROC_COVERED = ("sys", "sysrq-trigger", "acpi", "fs", "scsi", "mtrr")
"""What root owns in /proc: its files change the whole machine, with no capability asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemLayout:
    """The system as a sandbox shows it.

    Attributes:
        links: path to what it points to, to be made again in the sandbox.
        read_only: (host path, inner path), all of which exist.
        etc: host path of a private directory to be shown as /etc.
        empty_file: host path of an empty file, to be laid over hidden ones.
        covered: paths below /proc that must be read-only.
    """

    links: tuple[tuple[str, str], ...]
    read_only: tuple[tuple[str, str], ...]
    etc: str
    empty_file: str
    covered: tuple[str, ...] = ()


def read_system_layout(scratch: Path, root: Path = Path("/")) -> SystemLayout:
    """Look at the system below `root`; what has to be made for a sandbox is put into `scratch`."""
    links: list[tuple[str, str]] = []
    read_only: list[tuple[str, str]] = []
    for name in _TOP:
        path = root / name
        # Where /bin and the like are links into /usr they are links in the sandbox as well.
        if path.is_symlink():
            links.append((f"/{name}", os.readlink(path)))
        elif path.is_dir():
            read_only.append((str(path), f"/{name}"))
    stores = ((root / store.lstrip("/"), store) for store in _STORES)
    read_only.extend((os.path.realpath(path), store) for path, store in stores if path.exists())
    large = make_private_etc(scratch / "etc", root / "etc")
    read_only.extend((os.path.realpath(path), f"/{path.relative_to(root)}") for path in large)
    empty_file = scratch / "empty"
    empty_file.write_bytes(b"")
    empty_file.chmod(0o444)
    return SystemLayout(
        links=tuple(links),
        read_only=tuple(read_only),
        etc=str(scratch / "etc"),
        empty_file=str(empty_file),
        covered=_covered(),
    )


def _covered() -> tuple[str, ...]:
    """What of /proc a sandbox of root's needs to have covered.

    An ordinary user may not write there anyway; and where nothing is covered, an agent's own
    sandbox can mount a /proc of its own.
    """
    if os.geteuid() != 0:
        return ()
    return tuple(f"/proc/{name}" for name in _PROC_COVERED if os.path.exists(f"/proc/{name}"))
