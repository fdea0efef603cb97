"""The four blocks of a task that are named after a harness: each with the rules of its harness.

They hold for one task and its harness alone, and lie over what `providers` says in the
configuration; options of the command line lie over both.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from bakeoff.dialects.field_types import Shape, Title, check_one_line
from bakeoff.dialects.nodes import Mapping, Node, Sequence
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.scalars import read_choice, read_text
from bakeoff.dialects.shapes import RawNode, read_shape
from bakeoff.dialects.wording import Refusal

ACTIONS = ("allow", "ask", "deny")
HANGS_WHEN_DENIED = frozenset({"bash", "edit", "write", "read"})
"""Tools of OpenCode that can hang without a person when they are denied as a whole."""

_SKILL_TOOL = "Skill"
_COPILOT_TOOL = re.compile(r"[a-z][a-z0-9_]*")
_OPENCODE_TOOL = re.compile(r"[a-z*][a-z0-9_*-]*")

PermissionMode = Literal["auto", "bypassPermissions", "acceptEdits", "dontAsk", "default", "plan"]


def _check_rule(text: str) -> str:
    if text.startswith("-"):
        raise Refusal(f"{quoted(text)} begins with a dash, and would be taken for a flag")
    return check_one_line(text)


def _check_copilot_tool(text: str) -> str:
    if _COPILOT_TOOL.fullmatch(text):
        return text
    name = text.partition("(")[0].strip()
    if "(" in text or "*" in text or "?" in text:
        hint = f"write `{name.lower()}`" if _COPILOT_TOOL.fullmatch(name.lower()) else ""
        raise Refusal(f"{quoted(text)} is a pattern, and Copilot CLI knows exact names only", hint)
    hint = f"write `{text.lower()}`" if _COPILOT_TOOL.fullmatch(text.lower()) else ""
    raise Refusal(f"{quoted(text)} is no name of a tool: they are lower-case words", hint)


class ClaudeCodeBlock(Shape):
    """`claude_code`: options of Claude Code for one task."""

    allowed_tools: tuple[Annotated[str, AfterValidator(_check_rule)], ...] | None = Field(
        default=None,
        description="permission rules such as `Bash(gh*)`; anything else is denied. `Skill` is added to a list that is not empty; an empty one is as if it were not there, which is a warning",
    )
    permission_mode: PermissionMode | None = Field(
        default=None, description="in place of the `permission_mode` of the configuration"
    )


class PrefixRule(Shape):
    """An entry of `codex_cli.prefix_rules`."""

    pattern: RawNode = Field(description="a list of words; a list within it holds alternatives")
    decision: Literal["allow", "prompt", "forbidden"] = Field(
        default="allow", description="what becomes of a command that begins like this"
    )
    justification: Title | None = Field(default=None, description="for people")


class CodexBlock(Shape):
    """`codex_cli`: options of the Codex CLI for one task; not supported by `run` yet."""

    sandbox: Literal["read-only", "workspace-write", "danger-full-access"] = Field(
        default="workspace-write", description="its own sandbox"
    )
    network_access: bool | None = Field(
        default=None, description="whether that sandbox lets it use the network"
    )
    writable_roots: tuple[Title, ...] | None = Field(
        default=None,
        description="directories outside of the workspace that it may write to; `~` is your HOME",
    )
    prefix_rules: tuple[RawNode, ...] = Field(
        default=(), description="rules about commands: `pattern`, `decision` and `justification`"
    )


class CopilotBlock(Shape):
    """`copilot_cli`: options of the Copilot CLI for one task; not supported by `run` yet."""

    allowed_tools: tuple[Annotated[str, AfterValidator(_check_copilot_tool)], ...] | None = Field(
        default=None,
        description="exact lower-case names of the only tools that exist; an empty list is as if it were not there, which is a warning",
    )


class OpencodeBlock(Shape):
    """`opencode`: options of OpenCode for one task; not supported by `run` yet."""

    permission: RawNode | None = Field(
        default=None,
        description='tool to `allow`, `ask` or `deny`, or to a mapping of patterns to these. A bare `deny` on bash, edit, write or read can hang it: write `{"*": deny}`',
    )


BLOCKS: dict[str, type[Shape]] = {
    "claude_code": ClaudeCodeBlock,
    "codex_cli": CodexBlock,
    "copilot_cli": CopilotBlock,
    "opencode": OpencodeBlock,
}
"""The harnesses that the format knows, with their blocks."""


def read_blocks(task: Mapping, problems: Problems) -> dict[str, dict[str, object]]:
    """The options that a task gives to each harness, by the names that the adapters have for them."""
    found = {}
    for name, shape in BLOCKS.items():
        node = task.get(name)
        block = read_shape(node, shape, problems, name) if node is not None else None
        if block is not None and isinstance(node, Mapping):
            options = _options(block, node, problems)
            if options:
                found[name] = options
    return found


def _options(block: Shape, node: Mapping, problems: Problems) -> dict[str, object]:
    if isinstance(block, ClaudeCodeBlock):
        return _claude_code(block, node, problems)
    if isinstance(block, CopilotBlock):
        tools = _tools(block.allowed_tools, node, "copilot_cli", problems)
        return {"allowed_tools": tools} if tools else {}
    if isinstance(block, CodexBlock):
        return _codex(block, node, problems)
    assert isinstance(block, OpencodeBlock)
    permission = _permission(block.permission, problems) if block.permission is not None else {}
    return {"permission": permission} if permission else {}


def _claude_code(block: ClaudeCodeBlock, node: Mapping, problems: Problems) -> dict[str, object]:
    options: dict[str, object] = {}
    tools = _tools(block.allowed_tools, node, "claude_code", problems)
    if tools:
        # Without it a skill cannot be asked for in plain words: the answer comes back as an error.
        options["allowed_tools"] = tools if _SKILL_TOOL in tools else [*tools, _SKILL_TOOL]
    if block.permission_mode is not None:
        options |= permission_options(block.permission_mode)
    return options


def permission_options(mode: str) -> dict[str, object]:
    """The options of Claude Code for a permission mode: who writes bypassPermissions means it."""
    dangerous = {"allow_dangerous_permissions": True} if mode == "bypassPermissions" else {}
    return {"permission_mode": mode, **dangerous}


def _tools(tools: tuple[str, ...] | None, node: Mapping, name: str, problems: Problems) -> list[str]:
    if tools is not None and not tools:
        problems.warning(
            node.at("allowed_tools").where,
            f"`{name}.allowed_tools` is empty: it is as if it were not there",
            "leave it out, or name the tools that are allowed",
        )
    return list(tools or ())


def _codex(block: CodexBlock, node: Mapping, problems: Problems) -> dict[str, object]:
    rules = [_prefix_rule(each, problems) for each in block.prefix_rules]
    options: dict[str, object] = {"sandbox": block.sandbox} if "sandbox" in node else {}
    if block.network_access is not None:
        options["network_access"] = block.network_access
    if block.writable_roots is not None:
        options["writable_roots"] = list(block.writable_roots)
    kept = [rule for rule in rules if rule is not None]
    return options | ({"prefix_rules": kept} if kept else {})


def _prefix_rule(node: Node, problems: Problems) -> dict[str, object] | None:
    rule = read_shape(node, PrefixRule, problems, "codex_cli.prefix_rules")
    if rule is None:
        return None
    pattern = _pattern(rule.pattern, problems)
    written = {"pattern": pattern, "decision": rule.decision}
    return written | ({"justification": rule.justification} if rule.justification else {})


def _pattern(node: Node, problems: Problems) -> list[object]:
    name = "codex_cli.prefix_rules.pattern"
    if not isinstance(node, Sequence) or not node.items:
        hint = "write the words of the command, as in `pattern: [gh, release]`"
        what = "an empty list" if isinstance(node, Sequence) else node.kind
        problems.error(node.where, f"`{name}` must be a list of words, not {what}", hint)
        return []
    return [_token(each, name, problems) for each in node.items]


def _token(node: Node, name: str, problems: Problems) -> object:
    if not isinstance(node, Sequence):
        return read_text(node, name, problems)
    if not node.items or any(isinstance(each, Sequence) for each in node.items):
        problems.error(node.where, f"`{name}`: a list of alternatives holds words, at least one")
        return []
    return [read_text(each, name, problems) for each in node.items]


def _permission(node: Node, problems: Problems) -> dict[str, object]:
    if not isinstance(node, Mapping):
        hint = "write `bash: ask`, or `bash:` with a mapping of patterns below it"
        problems.error(node.where, f"`opencode.permission` must be a mapping of tools, not {node.kind}", hint)
        return {}
    found: dict[str, object] = {}
    for entry in node:
        tool = entry.key.text
        if not _OPENCODE_TOOL.fullmatch(tool):
            lower = tool.lower()
            hint = f"write `{lower}`" if _OPENCODE_TOOL.fullmatch(lower) else ""
            problems.error(
                entry.key.where,
                f"`opencode.permission`: {quoted(tool)} is no name of a tool: they are lower-case words",
                hint,
            )
        found[tool] = _action(entry.value, tool, problems)
    return found


def _action(node: Node, tool: str, problems: Problems) -> object:
    name = f"opencode.permission.{tool}"
    if isinstance(node, Mapping):
        return {
            entry.key.text: read_choice(entry.value, ACTIONS, f"{name}.{entry.key.text}", problems)
            for entry in node
        }
    action = read_choice(node, ACTIONS, name, problems)
    if action == "deny" and tool in HANGS_WHEN_DENIED:
        problems.error(
            node.where,
            f"`{name}: deny` can hang OpenCode when nobody is there to answer",
            f'write `{tool}: {{"*": "deny"}}`',
        )
    return action


def unknown_harness_hint(name: str) -> str:
    """A hint for a word that should be the name of a harness."""
    full = {"claude": "claude_code", "codex": "codex_cli", "copilot": "copilot_cli", "dummy": "fake"}
    return f"did you mean `{full[name]}`?" if name in full else suggestion(name, [*BLOCKS, "fake"])


def written_harness(
    node: Node, name: str, problems: Problems, others: Collection[str] = ("fake",)
) -> str | None:
    """The name of a harness of the format or one of `others`; None when it is none, which is recorded."""
    text = read_text(node, name, problems)
    if not isinstance(text, str):
        return None
    if text in BLOCKS or text in others:
        return text
    problems.error(node.where, f"`{name}`: there is no harness {quoted(text)}", unknown_harness_hint(text))
    return None
