"""The kinds of value that the fields of both formats hold, each with its rule."""

from __future__ import annotations

import posixpath
import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bakeoff.dialects.problems import quoted
from bakeoff.dialects.wording import Refusal
from bakeoff.patterns import compile_glob, compile_regex

LONGEST_ID = 100
LONGEST_WAIT_S = 10_000_000
"""About four months: a limit beyond it is a slip, and some clocks cannot hold it."""

_ID_REFUSED = re.compile(r"[\s/\\,*?\[\]{}]|::")
_ID_RULE = "ids hold no white space, slashes, commas, `::` or glob characters"


class Shape(BaseModel):
    """A mapping of a YAML file: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def check_id(text: str) -> str:
    """An id that can stand in file names, lists and globs without being misread."""
    problem = _id_problem(text)
    if problem:
        raise Refusal(f"{quoted(text)} {problem}", f"write `{nearest_id(text)}`; {_ID_RULE}")
    return text


def _id_problem(text: str) -> str:
    if not text:
        return "is empty"
    if len(text) > LONGEST_ID:
        return f"is longer than {LONGEST_ID} characters"
    if text[0] in ".-":
        return f"begins with `{text[0]}`"
    if not text.isprintable():
        return "holds a character that cannot be printed"
    refused = _ID_REFUSED.search(text)
    if refused:
        what = "white space" if refused[0].isspace() else f"`{refused[0]}`"
        return f"holds {what}"
    return ""


def nearest_id(text: str) -> str:
    """The allowed id that is nearest to a text."""
    allowed = "".join(character if character.isprintable() else "-" for character in text)
    allowed = re.sub(rf"(?:{_ID_REFUSED.pattern})+", "-", allowed)
    return allowed.strip("-").lstrip(".-")[:LONGEST_ID].rstrip("-") or "task-1"


def check_command(text: str) -> str:
    """A shell command that does something."""
    lines = (line.strip() for line in text.splitlines())
    if all(not line or line.startswith("#") for line in lines):
        raise Refusal("the command is empty", "a command that does nothing always exits with 0")
    return text


def check_text(text: str) -> str:
    """Text in which something is written."""
    if not text.strip():
        raise Refusal("nothing is written here")
    return text


def check_one_line(text: str) -> str:
    """A name as it is shown: one line of printable characters."""
    if not text.strip():
        raise Refusal("nothing is written here")
    if not text.isprintable():
        raise Refusal(f"{quoted(text)} holds a line break or another character that cannot be printed")
    return text


def check_glob(text: str) -> str:
    """A glob on paths of the workspace."""
    try:
        compile_glob(text)
    except ValueError as error:
        raise Refusal(str(error)) from None
    return text


def check_regex(text: str) -> str:
    """A regular expression that can fail to match."""
    if not text:
        raise Refusal("the pattern is empty", "an empty pattern matches everything")
    try:
        compile_regex(text)
    except ValueError as error:
        raise Refusal(str(error)) from None
    return text


def check_inner_path(text: str) -> str:
    """A path of a file or directory below the workspace, in its shortest form."""
    if not text.strip():
        raise Refusal("the path is empty")
    path = posixpath.normpath(text)
    if path.startswith("/"):
        raise Refusal(f"{quoted(text)} is absolute", "paths are relative to the workspace")
    if path == ".." or path.startswith("../"):
        raise Refusal(f"{quoted(text)} leaves the workspace", "paths are relative to the workspace")
    if path == ".":
        raise Refusal(f"{quoted(text)} is the whole workspace", "name a file or directory below it")
    if path.partition("/")[0].lower() == ".git":
        raise Refusal(f"{quoted(text)} lies in the repository's own `.git`", "name another place")
    return path


def check_distinct(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The same entries, each once."""
    return tuple(dict.fromkeys(texts))


Id = Annotated[str, AfterValidator(check_id)]
Command = Annotated[str, AfterValidator(check_command)]
Prompt = Annotated[str, AfterValidator(check_text)]
Title = Annotated[str, AfterValidator(check_one_line)]
Glob = Annotated[str, AfterValidator(check_glob)]
Regex = Annotated[str, AfterValidator(check_regex)]
InnerPath = Annotated[str, AfterValidator(check_inner_path)]
OuterPath = Annotated[str, AfterValidator(check_one_line)]
"""A path on the machine, relative to the file that names it."""
Tags = Annotated[tuple[Annotated[str, AfterValidator(check_one_line)], ...], AfterValidator(check_distinct)]
Seconds = Annotated[int, Field(gt=0, le=LONGEST_WAIT_S)]
ExitCode = Annotated[int, Field(ge=0, le=255)]
