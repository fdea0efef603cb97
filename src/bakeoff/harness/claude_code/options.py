"""The options of the Claude Code harness."""

from __future__ import annotations

import re
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from bakeoff.harness.option_fields import NotYet, one_of

PERMISSION_MODES = ("acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "manual", "plan")
EFFORTS = ("low", "medium", "high", "xhigh", "max")
SETTING_SOURCES = ("user", "project", "local")
FEWEST_AUTOCOMPACT_TOKENS = 100_000
BYPASS = "bypassPermissions"
BYPASS_FLAGS = ("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions")

OWN_FLAGS = frozenset({
    "--allowed-tools", "--allowedTools", "--append-system-prompt", "--append-system-prompt-file", "--autocompact",
    "--background", "--bare", "--bg", "--cloud", "--continue", "--desktop", "--disallowed-tools",
    "--disallowedTools", "--effort", "--fork-session", "--from-pr", "--help", "--include-hook-events",
    "--include-partial-messages", "--input-format", "--max-budget-usd", "--max-turns", "--model",
    "--no-session-persistence", "--output-format", "--permission-mode", "--permission-prompts", "--print",
    "--replay-user-messages", "--resume", "--session-id", "--setting-sources", "--strict-mcp-config", "--teleport",
    "--tmux", "--tools", "--verbose", "--version", "--worktree",
    "-c", "-h", "-p", "-r", "-v", "-w",
})  # fmt: skip
"""Flags that the adapter sets itself, or that would break the reading of the stream."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def _to_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _sources(value: Any) -> Any:
    return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else _to_tuple(value)


def _autocompact(value: Any) -> int | str:
    if value == "auto":
        return "auto"
    if isinstance(value, int) and not isinstance(value, bool) and value >= FEWEST_AUTOCOMPACT_TOKENS:
        return value
    raise ValueError(
        f"{value!r} is neither auto nor a number of tokens, at least {FEWEST_AUTOCOMPACT_TOKENS}"
    )


def _extra_args(value: tuple[str, ...]) -> tuple[str, ...]:
    if value and not value[0].startswith("-"):
        raise ValueError(f"{value[0]!r} is no flag: it would be taken for the prompt")
    for item in value:
        name = item.partition("=")[0]
        if name in OWN_FLAGS or item == "--":
            raise ValueError(f"{name!r} is set by Bakeoff, or would break the reading of the stream")
    return value


def _variables(value: tuple[str, ...]) -> tuple[str, ...]:
    for name in value:
        if not _VARIABLE.match(name):
            raise ValueError(f"{name!r} is not the name of a variable; give names only, never values")
    return value


Texts = Annotated[tuple[Annotated[str, Field(pattern=r"^[^\s-]")], ...], BeforeValidator(_to_tuple)]
"""Names or rules; one that begins with a dash would be taken for a flag."""


class ClaudeCodeOptions(BaseModel):
    """How Claude Code is started; what is left out is left to Claude Code itself.

    `max_turns` and `max_budget_usd` are its own limits. `permission_mode` says what it may do
    without being asked; `bypassPermissions` needs `allow_dangerous_permissions: true`.
    `allowed_tools` and `disallowed_tools` are permission rules such as `Bash(git *)`; `tools`
    are the built-in tools that exist at all (`[]`: none). `setting_sources` are `user`,
    `project`, `local`. `append_system_prompt` is added to the system prompt.
    `effort` (or `reasoning_effort`), `autocompact` (`auto` or tokens, at least 100,000),
    `bare`, `include_hook_events` and `include_partial_messages` are its flags of those names.
    `permission_prompts` is who answers a prompt: `none` denies at once; null leaves the flag
    out, for versions that do not know it. `max_retries` and `api_timeout_s` bound its model
    calls. `extra_args` are passed as they are; `env_passthrough` names variables of yours
    that it may see. `executable` is another name or path of the program. `flag_check: false`
    starts it even when its `--help` does not list a flag that is passed.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, strict=True)

    max_turns: Annotated[int, Field(ge=1)] | None = None
    max_budget_usd: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    permission_mode: Annotated[str, one_of(PERMISSION_MODES)] | None = None
    permission_prompts: Annotated[str, one_of(("none", "host"))] | None = "none"
    allow_dangerous_permissions: bool = False
    allowed_tools: Texts | None = None
    disallowed_tools: Texts | None = None
    tools: Texts | None = None
    bare: bool = False
    setting_sources: (
        Annotated[tuple[Annotated[str, one_of(SETTING_SOURCES)], ...], BeforeValidator(_sources)] | None
    ) = None
    append_system_prompt: str | None = None
    effort: Annotated[str, one_of(EFFORTS)] | None = None
    reasoning_effort: Annotated[str, one_of(EFFORTS)] | None = None
    autocompact: Annotated[int | str, BeforeValidator(_autocompact)] | None = None
    include_hook_events: bool = False
    include_partial_messages: bool = False
    max_retries: Annotated[int, Field(ge=0)] | None = None
    api_timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    extra_args: Annotated[tuple[str, ...], BeforeValidator(_to_tuple), AfterValidator(_extra_args)] = ()
    env_passthrough: Annotated[tuple[str, ...], BeforeValidator(_to_tuple), AfterValidator(_variables)] = ()
    executable: Annotated[str, Field(min_length=1)] | None = None
    flag_check: bool = True

    action_policy: NotYet = None
    improve_eval_budget: NotYet = None
    improve_max_evaluations: NotYet = None
    improve_rounds: NotYet = None
    improve_session: NotYet = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.effort and self.reasoning_effort and self.effort != self.reasoning_effort:
            raise ValueError("effort and reasoning_effort are the same option and differ; keep one")
        if self.bypasses and not self.allow_dangerous_permissions:
            raise ValueError(
                "bypassing all permissions needs allow_dangerous_permissions: true, "
                "and should be done in the sandbox only"
            )
        return self

    @property
    def bypasses(self) -> bool:
        """Whether every permission check is off."""
        return self.permission_mode == BYPASS or any(flag in self.extra_args for flag in BYPASS_FLAGS)
