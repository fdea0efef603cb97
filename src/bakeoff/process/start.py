"""Opening a supervisor: bubblewrap where it works, else processes, else process groups."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from bakeoff.errors import UserError
from bakeoff.process.enclosure import BubblewrapEnclosure, NoEnclosure
from bakeoff.process.forked_supervisor import ForkedSupervisor
from bakeoff.process.group_supervisor import GroupSupervisor
from bakeoff.process.supervise import Command, EndReason, ProcessEnd, Supervisor, View
from bakeoff.process.system_layout import read_system_layout
from bakeoff.process.zygote_handle import ZygoteHandle

SupervisorKind = Literal["auto", "bubblewrap", "process"]

_INSTALL_HINT = "install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap), or use --sandbox process"
_APPARMOR_SWITCH = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_PROBE = (
    'test "$(id -u)" = 1000 && test -w /workspace && ! test -e "$1" && sleep 0.02 && echo inside && exit 7'
)


def open_supervisor(kind: SupervisorKind, *, say: Callable[[str], None] | None = None) -> Supervisor:
    """The supervisor of this kind, with its helper process started; `close` it in the end.

    Args:
        kind: "auto" takes bubblewrap where a real try of it works.
        say: told in one sentence why "auto" did not take bubblewrap.

    Raises:
        UserError: bubblewrap was asked for and does not work here.
        HostFailed: no process can be started.
    """
    if not sys.platform.startswith("linux"):
        return _without_linux(kind, say)
    if kind == "process":
        return ForkedSupervisor(ZygoteHandle(), NoEnclosure())
    zygote = ZygoteHandle()
    found = _bubblewrap_or_problem(zygote)
    if not isinstance(found, str):
        return found
    if kind == "bubblewrap":
        zygote.close()
        raise UserError(found, hint=_hint())
    if say is not None:
        say(f"no sandbox: {found}")
    return ForkedSupervisor(zygote, NoEnclosure())


def probe_bubblewrap() -> str | None:
    """Why bubblewrap cannot be used here, found by running a program in it; None when it can."""
    if not sys.platform.startswith("linux"):
        return "bubblewrap works on Linux only"
    zygote = ZygoteHandle()
    try:
        found = _bubblewrap_or_problem(zygote)
        return found if isinstance(found, str) else None
    finally:
        zygote.close()


def _without_linux(kind: SupervisorKind, say: Callable[[str], None] | None) -> Supervisor:
    problem = "bubblewrap works on Linux only"
    if kind == "bubblewrap":
        raise UserError(problem, hint="use --sandbox process")
    if kind == "auto" and say is not None:
        say(f"no sandbox: {problem}")
    return GroupSupervisor()


def _bubblewrap_or_problem(zygote: ZygoteHandle) -> ForkedSupervisor | str:
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed"
    supervisor = ForkedSupervisor(
        zygote, BubblewrapEnclosure(os.path.abspath(program), read_system_layout(zygote.scratch))
    )
    with tempfile.TemporaryDirectory(prefix="bakeoff-probe-") as directory:
        end, output = _try(supervisor, Path(directory))
    if (
        end.reason is EndReason.EXITED
        and end.exit_code == 7
        and output == b"inside\n"
        and not end.left_behind
    ):
        return supervisor
    if end.error is not None:
        return f"bubblewrap does not work here: {end.error}"
    told = output.decode(errors="backslashreplace").strip()
    return (
        f"bubblewrap does not do here what it should: {end.reason}, exit code {end.exit_code} {told}".strip()
    )


def _try(supervisor: ForkedSupervisor, directory: Path) -> tuple[ProcessEnd, bytes]:
    """Run a program that looks around in its sandbox; how it ended and what it wrote."""
    places = [directory / name for name in ("workspace", "home", "tmp")]
    for place in places:
        place.mkdir()
    command = Command(
        argv=("/bin/sh", "-c", _PROBE, "probe", str(directory)),
        env={"PATH": "/usr/local/bin:/usr/bin:/bin"},
        cwd="/workspace",
        stdout=directory / "output",
        timeout_s=20,
    )
    view = View(workspace=places[0], home=places[1], tmp=places[2])
    end = supervisor.run(command, view, interrupt=threading.Event())
    return end, (directory / "output").read_bytes()


def _hint() -> str:
    if shutil.which("bwrap") is None:
        return _INSTALL_HINT
    try:
        is_restricted = _APPARMOR_SWITCH.read_text().strip() == "1"
    except OSError:
        is_restricted = False
    if is_restricted:
        return (
            "this system's AppArmor forbids user namespaces; allow them for bwrap, or use --sandbox process"
        )
    return "containers need a seccomp profile that allows user namespaces; or use --sandbox process"
