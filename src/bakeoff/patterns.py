"""Globs over raw path bytes, and regular expressions that cannot run for ever."""

from __future__ import annotations

import functools
import itertools
import re
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import bracex
import regex
from wcmatch import glob

REGEX_LIMIT_S = 5.0
"""Seconds that one search may take."""

_MOST_ALTERNATIVES = 1000
_MAGIC = frozenset("*?[\\")
_GLOB_FLAGS = glob.DOTGLOB | glob.CASE | glob.FORCEUNIX
_GLOB_TOKEN = re.compile(
    r"""
      (?P<escape> \\ . )
    | (?P<set> \[ [!^]? (?P<members> \]? (?: \\ . | \[:\w+:\] | [^]\\/] )* ) \] )
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_SET_RANGE = re.compile(r"(?:\\(.)|([^\\]))-(?:\\(.)|([^\\]))", re.DOTALL)


class RegexTimeout(Exception):
    """A search took longer than its time limit; whether the pattern occurs is unknown."""


_Segment = Callable[[str], object] | None
"""Whether one segment of a path matches; None stands for `**`."""


@dataclass(frozen=True, slots=True)
class Glob:
    r"""A compiled glob.

    `**` as a whole segment matches any depth including none, `*` and `?` stay within one
    segment, `[...]` and `{a,b}` are alternatives, a trailing `/` means everything below.
    Names that begin with a dot are matched like others, case counts, and `\` takes a
    character literally. `?` matches one character, or one byte that is not UTF-8.
    """

    pattern: str
    _alternatives: tuple[tuple[_Segment, ...], ...] = field(compare=False, repr=False)

    def match(self, path: bytes) -> bool:
        """Whether the whole of `path` (relative, with `/`) matches."""
        names = path.decode("utf-8", "surrogateescape").split("/")
        return any(_match(alternative, names) for alternative in self._alternatives)


def _match(segments: tuple[_Segment, ...], names: list[str]) -> bool:
    """Match names one by one, going back to the last `**` only, so that no path takes long.

    To go back further cannot help: what an earlier `**` could take, the last one can too.
    """
    at, name, back_at, back_name = 0, 0, -1, 0
    while name < len(names):
        if at < len(segments) and (test := segments[at]) is None:
            # At the end it stands for at least one name: `a/**` is what lies below `a`.
            if at == len(segments) - 1:
                return True
            at, back_at, back_name = at + 1, at, name
        elif at < len(segments) and test is not None and test(names[name]):
            at, name = at + 1, name + 1
        elif back_at >= 0:
            back_name += 1
            at, name = back_at + 1, back_name
        else:
            return False
    return at == len(segments)


@functools.lru_cache(maxsize=4096)
def compile_glob(pattern: str) -> Glob:
    """Compile a glob; ValueError with a sentence for people when it cannot be meant."""
    return _compiled_glob(pattern, _alternatives(pattern))


@functools.lru_cache(maxsize=4096)
def compile_tree_glob(pattern: str) -> Glob:
    """Compile a glob for whole trees: what it matches, everything below, and what lies above.

    `tests`, `tests/` and `tests/**` mean the same. A file or link at `a` matches the glob
    `a/b` too, since it takes the place of the directory in which `b` would be.
    """
    return _compiled_glob(
        pattern, [tree for alternative in _alternatives(pattern) for tree in _tree(alternative)]
    )


def _compiled_glob(pattern: str, alternatives: list[str]) -> Glob:
    return Glob(
        pattern,
        tuple(tuple(map(_segment, each.split("/"))) for each in dict.fromkeys(alternatives)),
    )


@functools.lru_cache(maxsize=4096)
def _segment(text: str) -> _Segment:
    if text == "**":
        return None
    if not _MAGIC & set(text):
        return text.__eq__
    included, _ = glob.translate(text, flags=_GLOB_FLAGS)
    matches = re.compile(included[0]).fullmatch
    if "[" in text:
        # Web frameworks name files so: whoever writes `pages/[id].tsx` means that file too.
        return lambda name: name == text or matches(name)
    return matches


def _alternatives(pattern: str) -> list[str]:
    """The globs without braces that `pattern` stands for."""
    _refuse_bad_glob(pattern)
    try:
        alternatives = bracex.expand(pattern, keep_escapes=True, limit=_MOST_ALTERNATIVES)
    except bracex.ExpansionLimitException:
        msg = f"the glob {pattern!r} stands for more than {_MOST_ALTERNATIVES} patterns"
        raise ValueError(msg) from None
    return [_normal_glob(alternative, pattern) for alternative in alternatives]


def _tree(alternative: str) -> list[str]:
    top = alternative
    while top.endswith("/**"):
        top = top.removesuffix("/**")
    segments = top.split("/")
    literal = list(itertools.takewhile(lambda segment: not _MAGIC & set(segment), segments[:-1]))
    above = ["/".join(literal[: count + 1]) for count in range(len(literal))]
    return [top, f"{top}/**", *above]


def matches_any(globs: Iterable[Glob], path: bytes) -> bool:
    """Whether at least one of the globs matches."""
    return any(each.match(path) for each in globs)


def _refuse_bad_glob(pattern: str) -> None:
    if not pattern.strip():
        msg = "a glob must not be empty"
        raise ValueError(msg)
    if "\0" in pattern or pattern.endswith("\n"):
        msg = f"the glob {pattern!r} holds a character that no path of a file has: NUL, or a line break at its end"
        raise ValueError(msg)
    if pattern.startswith("!"):
        msg = f"the glob {pattern!r} begins with `!`: negation is not supported (write `\\!` for a name that begins so)"
        raise ValueError(msg)
    depth = 0
    for token in _GLOB_TOKEN.finditer(pattern):
        if token["set"]:
            _refuse_bad_set(token["members"], pattern)
        depth += {"{": 1, "}": -1}.get(token["other"] or "", 0)
        if token["other"] in {"[", "\\"}:
            what = "an unclosed `[`" if token["other"] == "[" else "nothing after its last `\\`"
            msg = f"the glob {pattern!r} has {what} (write `\\{token['other']}` for the character itself)"
            raise ValueError(msg)
    if depth:
        msg = f"the glob {pattern!r} has braces that do not pair up (write `\\{{` and `\\}}` for the characters)"
        raise ValueError(msg)


def _refuse_bad_set(members: str, pattern: str) -> None:
    for found in _SET_RANGE.finditer(members):
        first, last = found[1] or found[2], found[3] or found[4]
        if first > last:
            msg = f"the glob {pattern!r} has a range that is the wrong way round: {found[0]}"
            raise ValueError(msg)


def _normal_glob(alternative: str, pattern: str) -> str:
    """Without `.` segments and with `**` in place of a trailing slash."""
    if alternative.startswith("/"):
        msg = f"the glob {pattern!r} is absolute: paths are relative to the workspace"
        raise ValueError(msg)
    segments = alternative.split("/")
    if any(segment.replace("\\", "") == ".." for segment in segments):
        msg = f"the glob {pattern!r} leaves the workspace: `..` is not allowed"
        raise ValueError(msg)
    everything_below = segments[-1] in {"", "."}
    kept = [segment for segment in segments if segment not in {"", "."}]
    return "/".join([*kept, "**"] if everything_below else kept)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Where a match lies: offsets of its first character and of the one after its last."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Regex:
    r"""A compiled regular expression in the syntax of Python's `re`, with MULTILINE.

    It is evaluated by the `regex` library, which can be stopped and lets other threads go
    on. Outside ASCII, `\w`, `\d`, `\b` and (?i) follow that library's Unicode tables, and
    `\s` does not match the control characters 0x1C to 0x1F.
    """

    pattern: str
    _compiled: regex.Pattern[str]

    def search(self, text: str, *, timeout_s: float = REGEX_LIMIT_S) -> Span | None:
        """The first match; RegexTimeout when the answer is not known in time."""
        found = self.spans(text, most=1, timeout_s=timeout_s)
        return found[0] if found else None

    def spans(self, text: str, *, most: int, timeout_s: float = REGEX_LIMIT_S) -> tuple[Span, ...]:
        """The first `most` matches that do not overlap, in order.

        Once one match is known, a search for more that runs out of time only ends the list.
        """
        deadline = time.monotonic() + timeout_s
        spans: list[Span] = []
        position = 0
        while len(spans) < most and position <= len(text):
            try:
                left_s = max(deadline - time.monotonic(), 0.001)
                found = self._compiled.search(text, position, timeout=left_s, concurrent=True)
            except TimeoutError:
                if spans:
                    break
                msg = f"the pattern {self.pattern!r} took longer than {timeout_s:g} s to search"
                raise RegexTimeout(msg) from None
            if found is None:
                break
            spans.append(Span(found.start(), found.end()))
            position = max(found.end(), found.start() + 1)
        return tuple(spans)


@functools.lru_cache(maxsize=4096)
def compile_regex(pattern: str) -> Regex:
    """Compile a regular expression; ValueError with the place of the fault when it is none."""
    try:
        with warnings.catch_warnings():
            # Sets that may change their meaning in a later Python are literal in ours.
            warnings.simplefilter("ignore", FutureWarning)
            re.compile(pattern, re.MULTILINE)
        compiled = regex.compile(_literal_where_re_is(pattern), regex.MULTILINE | regex.VERSION0)
    except (re.error, regex.error, OverflowError, RecursionError) as error:
        msg = f"{pattern!r} is not a valid regular expression: {error}"
        raise ValueError(msg) from None
    return Regex(pattern, compiled)


_REGEX_TOKEN = re.compile(
    r"""
      \\ N \{ [^}]* \} | \\ .
    | \( \? \# [^)]* \)
    | (?P<flags> \( \? (?P<on> [aiLmsux]* ) (?: - (?P<off> [imsx]+ ) )? (?P<end> [:)] ) )
    | (?P<set> \[ \^? \]? (?: \\ . | [^]\\] )* \] )
    | (?P<quantifier> \{ (?: \d+ (?: , \d* )? | , \d* ) \} )
    | (?P<comment> \# [^\n]* )
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)


def _literal_where_re_is(pattern: str) -> str:
    """`pattern`, valid for `re`, so that `regex` reads it in the same way.

    `regex` gives a meaning to `{e}`, `{i<=1}` (approximate matches) and `[[:alpha:]]`,
    which for `re` are characters like others.
    """
    verbose = [False]
    parts = []
    position = 0
    while position < len(pattern):
        token = _REGEX_TOKEN.match(pattern, position)
        assert token is not None, "the last alternative matches any character"
        text = token[0]
        if token["comment"] and not verbose[-1]:
            text = "#"
        position += len(text)
        _follow_flags(token, verbose)
        parts.append(_translated(token, text))
    return "".join(parts)


def _follow_flags(token: re.Match[str], verbose: list[bool]) -> None:
    """Keep on the stack `verbose` whether white space and comments count at this place."""
    if token["flags"]:
        inner = (verbose[-1] or "x" in token["on"]) and "x" not in (token["off"] or "")
        if token["end"] == ":":
            verbose.append(inner)
        else:
            verbose[-1] = inner
    elif token["other"] == "(":
        verbose.append(verbose[-1])
    elif token["other"] == ")":
        verbose.pop()


def _translated(token: re.Match[str], text: str) -> str:
    if token["set"]:
        return "[" + re.sub(r"(\\.)|\[", lambda found: found[1] or r"\[", text[1:], flags=re.DOTALL)
    if token["quantifier"]:
        return "*" if text == "{,}" else text
    return r"\{" if text == "{" else text
