"""How the scripted agent is started: its program and its plan go into the private HOME."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from bakeoff import __version__
from bakeoff.errors import UserError
from bakeoff.harness.fake.behavior import behavior_steps, overlay_source
from bakeoff.harness.fake.options import FakeOptions
from bakeoff.harness.fake.step import Plan
from bakeoff.harness.protocol import Launch, LaunchRequest, Purpose
from bakeoff.identity import digest

FOLDER = ".scripted-agent"
"""Below the private HOME; the agent removes it before it does anything else."""


def interpreter() -> Path:
    """The base interpreter: a virtual environment's own would not be visible in a sandbox."""
    return Path(os.path.realpath(sys.executable))


def fake_launch(request: LaunchRequest, options: FakeOptions) -> Launch:
    """The launch of one scripted agent.

    Raises UserError for what it cannot play: another purpose than being the agent,
    continuing a session, and an overlay that the task does not have.
    """
    if request.purpose is not Purpose.AGENT:
        raise UserError(f"the fake harness cannot be used as {request.purpose}: not supported yet")
    if request.resume is not None:
        raise UserError("the fake harness cannot continue a session: not supported yet")
    steps = _steps(request, options)
    plan = {"start": _start(request, options), "steps": steps}
    sources = sorted({str(step["source"]) for step in steps if step["do"] == "overlay"})
    program = f"{request.home}/{FOLDER}/agent.py"
    return Launch(
        argv=(
            str(request.executable or interpreter()),
            "-I",
            "-S",  # it needs the standard library only, and starts sooner
            "-B",
            program,
            f"{request.home}/{FOLDER}/plan.json",
        ),
        stdin=request.prompt.encode("utf-8", "surrogateescape"),
        home_files={
            f"{FOLDER}/agent.py": Path(__file__).with_name("agent.py").read_bytes(),
            f"{FOLDER}/plan.json": json.dumps(plan, sort_keys=True, allow_nan=False).encode("ascii"),
        },
        visible=(*_python_folders(), *(Path(source) for source in sources)),
    )


def _steps(request: LaunchRequest, options: FakeOptions) -> list[Plan]:
    delay: list[Plan] = [{"do": "sleep", "seconds": options.delay_ms / 1000}] if options.delay_ms else []
    if options.script is None:
        return delay + behavior_steps(options, request.task_id, request.reference)
    played = [plan for step in options.steps for plan in step.plan()]
    return delay + [_with_source(plan, request) for plan in played]


def _with_source(plan: Plan, request: LaunchRequest) -> Plan:
    if plan["do"] != "overlay":
        return plan
    source = overlay_source(request.reference, str(plan["which"]))
    if source is None:
        raise UserError(
            f"task {request.task_id!r} has no reference {plan['which']} for the script's overlay step",
            hint="give the task a reference_solution, or leave the step out",
        )
    return {**plan, "source": str(source)}


def _start(request: LaunchRequest, options: FakeOptions) -> Plan:
    identity = [request.prompt, request.task_id, request.model, request.repeat, request.round]
    return {
        "version": __version__,
        "model": request.model or "fake-model",
        "behavior": "script" if options.script is not None else options.behavior,
        "session": f"fake-{digest(identity)[:12]}",
    }


def _python_folders() -> tuple[Path, ...]:
    prefix = Path(sys.base_prefix)
    return tuple(dict.fromkeys((prefix, Path(os.path.realpath(prefix)))))
