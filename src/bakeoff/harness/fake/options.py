"""The options of the scripted harness."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SerializeAsAny, model_validator

from bakeoff.harness.fake.script import AnyStep
from bakeoff.harness.fake.step import Step
from bakeoff.harness.option_fields import NotYet, one_of

BEHAVIORS = ("solve", "partial", "noop", "fail", "crash", "timeout")

_OF_BEHAVIORS = (
    "behavior",
    "command",
    "run_command",
    "solve_tasks",
    "simulate_cost_usd_per_1k_tokens",
    "simulate_token_multiplier",
    "llm_calls",
)
"""Options that mean nothing beside a script."""


def _to_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


class FakeOptions(BaseModel):
    """What a scripted agent does: one of the named behaviours, or a script of its own.

    `behavior`: `solve` copies the task's reference solution over the workspace, `partial`
    its partial one, `noop` changes nothing, `fail` breaks a module, `crash` ends without a
    last word, `timeout` never ends. `solve_tasks` lists the only tasks that `solve` solves;
    on all others it is `noop`. `command` is run after the edits (default: the unit tests
    when there is a `tests` folder, else `ls`), unless `run_command` is false. `delay_ms` is
    waited first. `llm_calls` is the number of model calls told, `simulate_token_multiplier`
    a factor on input and output tokens, `simulate_cost_usd_per_1k_tokens` a price.

    `script` is a list of steps, and replaces the behaviour.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, strict=True)

    behavior: Annotated[str, one_of(BEHAVIORS)] = "solve"
    command: str | None = None
    run_command: bool = True
    delay_ms: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    solve_tasks: Annotated[tuple[str, ...], BeforeValidator(_to_tuple)] | None = None
    simulate_cost_usd_per_1k_tokens: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    simulate_token_multiplier: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)] = 1.0
    llm_calls: Annotated[int, Field(ge=0)] | None = None
    script: Annotated[tuple[SerializeAsAny[AnyStep], ...], BeforeValidator(_to_tuple)] | None = None

    action_policy: NotYet = None
    behaviors: NotYet = None
    eval_calls: NotYet = None
    improve_break_rounds: NotYet = None
    improve_eval_budget: NotYet = None
    improve_max_evaluations: NotYet = None
    improve_rounds: NotYet = None
    improve_session: NotYet = None
    simulate_unsafe: NotYet = None

    @model_validator(mode="after")
    def _script_or_behavior(self) -> Self:
        beside = [name for name in _OF_BEHAVIORS if name in self.model_fields_set]
        if self.script is not None and beside:
            raise ValueError(f"{' and '.join(beside)} mean nothing beside a script; leave them out")
        return self

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the script; empty when there is none."""
        return self.script or ()
