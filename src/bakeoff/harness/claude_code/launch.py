"""How Claude Code is started: prompt on standard input, everything of its own in the private HOME."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from bakeoff.errors import UserError
from bakeoff.harness.claude_code.arguments import arguments
from bakeoff.harness.claude_code.options import ClaudeCodeOptions
from bakeoff.harness.protocol import Launch, LaunchRequest, Purpose

PROGRAM = "claude"
CREDENTIALS = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
    "CLAUDE_CODE_OAUTH_TOKEN",
    # Amazon Bedrock
    "CLAUDE_CODE_USE_BEDROCK",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    # Google Vertex
    "CLAUDE_CODE_USE_VERTEX",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_VERTEX_PROJECT_ID",
    "CLOUD_ML_REGION",
    "GOOGLE_APPLICATION_CREDENTIALS",
    # Microsoft Foundry
    "CLAUDE_CODE_USE_FOUNDRY",
    "ANTHROPIC_FOUNDRY_API_KEY",
    "ANTHROPIC_FOUNDRY_BASE_URL",
    "ANTHROPIC_FOUNDRY_RESOURCE",
)
"""Variables that hold keys and endpoints; switches and regions are among them."""

QUIET: Mapping[str, str] = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_BUG_COMMAND": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
}
"""No update, no telemetry, no reports, no side calls: with these it talks to its endpoint only."""

SESSION_FILES = (".claude/projects/*/*.jsonl", ".claude/projects/*/*/subagents/*.jsonl")
PROMPT_FILE = ".claude-launch/append-system-prompt.md"


def claude_launch(request: LaunchRequest, options: ClaudeCodeOptions) -> Launch:
    """The launch of one agent; UserError for a purpose that is not supported yet."""
    if request.purpose is not Purpose.AGENT:
        raise UserError(f"the claude_code harness cannot be used as {request.purpose}: not supported yet")
    program = str(request.executable or options.executable or PROGRAM)
    appended = options.append_system_prompt
    return Launch(
        argv=(
            program,
            *arguments(
                options,
                model=request.model,
                resume=request.resume,
                prompt_file=f"{request.home}/{PROMPT_FILE}",
            ),
        ),
        env=_environment(request, options),
        stdin=request.prompt.encode("utf-8", "surrogateescape"),
        home_files={} if appended is None else {PROMPT_FILE: appended.encode("utf-8", "surrogateescape")},
        visible=_installation(request.executable),
        session_files=SESSION_FILES,
        pass_env=options.env_passthrough,
    )


def _environment(request: LaunchRequest, options: ClaudeCodeOptions) -> dict[str, str]:
    env = {
        **QUIET,
        "CLAUDE_CONFIG_DIR": f"{request.home}/.claude",
        # Otherwise it writes to /tmp whatever TMPDIR says.
        "CLAUDE_CODE_TMPDIR": request.tmp,
    }
    if options.bypasses:
        # It refuses to bypass permissions as root unless it is told that it is in a sandbox.
        env["IS_SANDBOX"] = "1"
    if options.max_retries is not None:
        env["CLAUDE_CODE_MAX_RETRIES"] = str(options.max_retries)
    if options.api_timeout_s is not None:
        env["API_TIMEOUT_MS"] = str(max(1, round(options.api_timeout_s * 1000)))
    return env


def _installation(executable: Path | None) -> tuple[Path, ...]:
    """What must be visible for the program to run: its npm package with its siblings, or itself."""
    if executable is None:
        return ()
    parts = PurePosixPath(executable).parts
    if "node_modules" in parts:
        last = len(parts) - 1 - parts[::-1].index("node_modules")
        # The scope folder: the program proper lies in a package beside the one that starts it.
        return (Path(*parts[: last + 2]),)
    return (executable,)
