"""What a program is put into: nothing at all, or a bubblewrap sandbox; and what that protects."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Protocol

from bakeoff.process.bubblewrap import bubblewrap_arguments
from bakeoff.process.mounts import AGENT_HOME, TEMPORARY, WORKSPACE
from bakeoff.process.order import Order
from bakeoff.process.request import encoded
from bakeoff.process.supervise import Command, InnerPaths, View
from bakeoff.process.system_layout import SystemLayout

PROTECTIONS = (
    "own_pid_namespace",
    "filesystem_hidden",
    "fixed_paths",
    "dies_with_bakeoff",
    "ends_detached_children",
    "own_ipc_namespace",
    "no_new_privileges",
)
"""The documented protections, in the order in which they are shown."""


class Enclosure(Protocol):
    """Decides what of the machine a program sees, and how it is started there."""

    name: str

    @property
    def protections(self) -> Mapping[str, bool]:
        """Each of PROTECTIONS and whether it is in force."""

    def inner_paths(self, view: View) -> InnerPaths:
        """Where the program finds its directories."""

    def order(self, command: Command, view: View, streams: Sequence[str]) -> Order:
        """The order for a supervisor process; `streams` names the files that go with it."""


class NoEnclosure:
    """The program sees what Bakeoff's user sees; only its processes are kept together."""

    name = "process"

    @property
    def protections(self) -> Mapping[str, bool]:
        """Nothing is hidden; processes end, and set-user-id programs gain nothing."""
        in_force = ("dies_with_bakeoff", "ends_detached_children", "no_new_privileges")
        return {protection: protection in in_force for protection in PROTECTIONS}

    def inner_paths(self, view: View) -> InnerPaths:
        """The host's own paths."""
        return host_paths(view)

    def order(self, command: Command, view: View, streams: Sequence[str]) -> Order:
        """The command as it is; ValueError when the view shows something at another path."""
        refuse_moved_mounts(view)
        return Order(
            argv=[os.fsencode(argument) for argument in command.argv],
            env=encoded(command.env),
            cwd=os.fsencode(command.cwd),
            bubblewrap=(),
            bubblewrap_env={},
            timeout_s=command.timeout_s,
            output_cap=command.output_cap,
            streams=streams,
        )


class BubblewrapEnclosure:
    """The program sees what its view says, at the same paths in every trial."""

    name = "bubblewrap"

    def __init__(self, program: str, layout: SystemLayout) -> None:
        self._program = os.fsencode(program)
        self._layout = layout

    @property
    def protections(self) -> Mapping[str, bool]:
        """All of them."""
        return dict.fromkeys(PROTECTIONS, True)

    def inner_paths(self, view: View) -> InnerPaths:
        """The same for every view."""
        return InnerPaths(workspace=WORKSPACE, home=AGENT_HOME, tmp=TEMPORARY)

    def order(self, command: Command, view: View, streams: Sequence[str]) -> Order:
        """The command inside bwrap, which hands its own environment on to the program."""
        env = encoded(command.env)
        # bwrap itself must not be led astray by what the program's loader is to do.
        loader_names = [name for name in env if name.startswith(b"LD_") or name == b"GLIBC_TUNABLES"]
        loader = [item for name in loader_names for item in (b"--setenv", name, env[name])]
        arguments = bubblewrap_arguments(view, cwd=command.cwd, layout=self._layout)
        return Order(
            argv=[os.fsencode(argument) for argument in command.argv],
            env={},
            cwd=b"/",
            bubblewrap=[self._program, *arguments, *loader],
            bubblewrap_env={name: text for name, text in env.items() if name not in loader_names},
            timeout_s=command.timeout_s,
            output_cap=command.output_cap,
            streams=streams,
        )


def host_paths(view: View) -> InnerPaths:
    """The directories of a view where they are on the host."""
    return InnerPaths(workspace=str(view.workspace), home=str(view.home), tmp=str(view.tmp))


def refuse_moved_mounts(view: View) -> None:
    """Raise ValueError when the view shows something at another path, which needs a sandbox."""
    for source, (inner, _writable) in view.mounts.items():
        if os.path.normpath(inner) != os.path.normpath(source):
            msg = f"without a sandbox {source} cannot be shown at {inner}: use its own path"
            raise ValueError(msg)
