"""The commands that a report prints must work where the reader is."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from bakeoff.report.program import program


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "my venv" / "bin"
    folder.mkdir(parents=True)
    executable = folder / "bakeoff"
    executable.write_text("#!/bin/sh\n")
    executable.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return executable


def test_the_name_is_enough_where_the_path_has_it(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(place)])
    assert program({"PATH": str(place.parent)}) == "bakeoff"


def test_else_it_is_started_as_it_was(place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "argv", [str(place)])
    assert program({"PATH": str(tmp_path)}) == "'my venv/bin/bakeoff'"
    monkeypatch.chdir("/")
    short = min(os.path.relpath(place, "/"), str(place), key=len)
    assert program({"PATH": str(tmp_path)}) == f"'{short}'"


def test_a_module_is_started_by_its_interpreter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["/x/bakeoff/__main__.py"])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    assert program({"PATH": str(tmp_path)}) == "bin/python -m bakeoff"
