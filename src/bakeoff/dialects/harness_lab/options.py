"""The options of the built-in runners: their names, types and defaults in this format.

Where no default stands here, the adapter's own holds. The types only say how YAML is to be
read; the adapter validates the values, and may have options beyond those of the format.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from bakeoff.dialects.field_types import Shape

Behaviour = Literal["solve", "partial", "noop", "fail", "crash", "timeout"]
UnsafeAct = Literal["read_canary", "follow_lure", "leak_canary", "read_ssh_key", "destructive"]
Texts = tuple[str, ...]

_LATER = "not supported by `run` yet"


class RunnerOptions(Shape):
    """Options of every runner."""

    improve_rounds: int | None = Field(default=None, description=f"in place of `improve.rounds`; {_LATER}")
    improve_eval_budget: int | None = Field(
        default=None, description=f"in place of `improve.evaluator.budget`; {_LATER}"
    )
    improve_max_evaluations: int | None = Field(
        default=None, description=f"in place of `improve.max_evaluations`; {_LATER}"
    )
    improve_session: Literal["fresh", "resume"] | None = Field(
        default=None, description=f"whether a round goes on with the session of the one before; {_LATER}"
    )
    action_policy: Any = Field(default=None, description=f"which actions are blocked; {_LATER}")


class FakeOptions(RunnerOptions):
    """Options of `runner: fake`, the scripted harness."""

    behavior: Behaviour | None = Field(default=None, description="what the scripted agent does")
    behaviors: tuple[Behaviour, ...] | None = Field(
        default=None, description=f"one for each repetition, in turn; {_LATER}"
    )
    command: str | None = Field(default=None, description="a command that it runs after its edits")
    run_command: bool | None = Field(default=None, description="whether it runs one at all")
    delay_ms: float | None = Field(default=None, description="milliseconds that it waits first")
    solve_tasks: Texts | None = Field(default=None, description="ids of the only tasks that it solves")
    simulate_cost_usd_per_1k_tokens: float | None = Field(default=None, description="a price")
    simulate_token_multiplier: float | None = Field(default=None, description="a factor on its tokens")
    llm_calls: int | None = Field(default=None, description="how many model calls it tells of")
    improve_break_rounds: Any = Field(default=None, description=f"rounds that it spoils; {_LATER}")
    eval_calls: int | None = Field(default=None, description=f"measurements that it asks for; {_LATER}")
    simulate_unsafe: tuple[UnsafeAct, ...] | None = Field(
        default=None, description=f"unsafe acts that it tells of, without doing them; {_LATER}"
    )


class PassingOptions(RunnerOptions):
    """Options of every runner that starts a program."""

    env_passthrough: Texts | None = Field(default=None, description="names of variables that it may see")


class ProgramOptions(PassingOptions):
    """Options of every runner that starts a program of known name."""

    extra_args: Texts | None = Field(default=None, description="passed as they are")
    executable: str | None = Field(default=None, description="another name or path of the program")


class ClaudeOptions(ProgramOptions):
    """Options of `runner: claude`."""

    max_turns: int = Field(default=30, description="its own limit of turns")
    permission_mode: str = Field(default="acceptEdits", description="what it may do without being asked")
    allowed_tools: Texts | None = Field(default=None, description="permission rules")
    disallowed_tools: Texts = Field(default=("WebFetch", "WebSearch"), description="permission rules")
    tools: Texts | None = Field(default=None, description="the built-in tools that exist at all")
    max_budget_usd: float | None = Field(default=None, description="its own limit of money")
    bare: bool | None = Field(default=None, description="start without instruction files and settings")
    setting_sources: Any = Field(default=None, description="`user`, `project`, `local`, or a list of them")
    append_system_prompt: str | None = Field(default=None, description="added to the system prompt")
    effort: str | None = Field(default=None, description="how much it thinks")
    reasoning_effort: str | None = Field(default=None, description="the same as `effort`")
    autocompact: Any = Field(default=None, description="when it shortens the conversation")
    include_hook_events: bool | None = Field(default=None, description="tell of hooks in the stream")
    allow_dangerous_permissions: bool | None = Field(
        default=None, description="needed for `permission_mode: bypassPermissions`"
    )
    flag_check: bool | None = Field(default=None, description="`false`: start it although it lacks a flag")


class CodexOptions(ProgramOptions):
    """Options of `runner: codex`."""

    sandbox: Literal["read-only", "workspace-write", "danger-full-access"] | None = Field(
        default=None, description="its own sandbox"
    )
    full_auto: bool | None = Field(default=None, description="has no effect, which is a warning")
    network_access: bool = Field(default=False, description="whether its sandbox lets it use the network")
    reasoning_effort: str | None = Field(default=None, description="how much it thinks")
    profile: str | None = Field(default=None, description="a profile of its configuration")
    config_overrides: Any = Field(default=None, description="values of its configuration")
    skip_git_repo_check: bool = Field(default=True, description="start outside of a git repository too")


class GenericOptions(PassingOptions):
    """Options of `runner: generic`; its command may use any other option as `{opt_NAME}`."""

    command: Any = Field(
        default=None, description="the command that is the agent: a text for the shell, or a list of words"
    )
    prompt_via: Literal["stdin", "file", "arg"] = Field(
        default="stdin", description="how it is given the prompt"
    )
    output_format: Literal["text", "jsonl"] = Field(default="text", description="what it prints")
    executable_check: Any = Field(default=None, description="a program that must be installed")


SHAPES: dict[str, type[RunnerOptions]] = {
    "fake": FakeOptions,
    "generic": GenericOptions,
    "codex": CodexOptions,
    "claude": ClaudeOptions,
}

HARNESSES = {"fake": "fake", "generic": "generic", "codex": "codex_cli", "claude": "claude_code"}
"""Runner to adapter."""

SUPPLIED = {
    runner: tuple(name for name, field in shape.model_fields.items() if field.default is not None)
    for runner, shape in SHAPES.items()
}
"""The options whose defaults this format fixes; they are passed even when nobody writes them."""

NOT_YET = frozenset(
    {
        "improve_rounds",
        "improve_eval_budget",
        "improve_max_evaluations",
        "improve_session",
        "improve_break_rounds",
        "eval_calls",
        "simulate_unsafe",
        "behaviors",
        "action_policy",
    }
)
"""Options that `run` cannot honour yet."""

WITHOUT_EFFECT = {"full_auto": "the sandbox decides what codex may do"}
"""Options that are accepted and do nothing, and why."""
