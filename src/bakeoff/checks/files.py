"""Checks on single files of the tree that the agent left."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from bakeoff.checks.corpus import Corpus
from bakeoff.checks.fields import InnerPath
from bakeoff.checks.wording import plainly
from bakeoff.errors import CheckBroken
from bakeoff.identity import display_path
from bakeoff.model.check import Check, Context, Evidence, Place, PlaceKind, Status, Verdict
from bakeoff.patterns import RegexTimeout, compile_regex

_PATTERN_CHARACTERS = 100


class FileExists(Check):
    """Passes when a regular file lies at a path in the end, whoever made it.

    `path` is relative to the workspace. Links are followed inside the workspace only: one
    that leads out of it, leads nowhere or leads in a circle is no file, and neither is a
    folder or a pipe. A file counts even if its content is not archived, as in dependency folders; when what
    lies there cannot be known, because a folder on the way could not be read, the check is an error.
    """

    type_name: ClassVar[str] = "file_exists"

    path: InnerPath = Field(description="of the file, relative to the workspace")

    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """Look the path up in the manifest of the final tree."""
        place = _look_up(evidence, self.path)
        if place.kind is PlaceKind.FILE:
            return Verdict(status=Status.PASSED, code="exists", reason=f"{_told(self.path, place)} is there")
        return _no_file(self.path, place)


class FileContains(Check):
    r"""Passes when a text, or a match of a regular expression, occurs in one file.

    `path` is looked up as by `file_exists`; a file that is missing fails. `pattern` is text that must occur as it
    stands, or with `regex: true` an expression in Python's syntax with MULTILINE (`^` and `$` match at every line);
    outside ASCII, classes such as `\w` follow the tables of the `regex` library. Bytes that are not UTF-8 are replaced
    before the search. A search that takes more than 5 seconds is an error, and so is a file whose content is
    not archived: one that is too large, lies in a dependency folder, or could not be read.
    """

    type_name: ClassVar[str] = "file_contains"

    path: InnerPath = Field(description="of the file, relative to the workspace")
    pattern: Annotated[str, Field(strict=True, min_length=1)] = Field(
        description="the text, or with `regex` the regular expression"
    )
    regex: Annotated[bool, Field(strict=True)] = Field(
        default=False, description="whether `pattern` is a regular expression"
    )

    @model_validator(mode="after")
    def _compiles(self) -> Self:
        if self.regex:
            compile_regex(self.pattern)
        return self

    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """Read the file and search it."""
        place = _look_up(evidence, self.path)
        if place.kind is not PlaceKind.FILE:
            return _no_file(self.path, place)
        text = evidence.read(place.path).decode("utf-8", "replace")
        start = self._first(text)
        what = f"`{plainly(self.pattern, _PATTERN_CHARACTERS)}`"
        if start is None:
            reason = f"{what} not found in {_told(self.path, place)}"
            return Verdict(status=Status.FAILED, code="not_found", reason=reason)
        corpus = Corpus()
        corpus.add(text, display_path(place.path), 1)
        return Verdict(
            status=Status.PASSED,
            code="found",
            reason=f"{what} found in {_told(self.path, place)}, first at {corpus.place(start)}",
            evidence=f"{corpus.place(start)}: {corpus.line(start)}",
        )

    def _first(self, text: str) -> int | None:
        """Where the first match begins."""
        if not self.regex:
            start = text.find(self.pattern)
            return start if start >= 0 else None
        try:
            found = compile_regex(self.pattern).search(text)
        except RegexTimeout as timeout:
            raise CheckBroken(str(timeout)) from timeout
        return None if found is None else found.start


def _look_up(evidence: Evidence, path: str) -> Place:
    return evidence.look_up(path.encode("utf-8", "surrogateescape"))


def _told(path: str, place: Place) -> str:
    """The path as it was asked for, and where its links led."""
    asked, found = display_path(path.encode("utf-8", "surrogateescape")), display_path(place.path)
    return asked if asked == found else f"{asked} (a link to {found})"


def _no_file(path: str, place: Place) -> Verdict:
    asked, found = display_path(path.encode("utf-8", "surrogateescape")), display_path(place.path)
    by_link = f": it leads to {found}" if place.links and asked != found else ""
    code, what = {
        PlaceKind.FOLDER: ("folder", "is a folder, not a file"),
        PlaceKind.SPECIAL: ("special", "is no regular file"),
        PlaceKind.OUTSIDE: ("outside", "leads out of the workspace"),
    }.get(place.kind, ("missing", "does not exist"))
    if place.kind is PlaceKind.NOTHING and by_link:
        what, by_link = "leads nowhere", f": nothing is at {found}"
    return Verdict(status=Status.FAILED, code=code, reason=f"{asked} {what}{by_link}")
