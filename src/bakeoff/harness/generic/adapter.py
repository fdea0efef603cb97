"""Any program as an adapter: it is found, asked its version, and started as its options say."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel

from bakeoff.harness.generic.agent_files import digest_of
from bakeoff.harness.generic.launch import generic_launch
from bakeoff.harness.generic.options import GenericOptions
from bakeoff.harness.protocol import Ask, Launch, LaunchRequest, Probe, StreamParser
from bakeoff.model.suite import PlacementKind

_PLAIN_WORD = re.compile(r"\s*(/?[\w.+-][\w.+/-]*)(?=\s|$)")
_OF_THE_SHELL = frozenset({
    ".", "break", "case", "cd", "command", "eval", "exec", "exit", "export", "for", "if", "read", "set",
    "shift", "times", "trap", "ulimit", "umask", "unset", "until", "wait", "while",
})  # fmt: skip
_LONGEST_VERSION = 100


class Generic:
    """Any program as an agent, told what to do and read as its options say."""

    name = "generic"
    Options: type[BaseModel] = GenericOptions
    credentials: tuple[str, ...] = ()
    login_file: str | None = None
    placements: Mapping[PlacementKind, str] = {
        PlacementKind.INSTRUCTIONS: "AGENTS.md",
        PlacementKind.SKILLS: ".agents/skills",
    }

    def probe(self, ask: Ask, path: str, options: BaseModel) -> Probe:
        """Find the program of the command, and ask `version_command`, if there is one."""
        chosen = _own(options)
        name, found = _program(chosen, path)
        if name is not None and found is None:
            where = f"{name} is not an executable file" if os.sep in name else f"{name} is not on the PATH"
            return Probe(
                available=False,
                problem=f"{where}; install it, or set `executable_check: false` if it is there",
            )
        version, problem = _version(chosen, ask)
        return Probe(available=not problem, version=version, executable=found, problem=problem)

    def launch(self, request: LaunchRequest) -> Launch:
        """How to start it; UserError for what is not supported yet."""
        return generic_launch(request, _own(request.options))

    def parser(self, options: BaseModel) -> StreamParser:
        """A fresh parser of events or of plain text."""
        from bakeoff.harness.generic.parse import EventParser, TextParser

        return EventParser() if _own(options).output_format == "jsonl" else TextParser()


def _own(options: BaseModel) -> GenericOptions:
    if not isinstance(options, GenericOptions):
        raise TypeError(f"not the options of generic: {type(options).__name__}")
    return options


def _program(options: GenericOptions, path: str) -> tuple[str | None, Path | None]:
    """The program that must be there, and where it is; None when it cannot be told."""
    if options.executable_check is False:
        return None, None
    if isinstance(options.executable_check, str):
        name: str | None = options.executable_check
    else:
        name = _first_word(options)
    if name is None:
        return None, None
    found = shutil.which(name, path=path)
    # Links are kept: an environment of Python knows itself by the link that started it.
    return name, Path(os.path.abspath(found)) if found else None


def _first_word(options: GenericOptions) -> str | None:
    if isinstance(options.command, tuple):
        word = options.command[0]
        return None if "{" in word else word
    match = _PLAIN_WORD.match(options.command)
    if match is None or match[1] in _OF_THE_SHELL or ("/" in match[1] and not match[1].startswith("/")):
        return None
    return match[1]


def _version(options: GenericOptions, ask: Ask) -> tuple[str | None, str]:
    """The version, from the program and the content of the agent's files; and what is wrong."""
    told = None
    command = options.version_command
    if command is not None:
        answer = ask(("/bin/sh", "-c", command) if isinstance(command, str) else command)
        lines = (answer or "").strip().splitlines()
        if not lines:
            return None, f"version_command {'told nothing' if answer is not None else 'failed'}"
        told = lines[0].strip()[:_LONGEST_VERSION]
    files = f"files {digest_of(options.files)}" if options.files else None
    return " ".join(part for part in (told, files) if part) or None, ""
