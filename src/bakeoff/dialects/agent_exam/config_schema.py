"""The YAML of `evals/config.yaml`: fields, defaults and bounds."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bakeoff.dialects.agent_exam.harness_blocks import PermissionMode
from bakeoff.dialects.agent_exam.schema import AnySeconds
from bakeoff.dialects.field_types import OuterPath, Shape, Title
from bakeoff.dialects.shapes import RawNode

MOST_IN_A_GROUP = 10_000


class JudgeConfig(Shape):
    """`judge`: who judges by criteria; not supported by `run` yet."""

    provider: Title | None = Field(
        default=None, description="the harness that judges, else the one under test"
    )
    model: Title | None = Field(default=None, description="its model")
    timeout_seconds: AnySeconds = Field(default=60, description="for one `judge`")
    agent_timeout_seconds: AnySeconds = Field(default=300, description="for one `judge_agent`")
    include_trajectory: bool = Field(default=True, description="what judges see unless an assertion says so")
    pass_on: Annotated[
        tuple[Title, ...], Field(min_length=1, description="verdicts that pass, without regard to case")
    ] = ("YES",)


class ConfigFile(Shape):
    """`evals/config.yaml`, and `evals/config.local.yaml` over it.

    Mappings are merged key by key; a list or a value of the local file takes the place of the
    other one, and an empty value takes it away. Both files may be missing.
    """

    default_harness: RawNode | None = Field(
        default=None, description="the harness to run on when the command line names none: `claude_code`"
    )
    skills_dirs: tuple[OuterPath, ...] | None = Field(
        default=None,
        description="directories of skills, relative to the project; `skills` when it exists. Not supported by `run` yet",
    )
    default_task_timeout_seconds: AnySeconds = Field(
        default=300, description="for tasks that say none of their own"
    )
    concurrency_groups: dict[
        str, Annotated[int, Field(ge=1, le=MOST_IN_A_GROUP, description="trials at once")]
    ] = Field(default_factory=dict, description="name to how many trials of that group may run at once")
    tags: RawNode | None = Field(
        default=None,
        description="name to `{exclude_by_default: true}` or nothing; a tag that is not declared here is an error",
    )
    providers: RawNode | None = Field(default=None, description="harness to its settings; see below")
    judge: JudgeConfig = Field(default=JudgeConfig(), description="who judges by criteria")
    mcp_servers: RawNode | None = Field(
        default=None, description="of a later version of the tool; not supported by `run` yet"
    )


class TagBlock(Shape):
    """What can be said of a tag."""

    exclude_by_default: bool = Field(
        default=False,
        description="leave its tasks out unless `--tag` names it, `--all-tags` is given, the task is named by SPEC, or the only suite that is run has it in `suite.yml`",
    )


class Provider(Shape):
    """Settings of every harness below `providers`."""

    default_model: Title | None = Field(
        default=None, description="the model to ask for, or one of `model_aliases`"
    )
    judge_model: Title | None = Field(default=None, description="the model of judges")
    model_aliases: dict[str, str] = Field(
        default_factory=dict, description="short names for models, for `default_model` and `--model`"
    )
    extra_args: tuple[str, ...] = Field(default=(), description="passed as they are")


class ClaudeCodeProvider(Provider):
    """`providers.claude_code`."""

    permission_mode: PermissionMode | None = Field(
        default=None, description="`bypassPermissions` turns every check off, which is a warning"
    )
    blocked_plugins: tuple[Title, ...] = Field(
        default=(),
        description="plugins of yours that must not be there: none is, as HOME is private, which is a warning",
    )


class CodexProvider(Provider):
    """`providers.codex_cli`; the harness is not supported by `run` yet."""

    writable_roots: tuple[Title, ...] = Field(
        default=(), description="directories outside of the workspace that it may write to"
    )
    network_access: bool | None = Field(
        default=None, description="whether its sandbox lets it use the network"
    )


class CopilotProvider(Provider):
    """`providers.copilot_cli`; the harness is not supported by `run` yet."""


class OpencodeProvider(Provider):
    """`providers.opencode`; the harness is not supported by `run` yet."""

    pure: bool = Field(default=True, description="without plugins of yours")


PROVIDERS: dict[str, type[Provider]] = {
    "claude_code": ClaudeCodeProvider,
    "codex_cli": CodexProvider,
    "copilot_cli": CopilotProvider,
    "opencode": OpencodeProvider,
}
