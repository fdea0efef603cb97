"""Names, digests and canonical forms."""

from __future__ import annotations

import enum
import hashlib
import json
import os
import string
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from bakeoff.identity import (
    canonical_json,
    digest,
    digest_bytes,
    digest_text,
    digest_tree,
    display_path,
    new_id,
    plain,
    raw_path,
)


class Colour(enum.StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Point:
    x: int
    name: str = "p"


class Shape(BaseModel):
    points: tuple[int, ...]


def test_bytes_and_texts_have_the_usual_digest() -> None:
    assert digest_bytes(b"abc") == hashlib.sha256(b"abc").hexdigest()
    assert digest_text("café") == hashlib.sha256("café".encode()).hexdigest()


def test_lone_surrogates_are_kept_apart() -> None:
    assert len({digest_text(text) for text in ("\ud800", "\ud801", "?", "\ufffd")}) == 4


def test_canonical_json_does_not_depend_on_order() -> None:
    assert canonical_json({"b": 1, "a": [2, {"d": None, "c": True}]}) == '{"a":[2,{"c":true,"d":null}],"b":1}'
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest({"a": 1}) != digest({"a": "1"})
    assert digest([1, 2]) != digest([2, 1])


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -float("inf"), [float("nan")], {"a": float("inf")}]
)
def test_numbers_that_are_not_finite_have_no_canonical_form(value: object) -> None:
    with pytest.raises(ValueError, match="not a finite number"):
        canonical_json(value)


def test_values_become_plain() -> None:
    value = {
        "p": Point(1),
        "s": Shape(points=(1, 2)),
        "c": Colour.RED,
        "f": Path("/a/b"),
        "n": b"\xff",
        "t": {"b", "a"},
    }
    assert plain(value) == {
        "p": {"x": 1, "name": "p"},
        "s": {"points": [1, 2]},
        "c": "red",
        "f": "/a/b",
        "n": r"\xff",
        "t": ["a", "b"],
    }


def test_what_has_no_plain_form_is_refused() -> None:
    with pytest.raises(TypeError, match="object"):
        plain(object())
    with pytest.raises(TypeError):
        plain(Point)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_canonical_json_is_strict_json_of_the_same_value(value: object) -> None:
    text = canonical_json(value)
    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text
    assert text.isascii()


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (b"src/app.py", "src/app.py"),
        ("café".encode(), "café"),
        (b"caf\xe9", r"caf\xe9"),
        (b"a\nb\tc\x7f", r"a\x0ab\x09c\x7f"),
        (rb"a\xe9", r"a\\xe9"),
        (b"a b'\"", "a b'\""),
        ("a\u202egnp.exe".encode(), r"a\xe2\x80\xaegnp.exe"),
        ("a\x9bb".encode(), r"a\xc2\x9bb"),
        ("\u2028".encode(), r"\xe2\x80\xa8"),
    ],
)
def test_a_path_can_be_shown(path: bytes, shown: str) -> None:
    assert display_path(path) == shown


@given(st.binary(max_size=12), st.binary(max_size=12))
def test_two_paths_never_look_alike(first: bytes, second: bytes) -> None:
    assert (display_path(first) == display_path(second)) == (first == second)


@given(st.binary(max_size=30))
@example("a\u202eb\\x41".encode())
def test_a_shown_path_leads_back_to_its_bytes(path: bytes) -> None:
    assert raw_path(display_path(path)) == path


@pytest.mark.parametrize("text", ["a\\", "a\\q", r"\x4", r"\xZZ", "\\\\\\"])
def test_a_text_that_is_no_shown_path_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a displayed path"):
        raw_path(text)


@given(st.binary(max_size=30))
def test_a_shown_path_can_be_printed_and_stored_anywhere(path: bytes) -> None:
    shown = display_path(path)
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert len(shown.split("\n")) == len(f"{shown}x".splitlines()) == 1


def test_ids_are_unique_sort_by_time_and_are_plain() -> None:
    ids = [new_id("t") for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert new_id("t", now=1_000_000.0) < new_id("t", now=1_000_000.001) < new_id("t", now=2_000_000_000.0)
    assert all(set(each) <= set(string.ascii_lowercase + string.digits + "_") for each in ids)
    assert len({len(each) for each in ids}) == 1


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    top = tmp_path / "tree"
    (top / "sub").mkdir(parents=True)
    (top / "a").write_text("content")
    (top / "sub" / "b").write_text("more")
    (top / "link").symlink_to("a")
    return top


def test_equal_trees_have_equal_digests_wherever_they_lie(tree: Path, tmp_path: Path) -> None:
    before = digest_tree(tree)
    os.utime(tree / "a", (0, 0))
    moved = tree.rename(tmp_path / "elsewhere")
    assert digest_tree(moved) == before


def test_every_difference_that_matters_changes_the_digest(tree: Path) -> None:
    seen = {digest_tree(tree)}
    for number, change in enumerate(
        (
            lambda: (tree / "a").write_text("other"),
            lambda: (tree / "a").chmod(0o755),
            lambda: (tree / "a").rename(tree / "c"),
            (tree / "empty").mkdir,
            (tree / "link").unlink,
            lambda: (tree / "link").symlink_to("c"),
            lambda: (tree / "sub" / "deep").symlink_to("nowhere"),
            lambda: os.mkfifo(tree / "pipe"),
            lambda: Path(os.fsdecode(os.path.join(os.fsencode(tree), b"caf\xe9"))).write_text(""),
        ),
        start=2,
    ):
        change()
        seen.add(digest_tree(tree))
        assert len(seen) == number


def test_content_cannot_pretend_to_be_another_file(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for top in (one, two):
        top.mkdir()
    (one / "a").write_bytes(b"x")
    (one / "b").write_bytes(b"y")
    (two / "a").write_bytes(b"xb\0file\x001\0y")
    assert digest_tree(one) != digest_tree(two)


def test_links_below_are_not_followed(tree: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("one")
    (tree / "out").symlink_to(outside)
    before = digest_tree(tree)
    outside.write_text("two")
    assert digest_tree(tree) == before


def test_a_single_file_and_a_link_to_it_count_by_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("content")
    (tmp_path / "b").write_text("content")
    (tmp_path / "link").symlink_to("a")
    assert digest_tree(tmp_path / "a") == digest_tree(tmp_path / "b") == digest_tree(tmp_path / "link")


def test_a_missing_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        digest_tree(tmp_path / "missing")
