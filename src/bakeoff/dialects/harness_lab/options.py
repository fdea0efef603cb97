"""The options of the built-in runners: their names, types and defaults in this format.

A default that is not in `SUPPLIED` is the adapter's own. The types only say how YAML is to
be read; the adapter validates the values, and may have options beyond those of the format.
"""

from __future__ import annotations

from typing import Any, Literal

from bakeoff.dialects.field_types import Shape

Behaviour = Literal["solve", "partial", "noop", "fail", "crash", "timeout"]
UnsafeAct = Literal["read_canary", "follow_lure", "leak_canary", "read_ssh_key", "destructive"]


class _Options(Shape):
    """Options that every runner has."""

    improve_rounds: int = 0
    improve_eval_budget: int = 0
    improve_max_evaluations: int = 0
    improve_session: Literal["fresh", "resume"] = "fresh"
    action_policy: Any = None


class FakeOptions(_Options):
    """Options of `runner: fake`."""

    behavior: Behaviour = "solve"
    behaviors: tuple[Behaviour, ...] = ()
    command: str = ""
    run_command: bool = True
    delay_ms: float = 0.0
    solve_tasks: tuple[str, ...] = ()
    simulate_cost_usd_per_1k_tokens: float = 0.0
    simulate_token_multiplier: float = 1.0
    llm_calls: int = 0
    improve_break_rounds: Any = None
    eval_calls: int = 0
    simulate_unsafe: tuple[UnsafeAct, ...] = ()


class _ProcessOptions(_Options):
    """Options of every runner that starts a program."""

    env_passthrough: tuple[str, ...] = ()
    extra_args: tuple[str, ...] = ()
    executable: str = ""


class ClaudeOptions(_ProcessOptions):
    """Options of `runner: claude`."""

    max_turns: int = 30
    permission_mode: str = "acceptEdits"
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ("WebFetch", "WebSearch")
    tools: tuple[str, ...] = ()
    max_budget_usd: float = 0.0
    bare: bool = False
    setting_sources: Any = None
    append_system_prompt: str = ""
    effort: str = ""
    reasoning_effort: str = ""
    autocompact: Any = None
    include_hook_events: bool = True
    allow_dangerous_permissions: bool = False
    flag_check: bool = True


class CodexOptions(_ProcessOptions):
    """Options of `runner: codex`."""

    sandbox: Literal["read-only", "workspace-write", "danger-full-access"] = "workspace-write"
    full_auto: bool = False
    network_access: bool = False
    reasoning_effort: str = ""
    profile: str = ""
    config_overrides: Any = None
    skip_git_repo_check: bool = True


class GenericOptions(_ProcessOptions):
    """Options of `runner: generic`; its command may use others as `{opt_NAME}`."""

    command: str = ""
    prompt_via: Literal["stdin", "file", "arg"] = "stdin"
    output_format: Literal["text", "jsonl"] = "text"
    executable_check: Any = None


SHAPES: dict[str, type[_Options]] = {
    "fake": FakeOptions,
    "generic": GenericOptions,
    "codex": CodexOptions,
    "claude": ClaudeOptions,
}

HARNESSES = {"fake": "fake", "generic": "generic", "codex": "codex_cli", "claude": "claude_code"}
"""Runner to adapter."""

SUPPLIED = {
    "fake": (),
    "generic": (),
    "codex": ("network_access", "skip_git_repo_check"),
    "claude": ("max_turns", "permission_mode", "disallowed_tools"),
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
