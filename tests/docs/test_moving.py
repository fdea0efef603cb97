"""The guides for people who come from another tool name everything, and say nothing that is not so."""

import importlib
import re

import click
import pytest
from support.machine import CHECKOUT
from support.moving import TOOLS
from support.tables import tables_of

from bakeoff.cli.main import COMMANDS

HERE = 1
"""The column that says what a thing is in Bakeoff."""

SAME = "the same"
REFUSED = "refused by `run`"
NOT_YET = "not yet"


@pytest.fixture(params=TOOLS, ids=lambda tool: tool.name)
def tool(request):
    return request.param


def rows_of(tool, *headings):
    """The rows of tables that compare the tool with Bakeoff, of all or of some headings."""
    return [
        row
        for table in tables_of(tool.page)
        for row in table.rows
        if len(table.header) == 3 and (not headings or table.heading in headings)
    ]


def options_of(command):
    """The spellings of all options of a command of Bakeoff."""
    if command not in COMMANDS:
        return set()
    found = importlib.import_module(COMMANDS[command][0]).command
    context = click.Context(found, help_option_names=["-h", "--help"])
    return {spelling for option in found.get_params(context) for spelling in option.opts}


def invocations(row):
    """What a row says that one types: the command, and the flags that are written behind it."""
    for code in row.code(HERE):
        words = code.split()
        if words[0] == "bakeoff" and len(words) > 1 and not words[1].startswith("-"):
            yield words[1], [word for word in words[2:] if word.startswith("-")]


def test_commands_and_flags_that_a_table_names_exist(tool):
    wrong = []
    for row in rows_of(tool):
        if row.cells[HERE].startswith(NOT_YET):
            continue
        for command, flags in invocations(row):
            missing = [flag for flag in flags if flag not in options_of(command)]
            if command not in COMMANDS or missing:
                wrong.append(f"{row}: bakeoff {command} {' '.join(missing)}")
    assert wrong == []


def test_what_a_table_calls_not_built_is_not_there(tool):
    """Whoever builds it takes the row in hand: what is it here, what differs, and why."""
    wrong = []
    for row in rows_of(tool):
        if row.cells[HERE].startswith(NOT_YET):
            planned = list(invocations(row))
            assert planned, f"{row}: name what is planned, as `bakeoff COMMAND`"
            wrong += [
                f"{row}: bakeoff {command} is there"
                for command, flags in planned
                if command in COMMANDS and all(flag in options_of(command) for flag in flags)
            ]
    assert wrong == []


def test_every_command_and_flag_of_the_tool_has_a_row(tool):
    commands = {code for row in rows_of(tool, "Commands") for code in row.code(0)}
    assert sorted(set(tool.commands) - commands) == []
    flags = {code for row in rows_of(tool, "Flags") for code in row.code(0)}
    assert sorted(set(tool.flags) - flags) == []


def test_every_variable_of_the_tool_has_a_row_and_those_that_are_the_same_are_known_here(tool):
    rows = rows_of(tool, "Environment variables")
    named = {code for row in rows for code in row.code(0)}
    assert sorted(set(tool.variables) - named) == []
    sources = "\n".join(path.read_text() for path in (CHECKOUT / "src").rglob("*.py"))
    unknown = [
        name
        for row in rows
        if row.cells[HERE].startswith(SAME)
        for name in row.code(0)
        if name not in sources
    ]
    assert unknown == []


def test_every_key_of_the_format_has_a_row(tool):
    for heading, keys in tool.keys.items():
        named = {code for row in rows_of(tool, heading) for code in row.code(0)}
        assert sorted(set(keys) - named) == [], heading


def test_keys_that_a_table_says_are_read_are_keys_of_the_format(tool):
    wrong = []
    for heading, keys in tool.keys.items():
        for row in rows_of(tool, heading):
            if row.cells[HERE].startswith((SAME, REFUSED)):
                wrong += [f"{row}: {code}" for code in row.code(0) if code not in keys]
    assert wrong == []


def test_run_refuses_what_the_tables_say_and_nothing_else(tool, tmp_path, monkeypatch, capfd):
    """One project uses every key of the format; all that `run` refuses comes out at once."""
    told = {code for row in rows_of(tool) if row.cells[HERE].startswith(REFUSED) for code in row.code(0)}
    monkeypatch.chdir(tool.make_full_project(tmp_path))
    assert sorted(told) == sorted(tool.refused(capfd))


def test_the_full_project_uses_every_key_of_the_format(tool, tmp_path):
    """Else something that is refused could be missing from it."""
    folder = tool.make_full_project(tmp_path)
    text = "\n".join(
        path.read_text() for path in sorted(folder.rglob("*")) if path.suffix in {".yaml", ".yml", ".toml"}
    )
    used = set(re.findall(r"[\w-]+(?=\s*[:=])", text))
    names = {key.rpartition(".")[2].removesuffix("[]") for keys in tool.keys.values() for key in keys}
    names = {name for name in names if re.fullmatch(r"\w+", name)}  # not `runner: codex`
    assert sorted(names - used) == []
