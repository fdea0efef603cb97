"""Commands with placeholders: which there are, where they may stand, and how values get in.

A value never becomes text of a shell command: it travels in a variable, and the command
names that variable in quotes. So no prompt can be read as shell code. A placeholder inside
quotes or after `<<`, where the shell would read differently, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.harness.option_fields import did_you_mean

PLACEHOLDERS: Mapping[str, str] = {
    "prompt": "the prompt itself; only with `prompt_via: arg`",
    "prompt_file": "the path of a file that holds the prompt",
    "workspace": "the path of the workspace, which is the current directory",
    "worktree": "the same",
    "model": "the arm's model; empty when it has none",
    "agent_dir": "the directory that holds `agent_files`",
    "task_id": "the task's id; no honest comparison tells it to the agent",
    "harness_dir": "empty: bundles are not supported yet",
}
"""What a command may hold in braces, besides `{opt_NAME}`."""

OPTION = "opt_"
_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class TemplateError(ValueError):
    """A command cannot be read; `hint` says what to write instead."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Field:
    """A placeholder of a command, and the character at which it begins."""

    name: str
    place: int


Part = str | Field


def parts_of(text: str) -> tuple[Part, ...]:
    """Literal text and placeholders in order; doubled braces are braces.

    Raises TemplateError for a brace that is neither.
    """
    return tuple(_parts(text))


def _parts(text: str) -> Iterator[Part]:
    last = 0
    for match in _FIELD.finditer(text):
        if match.start() > last:
            yield text[last : match.start()]
        last = match.end()
        if match[0] in {"{{", "}}"}:
            yield match[0][0]
        elif match[1] is not None and _NAME.fullmatch(match[1]):
            yield Field(match[1], match.start())
        else:
            raise TemplateError(
                f"{match[0]!r} is no placeholder", "double the braces that are meant as such: {{ and }}"
            )
    if last < len(text):
        yield text[last:]


def check_names(parts: Sequence[Part], options: Sequence[str]) -> None:
    """Raise TemplateError for the first placeholder that does not exist; `options` are those of `opts`."""
    known = [*PLACEHOLDERS, *(OPTION + name for name in options)]
    for part in parts:
        if isinstance(part, Field) and part.name not in known:
            near = did_you_mean(part.name, known).removeprefix("; ").replace("'", "")
            hint = f"{near[:-1]}? " if near else ""
            if part.name.startswith(OPTION) and not near:
                hint = f"give it a value: opts: {{{part.name.removeprefix(OPTION)}: ...}}. "
            raise TemplateError(
                f"there is no placeholder {{{part.name}}}",
                f"{hint}(Braces that are meant as such are doubled: {{{{{part.name}}}}})",
            )


def check_shell(text: str, parts: Sequence[Part]) -> None:
    """Raise TemplateError for a placeholder where the shell would not read it as one word."""
    quoted = _quoted_places(text)
    for part in parts:
        if isinstance(part, Field) and part.place in quoted:
            raise TemplateError(
                f"{{{part.name}}} stands {quoted[part.place]}",
                "leave the quotes away: Bakeoff quotes it; what needs more goes into a script",
            )


def _quoted_places(text: str) -> dict[int, str]:
    """Every character that is not plain shell text, and why."""
    places: dict[int, str] = {}
    quote, place = "", 0
    while place < len(text):
        character = text[place]
        if quote:
            places[place] = "inside quotes"
        if character == "\\" and quote != "'":
            places[place + 1] = "after a backslash"
            place += 1
        elif not quote and text.startswith("<<", place):
            return places | dict.fromkeys(range(place, len(text)), "after `<<`")
        elif not quote and character == "#" and (place == 0 or text[place - 1].isspace()):
            end = text.find("\n", place)
            comment = range(place, len(text) if end < 0 else end)
            places |= dict.fromkeys(comment, "in a comment")
            place = comment.stop
        elif character == quote:
            quote = ""
        elif not quote and character in "'\"`":
            quote = character
        place += 1
    return places


def filled(parts: Sequence[Part], values: Mapping[str, str]) -> str:
    """The text with every placeholder replaced by its value, as it is."""
    return "".join(part if isinstance(part, str) else values[part.name] for part in parts)


def as_script(parts: Sequence[Part], values: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """A shell command that names its values as variables, and those variables."""
    variables = {name: _variable(name) for name in sorted(names_in(parts))}
    script = filled(parts, {name: f'"${{{variable}}}"' for name, variable in variables.items()})
    return script, {variable: values[name] for name, variable in variables.items()}


def _variable(name: str) -> str:
    """The variable by which a placeholder's value travels: BAKEOFF_PROMPT, BAKEOFF_opt_level."""
    return f"BAKEOFF_{name.upper() if name in PLACEHOLDERS else name}"


def names_in(parts: Sequence[Part]) -> frozenset[str]:
    """The placeholders that a command uses."""
    return frozenset(part.name for part in parts if isinstance(part, Field))
