"""How a program is started as an agent, with the prompt by standard input, file or argument."""

from __future__ import annotations

from bakeoff.errors import HostFailed, UserError
from bakeoff.harness.generic.options import GenericOptions
from bakeoff.harness.generic.template import OPTION, as_script, filled, names_in
from bakeoff.harness.protocol import Launch, LaunchRequest, Purpose

PROMPT_FILE = ".agent-prompt.txt"
AGENT_FOLDER = ".agent"
SHELL = "/bin/sh"
LONGEST_ARGUMENT = 128 * 1024 - 64
"""Bytes that Linux takes as one argument or variable, less the name of the variable."""


def generic_launch(request: LaunchRequest, options: GenericOptions) -> Launch:
    """The launch of one agent.

    Raises UserError for a purpose that is not supported yet, HostFailed for a prompt that no
    argument can hold.
    """
    if request.purpose is not Purpose.AGENT:
        raise UserError(f"the generic harness cannot be used as {request.purpose}: not supported yet")
    if request.resume is not None:
        raise UserError("the generic harness cannot continue a session: not supported yet")
    values = _values(request, options)
    used = frozenset().union(*map(names_in, options.words))
    prompt = request.prompt.encode("utf-8", "surrogateescape")
    if "prompt" in used:
        _check_argument(prompt)
    env: dict[str, str] = {}
    if isinstance(options.command, str):
        script, env = as_script(options.words[0], values)
        argv: tuple[str, ...] = (SHELL, "-c", script)
    else:
        argv = tuple(filled(parts, values) for parts in options.words)
        # A program that is only to be checked need not be the one that is started.
        if request.executable is not None and not isinstance(options.executable_check, str):
            argv = (str(request.executable), *argv[1:])
    home_files = {f"{AGENT_FOLDER}/{file.path}": file.content for file in options.files}
    if "prompt_file" in used:
        home_files[PROMPT_FILE] = prompt
    return Launch(
        argv=argv,
        env=env,
        stdin=prompt if options.prompt_via == "stdin" else None,
        home_files=home_files,
        executable_files=frozenset(
            f"{AGENT_FOLDER}/{file.path}" for file in options.files if file.executable
        ),
        pass_env=options.env_passthrough,
    )


def _values(request: LaunchRequest, options: GenericOptions) -> dict[str, str]:
    return {
        "prompt": request.prompt,
        "prompt_file": f"{request.home}/{PROMPT_FILE}",
        "workspace": request.workspace,
        "worktree": request.workspace,
        "model": request.model or "",
        "agent_dir": f"{request.home}/{AGENT_FOLDER}",
        "task_id": request.task_id,
        "harness_dir": "",
        **{OPTION + name: value for name, value in options.opts.items()},
    }


def _check_argument(prompt: bytes) -> None:
    if len(prompt) > LONGEST_ARGUMENT:
        raise HostFailed(
            f"the prompt has {len(prompt)} bytes, more than an argument can hold; use `prompt_via: file`"
        )
    if b"\0" in prompt:
        raise HostFailed("the prompt holds a NUL, which no argument can; use `prompt_via: stdin`")
