"""The command line of Claude Code."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bakeoff.harness.claude_code.options import ClaudeCodeOptions

UNLISTED_FLAGS = frozenset({"--append-system-prompt-file", "--max-turns"})
"""Flags that work in 2.1.332 although its `--help` does not list them."""


def arguments(
    options: ClaudeCodeOptions, *, model: str | None, resume: str | None, prompt_file: str
) -> tuple[str, ...]:
    """All arguments after the program; the prompt is not among them, it goes to standard input.

    `prompt_file` is the inner path of the file that holds `append_system_prompt`. A session
    that is continued by `resume` reports the totals of all its launches together.
    """
    return (
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        *_option("--model", model),
        *_option("--resume", resume),
        *_permissions(options),
        *_session(options, prompt_file),
        *options.extra_args,
        *_tools(options),
    )


def missing_flags(options: ClaudeCodeOptions, help_text: str) -> tuple[str, ...]:
    """The flags that would be passed but that the program's `--help` does not know."""
    listed = set(re.findall(r"--[A-Za-z][\w-]*", help_text))
    passed = arguments(options, model="x", resume=None, prompt_file="x")
    return tuple(flag for flag in _flags(passed) if flag not in listed and flag not in UNLISTED_FLAGS)


def _flags(passed: Iterable[str]) -> list[str]:
    names = (item.partition("=")[0] for item in passed if item.startswith("--"))
    return list(dict.fromkeys(names))


def _permissions(options: ClaudeCodeOptions) -> Iterable[str]:
    return (
        *_option("--permission-mode", options.permission_mode),
        *_option("--permission-prompts", options.permission_prompts),
        "--strict-mcp-config",
    )


def _session(options: ClaudeCodeOptions, prompt_file: str) -> Iterable[str]:
    sources = None if options.setting_sources is None else ",".join(options.setting_sources)
    appended = prompt_file if options.append_system_prompt is not None else None
    return (
        *_option("--max-turns", options.max_turns),
        *_option("--max-budget-usd", options.max_budget_usd),
        *_option("--setting-sources", sources),
        *_option("--append-system-prompt-file", appended),
        *_option("--effort", options.effort or options.reasoning_effort),
        *_option("--autocompact", options.autocompact),
        *(["--bare"] if options.bare else []),
        *(["--include-hook-events"] if options.include_hook_events else []),
        *(["--include-partial-messages"] if options.include_partial_messages else []),
    )


def _tools(options: ClaudeCodeOptions) -> Iterable[str]:
    # These flags take all arguments up to the next flag, so they stand at the end.
    tools = None if options.tools is None else ",".join(options.tools)
    return (
        *_option("--tools", tools),
        *(["--disallowedTools", *options.disallowed_tools] if options.disallowed_tools else []),
        *(["--allowedTools", *options.allowed_tools] if options.allowed_tools else []),
    )


def _option(flag: str, value: str | float | None) -> tuple[str, ...]:
    if value is None:
        return ()
    # A value that looks like a flag, or an empty one, must stay with its flag.
    text = _number(value) if isinstance(value, float) else str(value)
    return (f"{flag}={text}",) if text.startswith("-") else (flag, text)


def _number(value: float) -> str:
    text = f"{value:.10f}".rstrip("0").rstrip(".")
    return text or "0"
