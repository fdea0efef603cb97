"""The writer of reference pages says truly what a class accepts."""

import importlib.util
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field
from support.machine import CHECKOUT


@pytest.fixture(scope="module")
def reference():
    """The program itself, which is no module of a package."""
    spec = importlib.util.spec_from_file_location("reference", CHECKOUT / "tools" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Inner(BaseModel):
    """Within."""

    path: str
    size: Annotated[float, Field(ge=0, lt=1e7)] = 0.5


class Outer(BaseModel):
    """Around."""

    id: str
    mode: Literal["a", "b"] = "a"
    count: int | None = None
    parts: tuple[Inner, ...] = ()
    one: Inner = Inner(path="x")
    maybe: Inner | None = None
    flag: bool = Field(default=True, description="what it | does")
    free: list[object] = []


def test_rows_of_nested_keys_types_bounds_and_defaults(reference):
    assert reference.rows(Outer.model_json_schema()) == [
        ("id", "text", "required", ""),
        ("mode", "`a` or `b`", "`a`", ""),
        ("count", "whole number", "-", ""),
        ("parts", "list of mapping", "-", ""),
        ("parts[].path", "text", "required", ""),
        ("parts[].size", "number, at least 0, below 10,000,000", "`0.5`", ""),
        ("one", "mapping", "-", ""),
        ("one.path", "text", "required", ""),
        ("one.size", "number, at least 0, below 10,000,000", "`0.5`", ""),
        ("maybe", "mapping", "-", ""),
        ("maybe.path", "text", "required", ""),
        ("maybe.size", "number, at least 0, below 10,000,000", "`0.5`", ""),
        ("flag", "true or false", "`true`", "what it | does"),
        ("free", "list", "-", ""),
    ]


def test_a_table_has_meanings_only_where_there_are_some(reference):
    assert reference.table([("a", "text", "-", "")])[0] == "| key | type | default |"
    assert reference.table([("a", "text", "-", "x | y")])[-1] == "| `a` | text | - | x \\| y |"


def test_pages_are_written_once_and_a_stale_one_is_named(reference, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(reference, "FOLDER", tmp_path / "reference")
    monkeypatch.setattr(reference, "PAGES", {"one.md": lambda: ["# One"], "two.md": lambda: ["# Two"]})
    assert reference.main(["--check"]) == 1
    assert reference.main([]) == 0
    assert reference.main(["--check"]) == 0
    (tmp_path / "reference" / "two.md").write_text("# Two and a half\n")
    assert reference.main(["--check"]) == 1
    assert "two.md (hint: make docs)" in capsys.readouterr().err
