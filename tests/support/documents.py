"""Reads the fenced blocks of Markdown pages and runs them as a reader would.

The convention, which CONTRIBUTING.md tells to authors; blocks of one page share a directory:

- `console`: a line `$ command` is run, a final backslash continues it; the lines below are
  what it prints. They are compared line by line: white space counts as one space, `...`
  stands for any text, and on a line of its own for any lines. Without such lines the output
  is not looked at. The exit code must be 0, with `exit=N` that of the last command must be N.
- `bash`: the whole block is one script, which must succeed.
- any language with `title=PATH`: a file of that name, written before the next block.
- `runs=ci`: not run here, because it makes an environment of its own; .ci/run does it.
- `needs="a reason"`: cannot be run in a test, and why.
- `fragment`: a piece of YAML or of a script that is shown only.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^( *)(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_ATTRIBUTES = frozenset({"title", "exit", "runs", "needs", "fragment"})
_SHELL = frozenset({"console", "bash"})
_MUST_RUN = _SHELL | {"yaml"}
COMMAND_TIMEOUT_S = 100.0


class PageWrongError(AssertionError):
    """A page does not tell what happens; names page and line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced block; `line` counts from 1 and is the line of the opening fence."""

    page: Path
    line: int
    language: str
    attributes: Mapping[str, str]
    lines: tuple[str, ...]

    @property
    def place(self) -> str:
        """Page and line, as an editor opens them."""
        return f"{self.page}:{self.line}"

    @property
    def text(self) -> str:
        """The content with its final newline."""
        return "\n".join((*self.lines, ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of a console block, and the lines that the page says it prints."""

    line: int
    text: str
    expected: tuple[str, ...]


def blocks_of(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page in order; one that is never closed is an error."""
    lines = page.read_text().splitlines()
    number = 0
    while number < len(lines):
        opening = _FENCE.match(lines[number])
        number += 1
        if opening is None:
            continue
        begin, indent, fence = number, len(opening[1]), opening[2]
        while number < len(lines) and not _closes(lines[number], fence):
            number += 1
        if number == len(lines):
            raise PageWrongError(f"{page}:{begin}: this block is never closed")
        language, attributes = _info(opening[3], f"{page}:{begin}")
        content = tuple(line[min(indent, len(line) - len(line.lstrip())) :] for line in lines[begin:number])
        yield Block(page=page, line=begin, language=language, attributes=attributes, lines=content)
        number += 1


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(fence) and set(stripped) == {fence[0]}


def _info(text: str, place: str) -> tuple[str, dict[str, str]]:
    words = shlex.split(text)
    attributes = {name: value for name, _, value in (word.partition("=") for word in words[1:])}
    if unknown := set(attributes) - _ATTRIBUTES:
        raise PageWrongError(f"{place}: no attribute of a block: {', '.join(sorted(unknown))}")
    return (words[0] if words else ""), attributes


def commands_of(block: Block) -> list[Command]:
    """The commands of a console block, each with what it prints."""
    commands: list[Command] = []
    number = 0
    while number < len(block.lines):
        if not block.lines[number].startswith("$ "):
            raise PageWrongError(f"{block.page}:{block.line + number + 1}: expected `$ command`")
        begin = number
        text = block.lines[number][2:]
        while text.endswith("\\") and number + 1 < len(block.lines):
            number += 1
            text += "\n" + block.lines[number]
        number += 1
        expected = []
        while number < len(block.lines) and not block.lines[number].startswith("$ "):
            expected.append(block.lines[number])
            number += 1
        commands.append(Command(line=block.line + begin + 1, text=text, expected=tuple(expected)))
    return commands


def run_page(page: Path, directory: Path, env: Mapping[str, str]) -> int:
    """Do everything that the page says, in order; how many commands and scripts were run."""
    place = directory
    count = 0
    for block in blocks_of(page):
        if "title" in block.attributes:
            _write(block, place)
        elif {"runs", "needs", "fragment"} & set(block.attributes):
            continue
        elif block.language == "bash":
            script = Command(line=block.line, text=f"set -eu\n{block.text}", expected=())
            place = _run(script, block, place, env, expected_exit=0)
            count += 1
        elif block.language == "console":
            commands = commands_of(block)
            for command in commands:
                last = command is commands[-1]
                wanted = int(block.attributes.get("exit", "0")) if last else 0
                place = _run(command, block, place, env, expected_exit=wanted)
                count += 1
        elif block.language in _MUST_RUN:
            raise PageWrongError(f"{block.place}: give it title=PATH, or `fragment` if it is only shown")
    return count


def _write(block: Block, place: Path) -> None:
    path = place / block.attributes["title"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text)


def _run(command: Command, block: Block, place: Path, env: Mapping[str, str], *, expected_exit: int) -> Path:
    """Run one command; the directory that it ends in is where the next one starts."""
    where = f"{block.page}:{command.line}"
    with tempfile.NamedTemporaryFile() as after:
        script = f"trap 'pwd >\"{after.name}\"' EXIT\n{command.text}\n"
        try:
            run = subprocess.run(
                ["bash", "-c", script],
                cwd=place,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=COMMAND_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise PageWrongError(f"{where}: $ {command.text}\ntook longer than {error.timeout} s") from error
        next_place = Path(Path(after.name).read_text().rstrip("\n"))
    output = run.stdout.decode(errors="replace")
    if run.returncode != expected_exit:
        raise PageWrongError(
            f"{where}: $ {command.text}\nexit code {run.returncode}, not {expected_exit}\n{output}"
        )
    if command.expected and not matches(command.expected, output.splitlines()):
        expected = "\n".join(command.expected)
        raise PageWrongError(
            f"{where}: $ {command.text}\n--- the page says\n{expected}\n--- it printed\n{output}"
        )
    return next_place


def matches(expected: tuple[str, ...], actual: list[str]) -> bool:
    """Whether the printed lines are what the page says; empty lines do not count."""
    parts = [_one_line(line) for line in expected if line.strip()]
    text = "".join(f"{' '.join(line.split())}\n" for line in actual if line.strip())
    return re.fullmatch("".join(parts), text) is not None


def _one_line(line: str) -> str:
    words = " ".join(line.split())
    if words == "...":
        return r"(?:[^\n]*\n)*?"
    return r"[^\n]*".join(re.escape(piece) for piece in words.split("...")) + r"\n"
