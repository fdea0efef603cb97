"""Asking each arm's harness whether it is there, before anything is started or written."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Iterable

from bakeoff.errors import Problem, ProblemsFound
from bakeoff.harness.protocol import Ask, Probe
from bakeoff.plan.arms import ReadyArm
from bakeoff.process.quiet import run_quietly

_ANSWER_WITHIN_S = 30.0


def probe_arms(arms: Iterable[ReadyArm], path: tuple[str, ...]) -> dict[str, Probe]:
    """What was found of each arm's harness, by arm id.

    Raises ProblemsFound naming every harness that cannot be used here.
    """
    arms = list(arms)
    probes = look_for(arms, path)
    problems = [
        Problem(
            where=ready.arm.where,
            message=f"arm {ready.arm.id!r}: {ready.arm.harness} cannot be used: {probes[ready.arm.id].problem}",
        )
        for ready in arms
        if not probes[ready.arm.id].available
    ]
    if problems:
        raise ProblemsFound(tuple(problems))
    return probes


def look_for(arms: Iterable[ReadyArm], path: tuple[str, ...]) -> dict[str, Probe]:
    """The same, with what is missing told in the probes.

    Programs are asked for their version with an empty HOME and without any credential.
    """
    search = os.pathsep.join(path)
    with tempfile.TemporaryDirectory(prefix="bakeoff-probe-") as home:
        environment = {"PATH": search, "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8"}

        @functools.cache
        def ask(argv: tuple[str, ...]) -> str | None:
            answer = run_quietly(argv, env=environment, timeout_s=_ANSWER_WITHIN_S)
            if answer is None or answer[0] != 0:
                return None
            return answer[1].decode("utf-8", "replace")

        return {ready.arm.id: _probed(ready, ask, search) for ready in arms}


def _probed(ready: ReadyArm, ask: Ask, search: str) -> Probe:
    """What was found with the arm's options; the first problem that those of a task meet, else."""
    first, *others = [ready.harness.probe(ask, search, options) for options in ready.all_options]
    return next((probe for probe in (first, *others) if not probe.available), first)
