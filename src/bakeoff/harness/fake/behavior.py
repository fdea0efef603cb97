"""The named behaviours of the scripted agent, spelled out as steps of its plan."""

from __future__ import annotations

from pathlib import Path

from bakeoff.harness.fake.options import FakeOptions
from bakeoff.harness.fake.step import Plan
from bakeoff.model.suite import Reference

_CALLS = {"solve": 3, "partial": 2, "fail": 2}
"""Model calls told for a behaviour; one for those that are not listed."""


def behavior_steps(options: FakeOptions, task_id: str, reference: Reference) -> list[Plan]:
    """What the agent does for one task."""
    behavior = options.behavior
    if behavior == "timeout":
        return [{"do": "hang"}]
    steps: list[Plan] = [
        _say(f"I will look at the repository first, for the task {task_id!r}."),
        {"do": "read", "path": "README.md"},
    ]
    if behavior == "crash":
        return [*steps, {"do": "exit", "code": 70, "stderr": "the scripted agent crashes, as it was told to"}]
    if behavior == "solve" and options.solve_tasks is not None and task_id not in options.solve_tasks:
        behavior = "noop"
    steps += _edits(behavior, reference)
    if options.run_command:
        steps.append({"do": "run", "command": options.command})
    calls = options.llm_calls if options.llm_calls is not None else _CALLS.get(behavior, 1)
    steps.append(
        {
            "do": "tokens",
            "calls": calls,
            "multiplier": options.simulate_token_multiplier,
            "usd_per_1k_tokens": options.simulate_cost_usd_per_1k_tokens,
        }
    )
    return [*steps, _closing(behavior, task_id)]


def overlay_source(reference: Reference, which: str) -> Path | None:
    """The directory that holds the reference solution, or the partial one."""
    return reference.overlay if which == "solution" else reference.partial_overlay


def _edits(behavior: str, reference: Reference) -> list[Plan]:
    if behavior == "fail":
        return [{"do": "break"}]
    if behavior not in {"solve", "partial"}:
        return []
    source = overlay_source(reference, "solution" if behavior == "solve" else "partial")
    if source is None:
        return [_say(f"There is no reference to {behavior} this task with; nothing is changed.")]
    return [{"do": "overlay", "source": str(source)}]


def _closing(behavior: str, task_id: str) -> Plan:
    text = {
        "noop": "Everything that was asked for is there already; nothing had to be changed.",
        "fail": "The change is made and the task is done.",
    }.get(behavior, f"The change for {task_id!r} is made.")
    return {"do": "report", "text": text, "with_command": behavior in {"solve", "partial"}}


def _say(text: str) -> Plan:
    return {"do": "say", "text": text, "kind": "text"}
