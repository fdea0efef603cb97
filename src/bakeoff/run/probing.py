"""Asking each arm's harness whether it is there, before anything is started or written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from bakeoff.errors import Problem, ProblemsFound
from bakeoff.harness.protocol import Probe
from bakeoff.plan.arms import ReadyArm
from bakeoff.process.quiet import run_quietly

_ANSWER_WITHIN_S = 30.0


def probe_arms(
    arms: Iterable[ReadyArm], path: tuple[str, ...], environment: Mapping[str, str]
) -> dict[str, Probe]:
    """What was found of each arm's harness, by arm id.

    Raises ProblemsFound naming every harness that cannot be used here.
    """
    search = os.pathsep.join(path)

    def ask(argv: tuple[str, ...]) -> str | None:
        answer = run_quietly(argv, env={**environment, "PATH": search}, timeout_s=_ANSWER_WITHIN_S)
        if answer is None or answer[0] != 0:
            return None
        return answer[1].decode("utf-8", "replace")

    probes: dict[str, Probe] = {}
    problems: list[Problem] = []
    for ready in arms:
        probe = ready.harness.probe(ask, search, ready.options)
        probes[ready.arm.id] = probe
        if not probe.available:
            problems.append(
                Problem(
                    where=ready.arm.where,
                    message=f"arm {ready.arm.id!r}: {ready.arm.harness} cannot be used: {probe.problem}",
                )
            )
    if problems:
        raise ProblemsFound(tuple(problems))
    return probes
