"""What is a file, what a file contains, and which paths are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.checking import MemoryEvidence, ShellContext

from bakeoff.checks.files import FileContains, FileExists
from bakeoff.errors import CheckBroken
from bakeoff.model.check import Place, PlaceKind, Status

NOTES = MemoryEvidence(files={b"dist/notes.md": "# Notes\r\n\n## 2.1.0\nb\xfcy one\n"})


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/etc/passwd", "absolute"),
        ("../x", "leaves the workspace"),
        ("a/../../x", "leaves the workspace"),
        ("a/..", "leaves the workspace"),
        ("", "empty"),
        (" ", "empty"),
        (".", "names a folder"),
        ("dist/", "names a folder"),
        ("a\0b", "NUL"),
        (".git/HEAD", "no part of the evidence"),
        ("sub/.git", "no part of the evidence"),
        (7, "valid string"),
    ],
)
def test_paths_that_leave_the_workspace_or_name_no_file_are_refused(path: object, kind: str) -> None:
    for build in (FileExists, FileContains):
        with pytest.raises(ValidationError, match=kind):
            build.model_validate(
                {"id": "it", "path": path} | ({"pattern": "x"} if build is FileContains else {})
            )


@given(st.lists(st.sampled_from(["a", ".b", "..c", "ü", "-", " d", "."]), min_size=1), st.booleans())
def test_a_path_is_normal_once_it_is_read(parts: list[str], twice: bool) -> None:
    path = ("//" if twice else "/").join(parts)
    plain = "/".join(part for part in parts if part != ".")
    if parts[-1] == "." or not plain.strip():
        with pytest.raises(ValidationError):
            FileExists(id="it", path=path)
    else:
        assert FileExists(id="it", path=path).path == plain
        assert FileExists(id="it", path=plain).path == plain


@pytest.mark.parametrize(
    ("place", "code", "reason"),
    [
        (Place(kind=PlaceKind.NOTHING, path=b"x"), "missing", "x does not exist"),
        (Place(kind=PlaceKind.FOLDER, path=b"x"), "folder", "x is a folder, not a file"),
        (Place(kind=PlaceKind.SPECIAL, path=b"x"), "special", "x is no regular file"),
        (
            Place(kind=PlaceKind.OUTSIDE, path=b"/etc", links=1),
            "outside",
            "x leads out of the workspace: it leads to /etc",
        ),
        (Place(kind=PlaceKind.NOTHING, path=b"y", links=1), "missing", "x leads nowhere: nothing is at y"),
        (
            Place(kind=PlaceKind.FOLDER, path=b"y", links=1),
            "folder",
            "x is a folder, not a file: it leads to y",
        ),
    ],
)
def test_what_is_no_regular_file_fails_and_says_what_it_is(
    place: Place, code: str, reason: str, context: ShellContext
) -> None:
    evidence = MemoryEvidence(places={b"x": place})
    for check in (FileExists(id="it", path="x"), FileContains(id="it", path="x", pattern="y")):
        verdict = check.evaluate(evidence, context)
        assert (verdict.status, verdict.code, verdict.reason) == (Status.FAILED, code, reason)


def test_a_link_inside_the_workspace_is_followed(context: ShellContext) -> None:
    place = Place(kind=PlaceKind.FILE, path=b"dist/notes.md", links=1)
    evidence = MemoryEvidence(files=NOTES.files, places={b"latest": place})
    assert FileExists(id="it", path="latest").evaluate(evidence, context).reason == (
        "latest (a link to dist/notes.md) is there"
    )
    verdict = FileContains(id="it", path="latest", pattern="2.1.0").evaluate(evidence, context)
    assert verdict.reason == "`2.1.0` found in latest (a link to dist/notes.md), first at dist/notes.md:3"


@pytest.mark.parametrize(
    ("pattern", "regex", "found"),
    [
        ("## 2.1.0", False, True),
        ("## 2x1.0", False, False),
        ("## 2.1.0", True, True),
        (r"^## 2\.1\.0$", True, True),
        (r"^## 2\.1\.0$", False, False),
        (r"\Ab", True, False),
        (r"(?s)Notes.*one", True, True),
        ("büy", False, True),
        (r"b\wy", True, True),
        ("notes", False, False),
        ("(?i)notes", True, True),
    ],
)
def test_a_pattern_is_text_or_an_expression(
    pattern: str, regex: bool, found: bool, context: ShellContext
) -> None:
    check = FileContains(id="it", path="dist/notes.md", pattern=pattern, regex=regex)
    verdict = check.evaluate(NOTES, context)
    assert (verdict.status is Status.PASSED) is found
    assert bool(verdict.evidence) is found


@given(st.text(min_size=1, max_size=8), st.text(max_size=30))
def test_text_is_found_exactly_where_it_is(pattern: str, around: str) -> None:
    context = ShellContext.__new__(ShellContext)
    files = {b"f": around + pattern + around, b"g": around}
    contains = [
        FileContains(id="it", path=path, pattern=pattern).evaluate(MemoryEvidence(files=files), context)
        for path in ("f", "g")
    ]
    assert contains[0].status is Status.PASSED
    assert (contains[1].status is Status.PASSED) is (pattern in around)


def test_an_expression_is_compiled_when_it_is_loaded_and_text_is_not() -> None:
    with pytest.raises(ValidationError, match="not a valid regular expression"):
        FileContains(id="it", path="x", pattern="(", regex=True)
    assert FileContains(id="it", path="x", pattern="(").pattern == "("
    with pytest.raises(ValidationError):
        FileContains(id="it", path="x", pattern="")


def test_a_file_that_cannot_be_read_is_an_error_for_its_content_only(context: ShellContext) -> None:
    evidence = MemoryEvidence(places={b"big.bin": Place(kind=PlaceKind.FILE, path=b"big.bin")})
    assert FileExists(id="it", path="big.bin").evaluate(evidence, context).status is Status.PASSED
    with pytest.raises(CheckBroken, match="not archived"):
        FileContains(id="it", path="big.bin", pattern="x").evaluate(evidence, context)


def test_a_search_that_takes_too_long_is_an_error(context: ShellContext) -> None:
    evidence = MemoryEvidence(files={b"f": "a" * 60 + "b"})
    with pytest.raises(CheckBroken, match="took longer"):
        FileContains(id="it", path="f", pattern=r"(a|aa|a?a)+$", regex=True).evaluate(evidence, context)
