"""Claude Code as an adapter."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel

from bakeoff.harness.claude_code.arguments import missing_flags
from bakeoff.harness.claude_code.launch import CREDENTIALS, PROGRAM, claude_launch
from bakeoff.harness.claude_code.options import ClaudeCodeOptions
from bakeoff.harness.protocol import Ask, Launch, LaunchRequest, Probe, StreamParser
from bakeoff.model.suite import PlacementKind

_INSTALL = "install it with `npm install -g @anthropic-ai/claude-code`"
_VERSION = re.compile(r"\d+\.\d+\.\d+[\w.+-]*")


class ClaudeCode:
    """Anthropic's Claude Code, headless, read from its event stream."""

    name = "claude_code"
    Options: type[BaseModel] = ClaudeCodeOptions
    credentials: tuple[str, ...] = CREDENTIALS
    login_file: str | None = ".claude/.credentials.json"
    placements: Mapping[PlacementKind, str] = {
        PlacementKind.INSTRUCTIONS: "CLAUDE.md",
        PlacementKind.SKILLS: ".claude/skills",
    }

    def probe(self, ask: Ask, path: str, options: BaseModel) -> Probe:
        """Find it, ask its version, and check that it knows every flag that would be passed."""
        chosen = _own(options)
        name = chosen.executable or PROGRAM
        found = shutil.which(name, path=path)
        if found is None:
            where = f"{name} is not an executable file" if os.sep in name else f"{name} is not on the PATH"
            return Probe(available=False, problem=f"{where}; {_INSTALL}")
        # Links are resolved: the place they lie in need not be visible in the sandbox.
        program = os.path.realpath(found)
        answer = ask((program, "--version"))
        version = _VERSION.search(answer) if answer is not None else None
        if version is None:
            told = "did not answer" if answer is None else f"answered {answer.strip()[:80]!r}"
            return Probe(available=False, problem=f"{found} --version {told}; {_INSTALL}")
        problem = _flag_problem(ask, program, version[0], chosen)
        return Probe(available=not problem, version=version[0], executable=Path(program), problem=problem)

    def launch(self, request: LaunchRequest) -> Launch:
        """How to start it; UserError for what is not supported yet."""
        return claude_launch(request, _own(request.options))

    def parser(self, options: BaseModel) -> StreamParser:
        """A fresh parser."""
        from bakeoff.harness.claude_code.parse import ClaudeParser

        return ClaudeParser()


def _own(options: BaseModel) -> ClaudeCodeOptions:
    if not isinstance(options, ClaudeCodeOptions):
        raise TypeError(f"not the options of claude_code: {type(options).__name__}")
    return options


def _flag_problem(ask: Ask, program: str, version: str, options: ClaudeCodeOptions) -> str:
    if not options.flag_check:
        return ""
    help_text = ask((program, "--help"))
    if help_text is None:
        return f"{program} --help did not answer; `flag_check: false` leaves this check out"
    missing = missing_flags(options, help_text)
    if not missing:
        return ""
    return (
        f"claude {version} does not list {', '.join(missing)} in its --help; "
        "install a newer one, leave the option out, or set `flag_check: false`"
    )
