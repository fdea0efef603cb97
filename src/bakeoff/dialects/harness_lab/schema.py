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
from bakeoff.dialects.traps import CanaryToken, LureUrl
from bakeoff.dialects.wording import Refusal

MOST_ROUNDS = 1000


class Repo(Shape):
    """`repo`: where the starting files come from."""

    path: OuterPath = Field(
        description="a git work tree, a linked one, a bare repository or a plain directory; relative to this file"
    )
    base_ref: Title = Field(
        default="HEAD",
        description="the commit to start from when it is a repository; resolved when the file is loaded",
    )


class SetupBlock(Shape):
    """`setup`: commands that run before the agent."""

    commands: tuple[Command, ...] = Field(
        default=(),
        description="run in order before the agent, without credentials; each must exit 0 and leave only ignored files behind",
    )
    timeout_seconds: Seconds = Field(default=120, description="for each command")


class Inject(Shape):
    """An entry of `inject`: what is laid into the workspace while it is judged."""

    source: OuterPath = Field(description="a file or directory, relative to this file")
    dest: InnerPath = Field(description="where it goes in the workspace; whatever lies there is replaced")


class AnswerKey(Shape):
    """`verification.answer_key`: findings graded against a list of right answers."""

    key: OuterPath = Field(description="a .json or .csv file with the right answers, relative to this file")
    findings: InnerPath = Field(default="findings.json", description="the file that the agent writes")
    id: Annotated[
        tuple[Title, ...], Field(min_length=1, description="the fields that say which answer is meant")
    ]
    fields: tuple[Title, ...] = Field(
        default=(), description="the fields that are compared; none means all others"
    )
    score: Literal["row_f1", "item_f1", "discovery_f1"] = Field(
        default="row_f1", description="what is counted"
    )
    pass_threshold: Annotated[float, Field(ge=0, le=1, description="the score that passes")] = 1.0
    ignore_case: bool = Field(default=False, description="compare texts without regard to case")


class Verification(Shape):
    """`verification`: what decides whether a trial passes."""

    command: Command = Field(description="exit code 0 passes; run in the workspace without credentials")
    score_command: Command | None = Field(
        default=None, description="gives a partial score, run after `command` with the same files in place"
    )
    answer_key: AnswerKey | None = Field(
        default=None,
        description="grades findings against a list of right answers; not supported by `run` yet",
    )
    visible_command: Command | None = Field(
        default=None, description="a check that the agent may know; not supported by `run` yet"
    )
    timeout_seconds: Seconds = Field(
        default=120, description="for each of the commands; a `command` that runs out of it fails"
    )
    inject: tuple[Inject, ...] = Field(
        default=(), description="files that the agent never sees, laid down only to verify"
    )
    protected_paths: tuple[Glob, ...] = Field(
        default=(),
        description="a path, a directory with all below it, or a glob; any change fails before `command` runs. A glob without a slash counts at any depth",
    )

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

    agent_timeout_seconds: Seconds = Field(
        default=600,
        description="for the agent; a trial that runs out of it is verified all the same and may pass",
    )


class ReferenceSolution(Shape):
    """`reference_solution`: what a right solution looks like."""

    overlay: OuterPath | None = Field(
        default=None,
        description="a directory that the scripted harness copies over the workspace to solve the task",
    )
    partial_overlay: OuterPath | None = Field(default=None, description="the same, for a partial solution")
    improve_overlays: tuple[OuterPath, ...] = Field(
        default=(), description="the same, one for each round of an improvement task"
    )
    command: Command | None = Field(
        default=None, description="a command that solves the task; not supported by `run` yet"
    )
    description: str = Field(default="", description="for people")


class ObjectiveBlock(Shape):
    """`improve.objective`: the number that is to become better."""

    command: Command = Field(description="prints the number")
    direction: Literal["minimize", "maximize"] = Field(default="minimize", description="which way is better")
    unit: str = Field(default="", description="shown in prompts and reports")
    target: float | None = Field(default=None, description="a reference value")
    repeats: Annotated[
        int, Field(ge=1, le=MOST_ROUNDS, description="the median of so many measurements counts")
    ] = 1
    timeout_seconds: Seconds = Field(default=120, description="for each measurement")
    inject: tuple[Inject, ...] = Field(default=(), description="files laid down only to measure")


class EvaluatorBlock(Shape):
    """`improve.evaluator`: measurements that the agent may make itself."""

    budget: Annotated[int, Field(ge=0, le=MOST_ROUNDS, description="how many in each round")] = 0


class ImproveBlock(Shape):
    """`improve`: what makes a task an improvement task."""

    objective: ObjectiveBlock = Field(description="what is measured")
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS, description="how often the harness is launched")] = 3
    keep_best: bool = Field(default=True, description="undo rounds that do not improve the best value")
    min_improvement: Annotated[
        float, Field(ge=0, description="by how much the final value must beat the baseline, relative to it")
    ] = 0.0
    evaluator: EvaluatorBlock = Field(default=EvaluatorBlock(), description="measurements for the agent")
    max_evaluations: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="measurements in all rounds together"
    )


class CanaryBlock(Shape):
    """An entry of `safety.canaries`: a file of the repository that holds a secret token."""

    path: InnerPath = Field(description="must exist in the starting files")
    token: CanaryToken = Field(
        description="must stand in that file; at least 8 letters, digits and `._:+/=-`"
    )


class SafetyBlock(Shape):
    """`safety`: traps that an agent should leave alone."""

    canaries: tuple[CanaryBlock, ...] = Field(default=(), description="files with secret tokens")
    lure_urls: tuple[LureUrl, ...] = Field(default=(), description="URLs that nobody should follow")


class HarnessLabTask(Shape):
    """One task file; it can also be run alone, under the built-in variants.

    The checks are `protected_paths`, when there are any, and `verification`. A trial whose
    agent ran out of time or crashed is verified all the same and may pass. From a plain
    directory, caches, `.git`, virtual environments and `node_modules` are not copied. Every
    file and directory that is named must exist, and an `id` has at most 100 characters,
    without white space, slashes, commas, `::` and glob characters.

    The agent cannot read its suite: where the files of the suite, the experiment and the tasks,
    the sources of `inject`, the answer key and the overlays are part of the starting files, they
    are neither on disk nor in history, which is a warning. Setup and verification do not find
    them in the workspace either, except for what `inject` lays there.

    An entry of `protected_paths` that matches none of the starting files is a warning.
    """

    id: Id = Field(description="unique within the suite")
    name: Title = Field(description="what people call it")
    version: Annotated[int, Field(ge=0, description="raise it when the task changes its meaning")] = 1
    description: str = Field(default="", description="for people, never shown to an agent")
    repo: Repo = Field(description="where the starting files come from")
    prompt: Prompt = Field(description="what the agent is told, verbatim")
    setup: SetupBlock = Field(default=SetupBlock(), description="what is done before the agent starts")
    verification: Verification = Field(description="what decides whether a trial passes")
    limits: LimitsBlock = Field(default=LimitsBlock(), description="bounds of the agent's part")
    tags: Tags = Field(default=(), description="free words to select tasks by")
    reference_solution: ReferenceSolution = Field(
        default=ReferenceSolution(), description="used by the scripted harness and to prove the task"
    )
    improve: ImproveBlock | None = Field(
        default=None, description="makes it an improvement task; not supported by `run` yet"
    )
    safety: SafetyBlock | None = Field(
        default=None, description="makes it a safety measurement; not supported by `run` yet"
    )
    fault_of: Title | None = Field(
        default=None, description="the task of which this one is the faulty twin; not supported by `run` yet"
    )
