"""The YAML of agent-exam tasks and suites: fields, defaults and bounds.

A project is the nearest directory upwards whose `pyproject.toml` has a section
`[tool.agent-exam]`, or that holds `evals/suites` or `evals/config.yaml`. The section may say
`evals_dir`, another name for `evals`, and `pre_run_hook`, which `run` does not support yet.
Each directory of `evals/suites` is a suite; each `.yaml` or `.yml` file directly in its
`tasks` is a task, called after the file. Fixtures are directories of `evals/fixtures`.

A task passes when every assertion does that has no `known_issue` and applies to the harness;
when there is none, it is not judged, which is no pass. The agent cannot read `evals`.
Claude Code reads settings of the workspace alone (`setting_sources: [project, local]`).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from bakeoff.dialects.field_types import LONGEST_WAIT_S, Prompt, Shape, Tags, Title, check_text
from bakeoff.dialects.shapes import RawNode

Reason = Annotated[str, AfterValidator(check_text)]
AnySeconds = Annotated[float, Field(gt=0, le=LONGEST_WAIT_S)]


class SetupBlock(Shape):
    """`setup`: what lies before the agent when it starts."""

    fixture: Title | None = Field(
        default=None,
        description="a directory below `evals/fixtures`; it is copied, without `.git` and `.gitkeep`, links as links",
    )
    env: RawNode | None = Field(
        default=None,
        description="environment variables of the task: text sets one, `null` takes it away; for agent, setup and checks",
    )


class AnyTask(Shape):
    """What tasks of both kinds have.

    The id of a task is the name of its file without the ending. The blocks named after a
    harness hold what is meant for that harness alone; they lie over what
    `providers.NAME` says in `evals/config.yaml`.
    """

    kind: Literal["execute", "trigger"] = Field(
        default="execute",
        description="`execute`: run the agent and judge the result; `trigger`: which skill fires, not supported by `run` yet",
    )
    description: str = Field(default="", description="for people, never shown to an agent")
    setup: SetupBlock = Field(default=SetupBlock(), description="what lies before the agent")
    concurrency_group: Title | None = Field(
        default=None, description="a limiter that `concurrency_groups` of the configuration declares"
    )
    timeout_seconds: AnySeconds | None = Field(
        default=None, description="for the agent; else `default_task_timeout_seconds` of the configuration"
    )
    tags: Tags = Field(
        default=(), description="words that `tags` of the configuration declares, besides those of the suite"
    )
    known_issue: Reason | None = Field(
        default=None, description="why the whole task is expected to fail; a failure then counts as known"
    )
    mcp_servers: RawNode | None = Field(
        default=None, description="of a later version of the tool; not supported by `run` yet"
    )
    claude_code: RawNode | None = Field(default=None, description="for Claude Code alone; see below")
    codex_cli: RawNode | None = Field(default=None, description="for the Codex CLI alone; see below")
    copilot_cli: RawNode | None = Field(default=None, description="for the Copilot CLI alone; see below")
    opencode: RawNode | None = Field(default=None, description="for OpenCode alone; see below")


class ExecuteTask(AnyTask):
    """A task that is run from end to end."""

    prompt: Prompt = Field(description="what the agent is told, verbatim")
    assertions: Annotated[
        tuple[RawNode, ...], Field(min_length=1, description="what judges the result; at least one")
    ]


class TriggerTask(AnyTask):
    """Prompts, each of which should fire a skill, or should not.

    Every prompt is a task of its own, called after the file and the prompt. The same prompt
    twice is an error. At least one of `positive` and `negative` holds a prompt.
    """

    skill: Title | None = Field(default=None, description="the skill that should fire, or should not")
    mcp_tool: RawNode | None = Field(
        default=None, description="in place of `skill`, of a later version of the tool; not supported yet"
    )
    positive: tuple[RawNode, ...] = Field(default=(), description="prompts that should fire it")
    negative: tuple[RawNode, ...] = Field(default=(), description="prompts that should not")


class SuiteFile(Shape):
    """`suite.yml`, which a suite may do without."""

    evaluated_skills: tuple[Title, ...] = Field(
        default=(), description="the skills that the suite is about; not supported by `run` yet"
    )
    tags: Tags = Field(default=(), description="tags of every task of the suite")
