"""Everything that stands in an order's way is told at once, and each thing once."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.repositories import write_files

from bakeoff.dialects.load import load
from bakeoff.errors import ProblemsFound
from bakeoff.plan.order import Order, make_order
from bakeoff.plan.select import Selection
from bakeoff.store.layout import Layout

SUITE = """\
name: s
tasks: [t.yaml]
variants:
  - {id: g, runner: generic, command: x, improve_rounds: 2}
  - {id: c, runner: codex}
  - {id: f, runner: fake}
  - {id: h, runner: fake, improve_rounds: 2}
"""
TASK = 'id: t\nname: T\nrepo: {path: files}\nprompt: x\nverification: {command: "true"}\n'


def order(tmp_path: Path, selection: Selection) -> Order:
    write_files(tmp_path, {"suite.yaml": SUITE, "t.yaml": TASK, "files/a": ""})
    return make_order(
        load("suite.yaml", cwd=tmp_path),
        selection,
        repeats=None,
        jobs=None,
        seed=0,
        sandbox="process",
        auth="key",
        pass_env=(),
        name=None,
        keep_workspaces=False,
        layout=Layout(home=tmp_path / "home"),
    )


def refused(tmp_path: Path, selection: Selection) -> list[tuple[str, str]]:
    with pytest.raises(ProblemsFound) as found:
        order(tmp_path, selection)
    return [(str(each.where), each.message) for each in found.value.problems]


def test_everything_that_is_not_supported_is_told_at_once(tmp_path: Path) -> None:
    assert refused(tmp_path, Selection()) == [
        ("suite.yaml:4:42", "arm 'g': improve_rounds is not supported yet"),
        ("suite.yaml:5:13", "arm 'c': harness 'codex_cli' is not supported yet"),
        ("suite.yaml:7:27", "arm 'h': improve_rounds is not supported yet"),
    ]


def test_a_wrong_option_of_the_command_line_is_told_once(tmp_path: Path) -> None:
    selection = Selection(harness="claude", options={"max_turns": "abc"})

    assert refused(tmp_path, selection) == [("None", "-o: `max_turns` must be a whole number, not 'abc'")]


def test_another_harness_by_the_name_that_files_use(tmp_path: Path) -> None:
    made = order(tmp_path, Selection(harness="claude"))

    assert {ready.arm.harness for ready in made.arms} == {"claude_code"}
    assert len(made.arms) == 4
