"""What every step of a script has, and the numbers that steps are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

Plan = dict[str, object]
"""One thing for the agent program to do."""

Count = Annotated[int, Field(ge=0, strict=True)]
Money = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]


def event(kind: str, facts: Mapping[str, object]) -> Plan:
    """An event that the agent program passes on as it stands."""
    return {"do": "emit", "kind": kind, "fields": dict(facts)}


class Step(BaseModel):
    """What every step has."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, strict=True)

    lead: ClassVar[str]
    """The key that names this kind of step."""

    def plan(self) -> list[Plan]:
        """What the agent program does for it."""
        raise NotImplementedError


class Threaded(Step):
    """A step that may happen in a subagent, named by its id."""

    thread: str | None = None
