"""The kinds of values that fields of checks hold, each with its own validation."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from bakeoff.patterns import compile_glob, compile_regex

_LONGEST_S = 10_000_000.0


def _shell_command(text: str) -> str:
    if not text.strip():
        msg = "a shell command must not be empty"
        raise ValueError(msg)
    if "\0" in text:
        msg = "a shell command cannot hold a NUL character"
        raise ValueError(msg)
    return text


def _glob(pattern: str) -> str:
    compile_glob(pattern)
    return pattern


def _regex(pattern: str) -> str:
    if not pattern:
        msg = "a pattern must not be empty: it would match everywhere"
        raise ValueError(msg)
    compile_regex(pattern)
    return pattern


ShellCommand = Annotated[str, Field(strict=True), AfterValidator(_shell_command)]
"""A command for `/bin/sh -c`."""

Seconds = Annotated[float, Field(strict=True, gt=0, le=_LONGEST_S, allow_inf_nan=False)]
"""A time limit, more than 0."""

ExitCode = Annotated[int, Field(strict=True, ge=0, le=255)]
"""An exit status as a shell knows it; 128 + n means ended by signal n."""

GlobText = Annotated[str, Field(strict=True), AfterValidator(_glob)]
"""A glob over paths relative to the workspace."""

RegexText = Annotated[str, Field(strict=True), AfterValidator(_regex)]
"""A regular expression in Python's syntax, with MULTILINE."""
