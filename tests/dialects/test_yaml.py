"""Files that are no YAML, or YAML that no task may be: one clear problem each, never a traceback."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
import yaml

from bakeoff.dialects.nodes import Mapping, Scalar, Sequence
from bakeoff.dialects.problems import Problems
from bakeoff.dialects.yaml import MOST_BYTES, read_yaml

BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)

BROKEN = [
    ("tab", b"a:\n\tb: 1\n", "2:1", "a tab is used to indent", "spaces"),
    ("tab after spaces", b"a:\n  b: 1\n  \tc: 2\n", "3:3", "a tab is used to indent", "spaces"),
    ("two documents", b"---\na: 1\n---\nb: 2\n", "3:1", "a second document begins here", "two files"),
    ("utf-16", "a: 1\n".encode("utf-16"), "1:1", "UTF-16", "UTF-8"),
    ("nul", b"a: 1\nb: x\0y\n", "2:5", "U+0000 is not allowed", "escape"),
    ("control character", b"a: \x1b[31m\n", "1:4", "U+001B is not allowed", "escape"),
    ("latin-1", b"a: ok\nb: caf\xe9\n", "2:7", "byte 0xe9 is not UTF-8", "UTF-8"),
    ("alias bomb", BOMB.encode(), "6:4", "more than 200,000 values", ""),
    ("many values", b"a: [" + b"x," * 210_000 + b"]", "1:400003", "more than 200,000 values", ""),
    ("deep flow", b"[" * 200 + b"]" * 200, "1:65", "nested more than 64 deep", ""),
    ("deep blocks", b"\n".join(b" " * depth + b"a:" for depth in range(300)), "65:65", "more than 64", ""),
    ("alias to itself", b"a: &x [*x]\n", "1:8", "`*x` stands inside of what it names", ""),
    ("alias to nothing", b"a: *x\n", "1:4", "`*x` names nothing", ""),
    ("unquoted colon", b"prompt: Fix: it\n", "1:12", "mapping values are not allowed", "quotes"),
    ("reserved sign", b"a: @x\n", "1:4", "cannot start any token", "quotes"),
    ("open quote", b"a: 1\nb: 'x\n", "2:4", "quoted scalar", "not closed"),
    ("open list", b"a: [1, 2\nb: 3\n", "2:2", "flow sequence", "not closed"),
    ("indentation", b"a: 1\n  b: 2\n", "2:4", "mapping values are not allowed", ""),
    ("escape", b'a: "\\s"\n', "1:5", "unknown escape character", "single quotes"),
    ("surrogate", b'a: "\\ud800"\n', "1:7", "invalid Unicode", ""),
    ("python tag", b"a: !!python/object:os.system x\n", "1:4", "!!python/object:os.system", "remove it"),
    ("own tag", b"a: !secret x\n", "1:4", "'!secret' is not used", "remove it"),
    ("tag on a list", b"a: !thing [x]\n", "1:4", "'!thing' is not used", "remove it"),
    ("list as key", b"[a]: 1\n", "1:1", "a key must be text, not a list", "quote"),
    ("merged text", b"<<: text\n", "1:5", "`<<` needs a mapping", ""),
    ("directive", b"%foo\n", "1:5", "is not valid YAML", ""),
    ("empty", b"", "", "is empty", ""),
    ("only a comment", b"# nothing\n", "", "is empty", ""),
    ("too large", b"a: " + b"x" * MOST_BYTES, "", "is larger than 5 MB (5,000,003 bytes)", ""),
]


@pytest.mark.parametrize(
    ("data", "place", "message", "hint"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN]
)
def test_one_problem_at_its_place(tmp_path: Path, data: bytes, place: str, message: str, hint: str) -> None:
    file = tmp_path / "task.yaml"
    file.write_bytes(data)
    problems = Problems(cwd=tmp_path)
    started = time.process_time()

    assert read_yaml(file, problems) is None

    assert time.process_time() - started < 20
    (problem,) = problems.in_order()
    assert problem.severity == "error"
    assert str(problem.where) == ":".join(part for part in ("task.yaml", place) if part)
    assert message in problem.message
    assert hint in problem.hint


def test_a_hundred_thousand_open_lists_end_neither_the_process_nor_the_patience(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_bytes(b"[" * 100_000)
    problems = Problems(cwd=tmp_path)

    assert read_yaml(tmp_path / "task.yaml", problems) is None

    (problem,) = problems.in_order()
    assert "nest" in problem.message


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        (b'a: "\\ud800"\n', "1:4", "half of a character"),
        (b"a:\n\tb: 1\n", "2:1", "a tab is used to indent"),
        (b"a: [1, 2\n", "1:4", "flow sequence"),
        (b"[" * 500, "1:65", "nested more than 64 deep"),
        (BOMB.encode(), "6:4", "more than 200,000 values"),
    ],
)
def test_the_parser_that_is_written_in_python_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, place: str, message: str
) -> None:
    monkeypatch.setattr("bakeoff.dialects.yaml._LOADER", yaml.SafeLoader)
    (tmp_path / "task.yaml").write_bytes(data)
    problems = Problems(cwd=tmp_path)

    assert read_yaml(tmp_path / "task.yaml", problems) is None

    (problem,) = problems.in_order()
    assert str(problem.where) == f"task.yaml:{place}"
    assert message in problem.message


def test_each_key_that_stands_twice_is_told_and_the_rest_is_still_read(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text("a: 1\nb: {c: 1, c: 2}\na: 3\nd: 4\n")
    problems = Problems(cwd=tmp_path)

    root = read_yaml(tmp_path / "task.yaml", problems)

    assert [str(problem.where) for problem in problems.in_order()] == ["task.yaml:2:11", "task.yaml:3:1"]
    assert "the key 'a' stands twice; the first is in line 1" in problems.in_order()[1].message
    assert isinstance(root, Mapping)
    assert list(root.entries) == ["a", "b", "d"]


def test_a_byte_order_mark_is_a_warning_and_moves_nothing(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_bytes(b"\xef\xbb\xbfid: 1\n")
    problems = Problems(cwd=tmp_path)

    root = read_yaml(tmp_path / "task.yaml", problems)

    (problem,) = problems.in_order()
    assert (problem.severity, str(problem.where)) == ("warning", "task.yaml:1:1")
    assert isinstance(root, Mapping)
    assert str(root.entries["id"].value.where) == f"{tmp_path}/task.yaml:1:5"


@pytest.mark.parametrize("kind", ["fifo", "directory", "missing", "unreadable link"])
def test_what_is_no_regular_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "task.yaml"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "unreadable link":
        path.symlink_to("task.yaml")
    problems = Problems(cwd=tmp_path)

    assert read_yaml(path, problems) is None

    (problem,) = problems.in_order()
    assert str(problem.where) == "task.yaml"
    assert "regular file" in problem.message or "cannot be read" in problem.message


def test_every_key_and_value_knows_its_place(tmp_path: Path) -> None:
    file = tmp_path / "task.yaml"
    file.write_text("a: {b: [x, 'é y', !!str 7]}\r\nlong: |\r\n  text\r\nlast: ü # note\r\n")

    root = read_yaml(file, Problems(cwd=tmp_path))

    assert isinstance(root, Mapping)
    inner = root.at("a", "b")
    assert isinstance(inner, Sequence)
    places = [
        (item.text, item.plain, item.line, item.column) for item in inner.items if isinstance(item, Scalar)
    ]
    assert places == [("x", True, 1, 9), ("é y", False, 1, 12), ("7", False, 1, 19)]
    assert str(root.key_where("last")) == f"{file}:4:1"
    assert root.at("last").column == 7
    assert root.at("long").line == 2


def test_a_path_that_leads_nowhere_ends_at_the_last_value_that_exists(tmp_path: Path) -> None:
    file = tmp_path / "task.yaml"
    file.write_text("a:\n  b: [1]\n")
    root = read_yaml(file, Problems(cwd=tmp_path))
    assert isinstance(root, Mapping)

    assert root.at("a", "b", 7).where == root.at("a", "b").where
    assert root.at("a", "nothing", "below").line == 2
    assert str(root.key_where("a", "nothing")) == f"{file}:2:3"


def test_merged_mappings_are_read_with_their_own_places(tmp_path: Path) -> None:
    file = tmp_path / "task.yaml"
    file.write_text("x: &x {a: 1, b: 2}\ny: &y {b: 3, c: 4}\nz: {<<: [*x, *y], a: 9}\n'<<': text\n")
    root = read_yaml(file, Problems(cwd=tmp_path))
    assert isinstance(root, Mapping)

    merged = root.at("z")

    assert isinstance(merged, Mapping)
    texts = {name: entry.value.at() for name, entry in merged.entries.items()}
    assert {name: value.text for name, value in texts.items() if isinstance(value, Scalar)} == {
        "a": "9",
        "b": "2",
        "c": "4",
    }
    assert texts["c"].line == 2
    assert "<<" in root
