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


def _inner_path(path: str) -> str:
    if not path.strip():
        msg = "a path must not be empty"
        raise ValueError(msg)
    if "\0" in path:
        msg = "a path cannot hold a NUL character"
        raise ValueError(msg)
    if path.startswith("/"):
        msg = f"the path {path!r} is absolute: paths are relative to the workspace"
        raise ValueError(msg)
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if ".." in parts:
        msg = f"the path {path!r} leaves the workspace: `..` is not allowed"
        raise ValueError(msg)
    if ".git" in parts:
        msg = f"the path {path!r} leads into `.git`, which is no part of the evidence: ask git with a command"
        raise ValueError(msg)
    if not parts or path.endswith(("/", "/.")):
        msg = f"the path {path!r} names a folder, and a file is meant"
        raise ValueError(msg)
    return "/".join(parts)


def _name(text: str) -> str:
    if not text.strip():
        msg = "a name must not be empty"
        raise ValueError(msg)
    if text != text.strip() or not text.isprintable():
        msg = f"{text!r} is no name: it has white space at its ends, or characters that cannot be seen"
        raise ValueError(msg)
    return text


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

InnerPath = Annotated[str, Field(strict=True), AfterValidator(_inner_path)]
"""The path of a file, relative to the workspace and inside it."""

Name = Annotated[str, Field(strict=True), AfterValidator(_name)]
"""The name of a tool or skill."""

Number = Annotated[int, Field(strict=True, ge=0, le=1_000_000_000)]
"""How many of something."""
