"""Reading the steps that a script for the scripted agent is written in.

Each step is a mapping with one leading key that says what to do (`text`, `run`, `write`,
…) and a few others. Its class says what is allowed and turns it into what the agent
program carries out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationError

from bakeoff.harness.fake import done_steps, told_steps
from bakeoff.harness.fake.step import Step
from bakeoff.harness.option_fields import did_you_mean

KINDS: Mapping[str, type[Step]] = {
    kind.lead: kind
    for kind in (
        told_steps.Text, told_steps.Reasoning, told_steps.Tool, told_steps.Denied, told_steps.Skill,
        told_steps.InjectedSkill,
        told_steps.SubagentStep, told_steps.UsageStep, told_steps.Cost, told_steps.ApiErrorStep,
        told_steps.RetryStep, told_steps.Background, told_steps.FinishStep, told_steps.Raw,
        done_steps.Write, done_steps.Append, done_steps.Delete, done_steps.Overlay, done_steps.Run,
        done_steps.Sleep, done_steps.Hang, done_steps.Exit,
    )
}  # fmt: skip
"""The leading key to the class of each kind of step."""


def _read_step(value: Any) -> Any:
    """The step that a mapping means; ValueError with "did you mean" when it means none."""
    if isinstance(value, Step):
        return value
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"a step is a mapping such as {{text: ...}} or {{run: ...}}, not {value!r}")
    leads = [key for key in value if key in KINDS]
    # `usage` and the like may stand beside another leading key only by mistake.
    if len(leads) > 1:
        raise ValueError(f"a step does one thing, but this one has {' and '.join(map(repr, leads))}")
    if not leads:
        first = next(iter(value))
        near = did_you_mean(first, list(KINDS))
        raise ValueError(f"no step is called {first!r}{near or '; there are ' + ', '.join(KINDS)}")
    kind = KINDS[leads[0]]
    for key in value:
        if key not in kind.model_fields:
            known = list(kind.model_fields)
            near = did_you_mean(key, known) or f"; it has {', '.join(known)}"
            raise ValueError(f"a {leads[0]!r} step has no {key!r}{near}")
    try:
        return kind.model_validate(dict(value))
    except ValidationError as error:
        # One line: the error of a step stands inside the error of the options.
        told = [f"{'.'.join(map(str, item['loc']))}: {_plainly(item['msg'])}" for item in error.errors()]
        raise ValueError(f"a {leads[0]!r} step has a wrong value: {'; '.join(told)}") from error


def _plainly(message: str) -> str:
    return message.removeprefix("Value error, ")


AnyStep = Annotated[Step, BeforeValidator(_read_step)]
"""A step as a script holds it."""
