"""The supervisor for systems without /proc, such as macOS: process groups, as well as that goes.

A program that starts a session of its own escapes it, and nothing is ended when Bakeoff is
killed outright; so it claims no protection at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack

from bakeoff.process.audience import Audience
from bakeoff.process.enclosure import PROTECTIONS, host_paths, refuse_moved_mounts
from bakeoff.process.group_run import GroupRun
from bakeoff.process.open_runs import OpenRuns
from bakeoff.process.plain_program import StartFailed
from bakeoff.process.request import open_files, problem_with
from bakeoff.process.supervise import Command, EndReason, InnerPaths, Interrupt, ProcessEnd, View, Watcher


class GroupSupervisor:
    """Runs each program in a process group and ends that group; see the protocol `Supervisor`."""

    name = "process"

    def __init__(self) -> None:
        self._runs = OpenRuns()

    @property
    def protections(self) -> Mapping[str, bool]:
        """None of them."""
        return dict.fromkeys(PROTECTIONS, False)

    def inner_paths(self, view: View) -> InnerPaths:
        """The host's own paths."""
        return host_paths(view)

    def run(
        self,
        command: Command,
        view: View,
        *,
        interrupt: Interrupt,
        watcher: Watcher | None = None,
        grace_s: float = 5.0,
    ) -> ProcessEnd:
        """Run a program to its end and end its process group."""
        if problem := problem_with(command):
            return ProcessEnd(reason=EndReason.NOT_STARTED, error=problem)
        if interrupt.is_set():
            return ProcessEnd(reason=EndReason.INTERRUPTED)
        refuse_moved_mounts(view)
        with self._runs.one_more(), ExitStack() as stack:
            files = open_files(command, stack)
            run = GroupRun(command, files, stack)
            try:
                run.start()
            except StartFailed as failure:
                return ProcessEnd(reason=EndReason.NOT_STARTED, error=str(failure))
            audience = Audience(files["stdout"], watcher, grace_s, run.end_within)
            while not run.is_over():
                if not audience.show_piece():
                    run.attend()
                if interrupt.is_set() or self._runs.must_end():
                    run.end_within(0.0, "interrupted")
            end = run.finish()
            audience.show_rest()
            return end

    def close(self) -> None:
        """End everything that still runs, and wait for it."""
        self._runs.close()
