"""Checks that search the diff or the files of a trial for a regular expression."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import ConfigDict, Field, model_validator

from bakeoff.checks.corpus import Corpus, corpus_of_added_lines, corpus_of_diff, corpus_of_files
from bakeoff.checks.fields import GlobText, RegexText
from bakeoff.checks.wording import clipped, listed
from bakeoff.errors import CheckBroken
from bakeoff.model.check import Check, Context, Evidence, Status, Verdict
from bakeoff.patterns import RegexTimeout, Span, compile_regex

_MOST_MATCHES = 20
_PATTERN_CHARACTERS = 100


class Search(Check):
    """What `present` and `absent` have in common: where they look and for what."""

    model_config = ConfigDict(populate_by_name=True)

    pattern: RegexText = Field(description="the regular expression, in Python's syntax with MULTILINE")
    paths: tuple[GlobText, ...] = Field(default=(), description="globs that limit the files; none means all")
    within: Literal["diff", "files"] = Field(default="diff", alias="in", description="what is searched")
    lines: Literal["all", "added"] = Field(default="all", description="which lines of the diff")

    @model_validator(mode="after")
    def _lines_of_a_diff(self) -> Self:
        if self.within == "files" and self.lines == "added":
            msg = "`lines: added` goes with `in: diff` only: files have no added lines"
            raise ValueError(msg)
        return self

    def found(self, evidence: Evidence) -> list[str]:
        """The first matches as lines `file:line: text`, none when there is no match."""
        corpus, spans = self._search(evidence)
        return [f"{corpus.place(span.start)}: {corpus.line(span.start)}" for span in spans]

    @property
    def what(self) -> str:
        """The pattern as it was written, cut when it is too long for a sentence."""
        text = self.pattern.replace("\n", "\\n")
        return f"`{text}`" if len(text) <= _PATTERN_CHARACTERS else f"`{text[:_PATTERN_CHARACTERS]}...`"

    @property
    def where(self) -> str:
        """What is searched, for a sentence."""
        texts = {"files": "the files", "diff": "the diff"}[self.within]
        texts = "the lines that the diff adds" if self.lines == "added" else texts
        return f"{texts} of {listed(self.paths)}" if self.paths else texts

    def _search(self, evidence: Evidence) -> tuple[Corpus, tuple[Span, ...]]:
        if self.within == "files":
            corpus = corpus_of_files(evidence.texts(self.paths))
            return corpus, self._spans(corpus.text)
        diff = evidence.diff(self.paths)
        if self.lines == "added":
            corpus = corpus_of_added_lines(diff)
            return corpus, self._spans(corpus.text)
        # Most diffs do not match, and only a match needs to know its place.
        spans = self._spans(diff)
        return corpus_of_diff(diff) if spans else Corpus(), spans

    def _spans(self, text: str) -> tuple[Span, ...]:
        try:
            return compile_regex(self.pattern).spans(text, most=_MOST_MATCHES)
        except RegexTimeout as timeout:
            raise CheckBroken(str(timeout)) from timeout


class Present(Search):
    r"""Passes when a regular expression matches somewhere in the diff or in the files.

    The texts are joined and searched once, so a match may go over several lines. With
    `in: diff` the text is that of the unified diff from the files as the agent found them
    to the files as it left them: headers, context, added and removed lines. With
    `lines: added` it is only the lines that the diff adds, without the `+`. With
    `in: files` it is the content of the text files at the end; links are not followed, and
    `.git` and dependency folders are left out. A file that the agent changed is searched
    even if it is no text; when its content was too large to be kept, or cannot be read, the
    check is an error, unless an ignore rule of the starting files matches it. `paths` limits either to files that match
    one of its globs. The syntax is that of Python, `^` and `$` match at every line, and
    classes such as `\w` know characters outside ASCII by the tables of the `regex`
    library. A search that takes more than 5 seconds is an error.
    """

    type_name = "present"

    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """Search, and pass on a match."""
        found = self.found(evidence)
        if found:
            reason = f"{self.what} found in {self.where}, first at {_place(found[0])}"
            return _verdict(Status.PASSED, "found", reason, found)
        return _verdict(Status.FAILED, "not_found", f"{self.what} not found in {self.where}", found)


class Absent(Search):
    """Passes when a regular expression matches nowhere in the diff or in the files.

    It searches the same texts in the same way as `present`.
    """

    type_name = "absent"

    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """Search, and pass without a match."""
        found = self.found(evidence)
        if found:
            reason = f"{self.what} must not occur in {self.where}, but does, first at {_place(found[0])}"
            return _verdict(Status.FAILED, "found", reason, found)
        return _verdict(Status.PASSED, "not_found", f"{self.what} not found in {self.where}", found)


def _place(line: str) -> str:
    return line.partition(": ")[0]


def _verdict(status: Status, code: str, reason: str, found: list[str]) -> Verdict:
    more = [f"[the first {_MOST_MATCHES} matches]"] if len(found) == _MOST_MATCHES else []
    return Verdict(status=status, code=code, reason=reason, evidence=clipped("\n".join(found + more)))
