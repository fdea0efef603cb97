"""Checks on which paths an agent changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from pydantic import Field, model_validator

from bakeoff.checks.fields import GlobText
from bakeoff.checks.wording import clipped, listed, told
from bakeoff.identity import display_path
from bakeoff.model.check import Change, Check, Context, Evidence, Status, Verdict
from bakeoff.patterns import compile_glob, compile_tree_glob, matches_any


class FilesTouched(Check):
    """Compares the paths that the agent changed with what it had to change and must not change.

    Every glob of `must_include` must match at least one changed path, and no changed path
    may match a glob of `must_not_include`. Added, deleted and changed files count, changes
    of mode, and both names of a renamed file; what setup or Bakeoff laid down does not.
    Byte-code and test caches do not count unless they are part of the starting files. A
    path that the starting files' ignore rules match never satisfies `must_include`, but
    does violate `must_not_include`.
    """

    type_name: ClassVar[str] = "files_touched"

    must_include: tuple[GlobText, ...] = Field(default=(), description="each must match a changed path")
    must_not_include: tuple[GlobText, ...] = Field(default=(), description="none may match a changed path")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.must_include and not self.must_not_include:
            msg = "give must_include, must_not_include or both: with neither there is nothing to check"
            raise ValueError(msg)
        return self

    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """Compare the changes with both lists."""
        changes = evidence.changes
        counted = [change.path for change in changes if not change.ignored]
        missing = [
            pattern for pattern in self.must_include if not any(map(compile_glob(pattern).match, counted))
        ]
        bans = [compile_glob(pattern) for pattern in self.must_not_include]
        forbidden = [change for change in changes if matches_any(bans, change.path)]
        if forbidden:
            names = listed([display_path(change.path) for change in forbidden])
            reason = f"changed although {listed(self.must_not_include)} must not be: {names}"
            return _verdict(Status.FAILED, "forbidden", reason, forbidden)
        if missing:
            reason = f"expected a change that matches {listed(missing)}, found {_counted(counted)}"
            return _verdict(Status.FAILED, "missing", reason, changes)
        return _verdict(Status.PASSED, "files_touched", f"as expected: {_counted(counted)}", changes)


class Unchanged(Check):
    """Fails when the agent changed a protected path in any way.

    Each of `paths` protects what it matches and everything below: `tests`, `tests/` and
    `tests/**` are the same. Adding, deleting, replacing and changing the mode count, also
    of files that an ignore rule hides, and so does putting a file or link where a
    directory above a protected path was.
    """

    type_name: ClassVar[str] = "unchanged"

    paths: tuple[GlobText, ...] = Field(min_length=1, description="what must stay as it was")

    def evaluate(self, evidence: Evidence, context: Context) -> Verdict:
        """Compare the changes with what is protected."""
        globs = [compile_tree_glob(pattern) for pattern in self.paths]
        changed = [change for change in evidence.changes if matches_any(globs, change.path)]
        if changed:
            names = listed([display_path(change.path) for change in changed])
            reason = f"changed although {listed(self.paths)} must stay as it was: {names}"
            return _verdict(Status.FAILED, "changed", reason, changed)
        return _verdict(Status.PASSED, "unchanged", f"nothing changed in {listed(self.paths)}", ())


def _counted(paths: Sequence[bytes]) -> str:
    if not paths:
        return "no changed paths"
    noun = "changed path" if len(paths) == 1 else "changed paths"
    return f"{len(paths)} {noun} ({listed([display_path(path) for path in paths])})"


def _verdict(status: Status, code: str, reason: str, changes: Sequence[Change]) -> Verdict:
    return Verdict(status=status, code=code, reason=reason, evidence=clipped("\n".join(map(told, changes))))
