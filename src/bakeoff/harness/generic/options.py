"""The options of a generic harness: what is started, how it is told the prompt, what it prints."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationInfo,
    model_validator,
)

from bakeoff.harness.generic.agent_files import AgentFile, read_agent_files
from bakeoff.harness.generic.template import (
    OPTION,
    Part,
    TemplateError,
    check_names,
    check_shell,
    names_in,
    parts_of,
)
from bakeoff.harness.option_fields import NotYet, one_of

PROMPT_VIA = ("stdin", "file", "arg")
OUTPUT_FORMATS = ("text", "jsonl")

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def _to_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _command(value: object) -> object:
    value = _to_tuple(value)
    words = value if isinstance(value, tuple) else (value,)
    if not isinstance(value, str | tuple) or not all(isinstance(word, str) for word in words):
        raise ValueError("it must be a command line, or a list of a program and its arguments")
    if not words or not words[0].strip() or any("\0" in word for word in words):
        raise ValueError("it is empty" if not words or not words[0].strip() else "it holds a NUL")
    return value


def _variables(value: tuple[str, ...]) -> tuple[str, ...]:
    for name in value:
        if not _VARIABLE.match(name):
            raise ValueError(f"{name!r} is not the name of a variable; give names only, never values")
    return value


def _opts(value: object) -> object:
    """The values as texts; what is no mapping is left to be refused by its type."""
    if not isinstance(value, dict):
        return value
    return {name: _opt(name, item) for name, item in value.items()}


def _opt(name: object, value: object) -> str:
    if not (isinstance(name, str) and _VARIABLE.match(name)):
        raise ValueError(f"{name!r} cannot be a name: letters, digits and _ only")
    if not (isinstance(value, str | int | float) and "\0" not in str(value)):
        raise ValueError(f"{name}: it must be a text, a number, true or false")
    return str(value).lower() if isinstance(value, bool) else str(value)


Command = Annotated[str | tuple[str, ...], BeforeValidator(_command)]


class GenericOptions(BaseModel):
    """How any program is run as an agent.

    `command` is a list of a program and its arguments, or a text that `/bin/sh` reads. It may hold
    `{prompt}`, `{prompt_file}`, `{workspace}` (or `{worktree}`), `{model}`, `{agent_dir}`,
    `{task_id}` and `{opt_NAME}` for each name of `opts`; other braces are doubled. In a text each
    of them is one word, already quoted. `prompt_via` is `stdin` (the default), `file`
    (`{prompt_file}`, outside of the workspace) or `arg` (`{prompt}`). `output_format` is `text`
    (the default: all that is printed is the answer) or `jsonl` (events of the agent protocol).
    `agent_files` are files and folders of your agent, relative to the file that names them; they
    are copied to `{agent_dir}`. `env_passthrough` names variables of yours that the agent alone
    sees. `version_command` prints the agent's version. `executable_check` names a program that
    must be installed; `false` looks for none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, strict=True)

    command: Command
    prompt_via: Annotated[str, one_of(PROMPT_VIA)] = "stdin"
    output_format: Annotated[str, one_of(OUTPUT_FORMATS)] = "text"
    agent_files: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_to_tuple)] = ()
    env_passthrough: Annotated[tuple[str, ...], BeforeValidator(_to_tuple), AfterValidator(_variables)] = ()
    version_command: Command | None = None
    executable_check: str | bool | None = None
    opts: Annotated[dict[str, str], BeforeValidator(_opts)] = Field(default_factory=dict)

    action_policy: NotYet = None
    improve_eval_budget: NotYet = None
    improve_max_evaluations: NotYet = None
    improve_rounds: NotYet = None
    improve_session: NotYet = None

    _files: tuple[AgentFile, ...] | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _check(self, info: ValidationInfo) -> Self:
        words = [self.command] if isinstance(self.command, str) else self.command
        used: set[str] = set()
        try:
            for word in words:
                parts = parts_of(word)
                check_names(parts, tuple(self.opts))
                if isinstance(self.command, str):
                    check_shell(word, parts)
                used |= names_in(parts)
        except TemplateError as error:
            error.args = (f"command: {error}",)
            raise
        self._check_prompt(used)
        self._check_program(used)
        folder = (info.context or {}).get("folder") if isinstance(info.context, dict) else None
        if isinstance(folder, Path):
            try:
                self._files = read_agent_files(self.agent_files, folder)
            except OSError as error:
                raise ValueError(f"agent_files: {error.filename}: {error.strerror}") from error
            except ValueError as error:
                raise ValueError(f"agent_files: {error}") from error
        return self

    def _check_prompt(self, used: set[str]) -> None:
        wanted = {"file": "prompt_file", "arg": "prompt"}.get(self.prompt_via)
        if wanted and wanted not in used:
            raise TemplateError(
                f"command: with `prompt_via: {self.prompt_via}` it must hold {{{wanted}}}: "
                "without that the agent is never told the prompt"
            )
        if "prompt" in used and self.prompt_via != "arg":
            raise TemplateError("command: {prompt} needs `prompt_via: arg`", "or write {prompt_file}")
        unused = [name for name in self.opts if OPTION + name not in used]
        if unused:
            raise TemplateError(
                f"opts: {unused[0]!r} is used nowhere", f"write {{{OPTION}{unused[0]}}} in the command"
            )

    def _check_program(self, used: set[str]) -> None:
        if "agent_dir" in used and not self.agent_files:
            raise TemplateError("command: {agent_dir} is empty without `agent_files`")
        if isinstance(self.command, tuple):
            program = self.command[0]
            if "/" in program and not program.startswith(("/", "{")):
                name = program.rpartition("/")[2]
                raise TemplateError(
                    f"command: {program!r} would be looked for in the workspace, among the agent's own files",
                    f"write `agent_files: [{program}]` and `{{agent_dir}}/{name}`, or an absolute path",
                )

    @property
    def words(self) -> tuple[tuple[Part, ...], ...]:
        """The command as literal text and placeholders: one entry for a text, else one for each word."""
        words = (self.command,) if isinstance(self.command, str) else self.command
        return tuple(parts_of(word) for word in words)

    @property
    def files(self) -> tuple[AgentFile, ...]:
        """What `agent_files` names, as it was when the options were read for an experiment."""
        return self._files or ()
