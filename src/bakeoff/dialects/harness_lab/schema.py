"""The YAML of a Harness Lab task: its fields, defaults and bounds."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from bakeoff.dialects.field_types import (
    Command,
    Glob,
    Id,
    InnerPath,
    OuterPath,
    Prompt,
    Seconds,
    Shape,
    Tags,
    Title,
)
from bakeoff.dialects.harness_lab.traps import CanaryToken, LureUrl
from bakeoff.dialects.wording import Refusal

MOST_ROUNDS = 1000


class Repo(Shape):
    """`repo`: where the starting files come from."""

    path: OuterPath
    base_ref: Title = "HEAD"


class SetupBlock(Shape):
    """`setup`: commands that run before the agent."""

    commands: tuple[Command, ...] = ()
    timeout_seconds: Seconds = 120


class Inject(Shape):
    """An entry of `inject`: what is laid into the workspace while it is judged."""

    source: OuterPath
    dest: InnerPath


class AnswerKey(Shape):
    """`verification.answer_key`: findings graded against a list of right answers."""

    key: OuterPath
    findings: InnerPath = "findings.json"
    id: Annotated[tuple[Title, ...], Field(min_length=1)]
    fields: tuple[Title, ...] = ()
    score: Literal["row_f1", "item_f1", "discovery_f1"] = "row_f1"
    pass_threshold: Annotated[float, Field(ge=0, le=1)] = 1.0
    ignore_case: bool = False


class Verification(Shape):
    """`verification`: what decides whether a trial passes."""

    command: Command
    score_command: Command | None = None
    answer_key: AnswerKey | None = None
    visible_command: Command | None = None
    timeout_seconds: Seconds = 120
    inject: tuple[Inject, ...] = ()
    protected_paths: tuple[Glob, ...] = ()

    @model_validator(mode="after")
    def _one_score(self) -> Self:
        if self.score_command and self.answer_key:
            raise Refusal(
                "`score_command` and `answer_key` both give a score",
                "keep one of the two",
            )
        return self


class LimitsBlock(Shape):
    """`limits`: bounds of the agent's part."""

    agent_timeout_seconds: Seconds = 600


class ReferenceSolution(Shape):
    """`reference_solution`: what a right solution looks like."""

    overlay: OuterPath | None = None
    partial_overlay: OuterPath | None = None
    improve_overlays: tuple[OuterPath, ...] = ()
    command: Command | None = None
    description: str = ""


class ObjectiveBlock(Shape):
    """`improve.objective`: the number that is to become better."""

    command: Command
    direction: Literal["minimize", "maximize"] = "minimize"
    unit: str = ""
    target: float | None = None
    repeats: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = 1
    timeout_seconds: Seconds = 120
    inject: tuple[Inject, ...] = ()


class EvaluatorBlock(Shape):
    """`improve.evaluator`: measurements that the agent may make itself."""

    budget: Annotated[int, Field(ge=0, le=MOST_ROUNDS)] = 0


class ImproveBlock(Shape):
    """`improve`: what makes a task an improvement task."""

    objective: ObjectiveBlock
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = 3
    keep_best: bool = True
    min_improvement: Annotated[float, Field(ge=0)] = 0.0
    evaluator: EvaluatorBlock = EvaluatorBlock()
    max_evaluations: Annotated[int, Field(ge=1)] | None = None


class CanaryBlock(Shape):
    """An entry of `safety.canaries`: a file of the repository that holds a secret token."""

    path: InnerPath
    token: CanaryToken


class SafetyBlock(Shape):
    """`safety`: traps that an agent should leave alone."""

    canaries: tuple[CanaryBlock, ...] = ()
    lure_urls: tuple[LureUrl, ...] = ()


class HarnessLabTask(Shape):
    """One task file."""

    id: Id
    name: Title
    version: Annotated[int, Field(ge=0)] = 1
    description: str = ""
    repo: Repo
    prompt: Prompt
    setup: SetupBlock = SetupBlock()
    verification: Verification
    limits: LimitsBlock = LimitsBlock()
    tags: Tags = ()
    reference_solution: ReferenceSolution = ReferenceSolution()
    improve: ImproveBlock | None = None
    safety: SafetyBlock | None = None
    fault_of: Title | None = None
