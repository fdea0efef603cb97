"""Which paths an agent changed: `files_touched` and `unchanged`."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from support.checking import MemoryEvidence, ShellContext, changed

from bakeoff.checks.diff import FilesTouched, Unchanged
from bakeoff.model.check import Change, ChangeKind, Status, Verdict


def touched(context: ShellContext, *changes: Change, **lists: tuple[str, ...]) -> Verdict:
    check = FilesTouched.model_validate({"id": "f", **lists})
    return check.evaluate(MemoryEvidence(changes=changes), context)


def protect(context: ShellContext, *changes: Change, paths: tuple[str, ...]) -> Verdict:
    return Unchanged(id="u", paths=paths).evaluate(MemoryEvidence(changes=changes), context)


def test_each_glob_needs_a_change(context: ShellContext) -> None:
    both = ("tests/**", "src/**")
    assert touched(context, changed(b"tests/a"), changed(b"src/b"), must_include=both).status is Status.PASSED
    verdict = touched(context, changed(b"tests/a"), must_include=both)
    assert (verdict.status, verdict.code) == (Status.FAILED, "missing")
    assert verdict.reason == "expected a change that matches src/**, found 1 changed path (tests/a)"
    nothing = touched(context, must_include=("tests/**",))
    assert nothing.reason == "expected a change that matches tests/**, found no changed paths"


def test_no_change_may_match_a_ban(context: ShellContext) -> None:
    ban = ("vendor/**", "**/node_modules/**")
    assert touched(context, changed(b"src/a"), must_not_include=ban).status is Status.PASSED
    assert touched(context, must_not_include=ban).status is Status.PASSED
    verdict = touched(context, changed(b"src/a"), changed(b"vendor/x"), must_not_include=ban)
    assert (verdict.status, verdict.code) == (Status.FAILED, "forbidden")
    assert "vendor/x" in verdict.reason
    assert verdict.evidence == "modified vendor/x"
    root = touched(context, changed(b"node_modules/x"), must_not_include=ban)
    assert root.status is Status.FAILED


@pytest.mark.parametrize("kind", list(ChangeKind))
def test_every_kind_of_change_counts(context: ShellContext, kind: ChangeKind) -> None:
    assert touched(context, changed(b"a", kind), must_include=("a",)).status is Status.PASSED
    assert touched(context, changed(b"a", kind), must_not_include=("a",)).status is Status.FAILED
    assert protect(context, changed(b"a", kind), paths=("a",)).status is Status.FAILED


def test_an_ignored_path_violates_but_never_satisfies(context: ShellContext) -> None:
    hidden = changed(b"build/out", ChangeKind.ADDED, tracked=False, ignored=True)
    assert touched(context, hidden, must_include=("build/**",)).status is Status.FAILED
    assert touched(context, hidden, must_not_include=("build/**",)).status is Status.FAILED
    verdict = protect(context, hidden, paths=("build/",))
    assert verdict.status is Status.FAILED
    assert verdict.evidence == "added    build/out  (ignored)"


def test_a_violated_ban_is_told_before_a_missing_change(context: ShellContext) -> None:
    verdict = touched(
        context, changed(b"vendor/a"), must_include=("tests/**",), must_not_include=("vendor/**",)
    )
    assert verdict.code == "forbidden"


def test_names_that_are_not_text_are_matched_and_shown(context: ShellContext) -> None:
    name = b"src/caf\xe9\n.py"
    verdict = touched(context, changed(name), must_not_include=("src/*.py",))
    assert verdict.status is Status.FAILED
    assert verdict.reason.endswith(r"src/caf\xe9\x0a.py")


def test_many_paths_are_counted_in_the_reason(context: ShellContext) -> None:
    changes = [changed(b"v/%03d" % number) for number in range(300)]
    verdict = touched(context, *changes, must_not_include=("v/**",))
    assert verdict.reason.endswith("v/000, v/001, v/002, v/003, v/004 and 295 more")
    assert verdict.evidence.count("\n") == 299


def test_evidence_is_bounded(context: ShellContext) -> None:
    changes = [changed(b"v/" + b"x" * 200 + b"%06d" % number) for number in range(1000)]
    assert len(touched(context, *changes, must_not_include=("v/**",)).evidence) < 33_000


@pytest.mark.parametrize("paths", [("tests",), ("tests/",), ("tests/**",), ("src", "tests/**")])
@pytest.mark.parametrize("path", [b"tests/a", b"tests/sub/b.py", b"tests", "tests/tést.py".encode()])
def test_a_protected_directory_is_protected_in_every_spelling(
    context: ShellContext, paths: tuple[str, ...], path: bytes
) -> None:
    verdict = protect(context, changed(b"app.py"), changed(path), paths=paths)
    assert (verdict.status, verdict.code) == (Status.FAILED, "changed")
    assert "app.py" not in verdict.reason


def test_what_replaces_a_directory_above_is_a_change(context: ShellContext) -> None:
    link = changed(b"tests", ChangeKind.ADDED, tracked=False)
    assert protect(context, link, paths=("tests/hidden/**",)).status is Status.FAILED
    assert protect(context, changed(b"tests/own.py"), paths=("tests/hidden/**",)).status is Status.PASSED


def test_other_changes_do_not_matter(context: ShellContext) -> None:
    verdict = protect(context, changed(b"tests2/a"), changed(b"a/tests/b"), paths=("tests/**",))
    assert (verdict.status, verdict.evidence) == (Status.PASSED, "")
    assert verdict.reason == "nothing changed in tests/**"


def test_exactly_one_file_can_be_protected(context: ShellContext) -> None:
    assert protect(context, changed(b"Makefile"), paths=("Makefile",)).status is Status.FAILED
    assert protect(context, changed(b"src/Makefile"), paths=("Makefile",)).status is Status.PASSED
    assert protect(context, changed(b"src/Makefile"), paths=("**/Makefile",)).status is Status.FAILED


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "give must_include, must_not_include or both"),
        ({"must_include": [], "must_not_include": []}, "give must_include"),
        ({"must_include": ["/etc"]}, "absolute"),
        ({"must_include": ["../x"]}, "leaves the workspace"),
        ({"must_not_include": [""]}, "empty"),
        ({"must_include": [1]}, "valid string"),
        ({"must_include": "tests/**"}, "valid tuple"),
        ({"must_includes": ["a"]}, "Extra inputs"),
    ],
)
def test_fields_that_cannot_be_meant_are_refused(fields: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        FilesTouched.model_validate({"id": "f", **fields})


@pytest.mark.parametrize("paths", [[], ["a["], "tests"])
def test_what_is_protected_must_be_said(paths: object) -> None:
    with pytest.raises(ValidationError):
        Unchanged.model_validate({"id": "u", "paths": paths})
