"""Globs on raw paths and time-limited regular expressions."""

from __future__ import annotations

import contextlib
import re
import threading
import time
import warnings

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bakeoff.patterns import RegexTimeout, Span, compile_glob, compile_regex, compile_tree_glob, matches_any

MATCHING = [
    ("**/*.py", b"setup.py"),
    ("**/*.py", b"a/b/.c/setup.py"),
    ("tests/**", b"tests/a"),
    ("tests/**", b"tests/a/.hidden/b"),
    ("tests/**/x", b"tests/x"),
    ("**/node_modules/**", b"node_modules/left-pad/index.js"),
    ("**/node_modules/**", b"web/node_modules/x"),
    ("**", b"a"),
    ("**", b"a/b/c"),
    ("*", b".env"),
    ("a/*", b"a/b"),
    ("vendor/", b"vendor/a/b"),
    ("vendor/", b"vendor/a"),
    ("./vendor/a", b"vendor/a"),
    ("a/./b", b"a/b"),
    ("a//b", b"a/b"),
    ("./", b"a/b"),
    (".", b"a/b"),
    ("src/{a,b}/**", b"src/b/c"),
    ("{a/,b}", b"a/x"),
    ("{a/,b}", b"b"),
    ("{a,b}{c,d}", b"bc"),
    ("v{1..3}", b"v2"),
    ("[ab].txt", b"b.txt"),
    ("[!ab].txt", b"c.txt"),
    ("[^ab].txt", b"c.txt"),
    ("[a-c]", b"b"),
    ("[]x]", b"]"),
    (r"[\]]", b"]"),
    ("a/?", "a/é".encode()),
    ("a/?", b"a/\xe9"),
    ("*/b", b"\xff\xfe/b"),
    ("a/*", b"a/line\nbreak"),
    ("a/*", b"a/ends in a break\n"),
    (r"\*", b"*"),
    (r"app/\[id\]/page.tsx", b"app/[id]/page.tsx"),
    (r"a\\b", b"a\\b"),
    (r"\!important", b"!important"),
    ("app/(group)/x", b"app/(group)/x"),
    ("{{cookiecutter.name}}/*", b"{{cookiecutter.name}}/setup.py"),
    ("café/**", "café/a".encode()),
    ("..a/b", b"..a/b"),
    ("~/a", b"~/a"),
]

NOT_MATCHING = [
    ("*.py", b"src/a.py"),
    ("a/*", b"a/b/c"),
    ("a/*", b"a"),
    ("tests/**", b"tests"),
    ("tests/**", b"tests2/a"),
    ("tests/**", b"a/tests/b"),
    ("vendor/", b"vendor"),
    ("*.PY", b"a.py"),
    ("a?c", b"a/c"),
    ("a[!b]c", b"a/c"),
    ("a", b"a\n"),
    ("a?", b"ab\n"),
    ("*.py", b"a.py\n"),
    ("a", b"a/"),
    ("a/?", "a/ét".encode()),
    ("a/?", b"a/\xe9\xe9"),
    ("{a,b}", b"c"),
    (r"\*", b"a"),
    ("a**", b"a/b"),
    ("caf?.txt", "cafe\u0301.txt".encode()),
]

REFUSED = [
    ("", "empty"),
    ("  ", "empty"),
    ("/etc/passwd", "absolute"),
    ("{/etc,a}/x", "absolute"),
    ("../x", "leaves the workspace"),
    ("a/../b", "leaves the workspace"),
    ("{..,a}/x", "leaves the workspace"),
    (r"a/\.\./b", "leaves the workspace"),
    ("!src/**", "negation"),
    ("[ab", "unclosed"),
    ("a[b/c]", "unclosed"),
    ("a[/]c", "unclosed"),
    ("a{b,c", "pair up"),
    ("a}", "pair up"),
    ("a\\", "nothing after"),
    ("[z-a]", "wrong way round"),
    ("{1..100000}", "more than 1000"),
    ("a\0b", "NUL"),
    ("a/**\n", "line break"),
]


@pytest.mark.parametrize(("pattern", "path"), MATCHING)
def test_glob_matches(pattern: str, path: bytes) -> None:
    assert compile_glob(pattern).match(path)


@pytest.mark.parametrize(("pattern", "path"), NOT_MATCHING)
def test_glob_does_not_match(pattern: str, path: bytes) -> None:
    assert not compile_glob(pattern).match(path)


@pytest.mark.parametrize(("pattern", "words"), REFUSED)
def test_a_glob_that_cannot_be_meant_is_refused_in_words(pattern: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        compile_glob(pattern)


def test_any_of_several_globs() -> None:
    globs = [compile_glob("a/**"), compile_glob("*.md")]
    assert matches_any(globs, b"README.md")
    assert matches_any(globs, b"a/x")
    assert not matches_any(globs, b"b/x")
    assert not matches_any([], b"b/x")


SEGMENT = st.text(alphabet="ab*?", min_size=1, max_size=4).filter(lambda segment: segment != "**")
PATTERN = st.lists(st.one_of(SEGMENT, st.just("**")), min_size=1, max_size=4)
NAME = st.text(alphabet="ab.", min_size=1, max_size=4).filter(lambda name: name not in {".", ".."})


def by_definition(pattern: list[str], path: list[str]) -> bool:
    """The meaning of a glob, written down as slowly as it is defined."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        if len(pattern) == 1:
            return bool(path)
        return any(by_definition(pattern[1:], path[count:]) for count in range(len(path) + 1))
    if not path:
        return False
    one = "".join({"*": ".*", "?": "."}.get(character, re.escape(character)) for character in pattern[0])
    return re.fullmatch(one, path[0], re.DOTALL) is not None and by_definition(pattern[1:], path[1:])


@given(PATTERN, st.lists(NAME, min_size=1, max_size=4))
def test_glob_means_what_its_definition_says(pattern: list[str], path: list[str]) -> None:
    expected = by_definition(pattern, path)
    assert compile_glob("/".join(pattern)).match("/".join(path).encode()) is expected


@pytest.mark.parametrize("pattern", ["**/a/**/a/**/a/**/b", "**/*.py", "**/a/**/b/**/c", "a/**/**/**/**/b"])
def test_no_path_takes_long(pattern: str) -> None:
    started = time.process_time()
    assert not compile_glob(pattern).match(b"a/" * 2000 + b"x")
    assert time.process_time() - started < 3


@given(st.binary(min_size=1, max_size=20).filter(lambda path: b"\0" not in path))
def test_any_bytes_are_matched_without_failing(path: bytes) -> None:
    assert compile_glob("**").match(b"a/" + path.strip(b"/") + b"b")


@pytest.mark.parametrize("pattern", ["tests", "tests/", "tests/**", "./tests", "tests/**/**"])
def test_a_tree_glob_takes_the_directory_in_every_spelling(pattern: str) -> None:
    tree = compile_tree_glob(pattern)
    assert tree.match(b"tests")
    assert tree.match(b"tests/a/b.py")
    assert not tree.match(b"tests2/a")
    assert not tree.match(b"src/tests/a")


def test_a_tree_glob_takes_what_replaces_a_directory_above() -> None:
    tree = compile_tree_glob("a/b/*.py")
    assert tree.match(b"a")
    assert tree.match(b"a/b")
    assert tree.match(b"a/b/x.py")
    assert tree.match(b"a/b/x.py/inside")
    assert not tree.match(b"a/c")
    assert not tree.match(b"a/b/x.txt")


def test_a_tree_glob_does_not_guess_above_a_wildcard() -> None:
    tree = compile_tree_glob("*/conftest.py")
    assert tree.match(b"a/conftest.py")
    assert not tree.match(b"app.py")
    braces = compile_tree_glob("{tests/**,src/x}")
    assert braces.match(b"tests")
    assert braces.match(b"src")
    assert not braces.match(b"src/y")


def test_a_search_gives_the_place_of_the_first_match() -> None:
    assert compile_regex(r"except\s*:").search("try:\n    pass\nexcept :\n") == Span(14, 22)
    assert compile_regex(r"except\s*:").search("nothing") is None


def test_anchors_match_at_every_line() -> None:
    assert compile_regex(r"^\+b$").search("a\n+b\nc") == Span(2, 4)


def test_inline_flags_work() -> None:
    assert compile_regex("(?i)TODO").search("a todo")
    assert compile_regex("(?s)a.b").search("a\nb")
    assert compile_regex("(?x) a  b  # a comment with { and [\n c").search("abc")


def test_several_matches_come_in_order_and_not_more_than_asked_for() -> None:
    pattern = compile_regex("a+")
    assert pattern.spans("a aa aaa a", most=3) == (Span(0, 1), Span(2, 4), Span(5, 8))
    assert compile_regex("^").spans("a\nb", most=9) == (Span(0, 0), Span(2, 2))


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(a", "missing )"),
        ("a**", "multiple repeat"),
        (r"\p{L}", "bad escape"),
        ("[b-a]", "bad character range"),
        ("a(?i)b", "global flags not at the start"),
        ("(?<=a+)b", "fixed-width"),
        ("x{99999999999999999999}", "too large"),
    ],
)
def test_what_python_refuses_is_refused_with_its_reason(pattern: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        compile_regex(pattern)


def test_no_warning_reaches_the_user() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compile_regex("[[a]x").search("[x")


# Each of these means something else to the `regex` library when it is handed over as it is.
@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("foo{e}", "foo{e}"),
        ("foo{e}", "fo"),
        ("(?:abc){i<=1}", "abc{i<=1}"),
        ("(?:abc){i<=1}", "abXc"),
        ("(abc){s,d}", "abd"),
        ("x{}", "x{}"),
        ("{", "{"),
        ("a{,}b", "aaab"),
        ("a{,2}", "aaa"),
        ("[[:alpha:]]", "x"),
        ("[[:alpha:]]", ":]"),
        ("[^[:digit:]]", "5]"),
        (r"[\[{e}]", "{"),
        (r"a\{e}", "a{e}"),
        (r"\N{LEFT CURLY BRACKET}", "{"),
        ("(?#a comment with {e} and [)b{e}", "b{e}"),
        ("(?x)a #{e}[\n{e}", "a{e}"),
        ("(?x: a #(\n)b#{e}", "ab#{e}"),
        ("(?x)(?-x:a #{e})", "a #{e}"),
        ("[a]]{e}", "a]{e}"),
        ("[]]{e}", "]{e}"),
        ("[^]]{e}", "a{e}"),
        ("a{1,2}{e}", "a{e}"),
        ("(?P<n>a){e}(?P=n)", "a{e}a"),
        ("(a)?(?(1)b{e}|c)", "ab{e}"),
    ],
)
def test_literal_characters_of_python_stay_literal(pattern: str, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        expected = re.compile(pattern, re.MULTILINE).search(text)
    assert compile_regex(pattern).search(text) == (Span(*expected.span()) if expected else None)


PIECES = st.sampled_from(
    [
        *"ab{}[](),|*+?^$.-&~:<=#\\ 12eisdx\n",
        *(r"\w", r"\b", r"\d", r"\1", r"\Z", r"\A", r"\x61", r"\{", r"\[", "[^", "[:alpha:]"),
        *("(?:", "(?i:", "(?x:", "(?=", "(?!", "(?<=a)", "(?>", "(?#", "(?P<n>", "(?P=n)"),
        *("{2}", "{1,2}", "{e}", "*+"),
    ]
)


@settings(max_examples=500, deadline=None)
@given(
    st.lists(PIECES, min_size=1, max_size=10).map("".join), st.text(alphabet="ab{}[]:e1 x#\n-i", max_size=12)
)
@example("[a-[b]", "[")
def test_whatever_python_compiles_is_found_at_the_same_place(pattern: str, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = re.compile(pattern, re.MULTILINE).search(text)
        except (re.error, OverflowError):
            return
    assert compile_regex(pattern).search(text) == (Span(*expected.span()) if expected else None)


CATASTROPHIC = [
    (r"(a|a)*$", "a" * 40 + "!"),
    (r"(a|aa)+$", "a" * 100 + "!"),
    (r"(?:a?){60}a{60}", "a" * 59),
    (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 60),
    (r"(x+x+)+y", "x" * 4000),
    (r"(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^a]$", "a" * 300),
]


@pytest.mark.parametrize(("pattern", "text"), CATASTROPHIC)
def test_a_search_ends_at_its_limit(pattern: str, text: str) -> None:
    started = time.process_time()
    with contextlib.suppress(RegexTimeout):
        compile_regex(pattern).search(text, timeout_s=0.3)
    assert time.process_time() - started < 3


def test_at_least_one_of_them_needs_the_limit() -> None:
    pattern, text = CATASTROPHIC[0]
    with pytest.raises(RegexTimeout, match=r"took longer than 0\.3 s"):
        compile_regex(pattern).search(text, timeout_s=0.3)


def test_a_match_that_is_known_is_not_lost_to_the_limit() -> None:
    pattern = compile_regex(r"first|(a|a)*\Z")
    assert pattern.spans("first " + "a" * 40 + "!", most=5, timeout_s=0.3)[0] == Span(0, 5)


def test_other_threads_go_on_during_a_search() -> None:
    pattern, text = CATASTROPHIC[0]
    outcome: list[str] = []

    def search() -> None:
        try:
            compile_regex(pattern).search(text, timeout_s=1.0)
        except RegexTimeout:
            outcome.append("timeout")

    thread = threading.Thread(target=search)
    thread.start()
    longest, before = 0.0, time.monotonic()
    while thread.is_alive():
        time.sleep(0.005)
        now = time.monotonic()
        longest, before = max(longest, now - before), now
    thread.join()
    assert outcome == ["timeout"]
    assert longest < 0.5
