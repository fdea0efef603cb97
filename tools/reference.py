"""Writes the pages of docs/reference from the code that they describe; `--check` only compares."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from pydantic import BaseModel

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
NOTE = "<!-- Written by `make docs` from the code. Change the code, not this page. -->"
WIDTH = 96
ANYTHING = "any value"

Row = tuple[str, str, str, str]
"""Key, type, default, meaning; a schema is a JSON Schema as pydantic gives it."""


def commands() -> Iterator[str]:
    """Every command with its help, and the exit codes."""
    main = importlib.import_module("bakeoff.cli.main")
    yield from heading("Commands", "What each command does and which options it takes.")
    codes = re.search(r"Exit codes: (.*?)\.\s*(?:\n\n|$)", inspect.getdoc(main) or "", re.DOTALL)
    assert codes, "the module of the command line lists the exit codes"
    yield from ("## Exit codes", "", "| code | meaning |", "|---|---|")
    for code, meaning in (part.strip().split(" ", 1) for part in codes[1].replace("\n", " ").split(",")):
        yield f"| {code} | {meaning} |"
    for name, (module, _) in main.COMMANDS.items():
        command = importlib.import_module(module).command
        context = click.Context(
            command, info_name=f"bakeoff {name}", max_content_width=WIDTH, terminal_width=WIDTH
        )
        yield from ("", f"## bakeoff {name}", "", "```text", *command.get_help(context).splitlines(), "```")


def checks() -> Iterator[str]:
    """Every check with the keys that it has in native YAML."""
    from bakeoff.checks.registry import CHECKS
    from bakeoff.model.check import Check

    yield from heading("Checks", "The rules that judge a trial, by the key that each has in native files.")
    yield from ("## Keys of every check", "", *described(Check, rows(Check.model_json_schema())))
    shared = set(Check.model_json_schema()["properties"])
    for name, check in sorted(CHECKS.items()):
        own = [row for row in rows(check.model_json_schema()) if row[0] not in shared]
        yield from ("", f"## {name}", "", *described(check, own))


def harnesses() -> Iterator[str]:
    """Every harness with its options, credentials and the places of placements."""
    from bakeoff.harness.registry import HARNESSES

    yield from heading(
        "Harnesses", "The programs that run agents, and the options that an arm can give each."
    )
    for name, harness in sorted(HARNESSES.items()):
        yield from ("", f"## {name}", "", *inspect.getdoc(harness).splitlines())  # type: ignore[union-attr]  # all have one
        places = ", ".join(f"{kind} in `{place}`" for kind, place in sorted(harness.placements.items()))
        yield from ("", f"Placements: {places}." if places else "It takes no placements.", "")
        keys = ", ".join(f"`{variable}`" for variable in harness.credentials)
        yield from (f"Credentials that it is given: {keys}." if keys else "It is given no credentials.", "")
        yield from described(harness.Options, rows(harness.Options.model_json_schema()))


def ablate() -> Iterator[str]:
    """The keys of ablate tasks."""
    from bakeoff.dialects.ablate import schema

    yield from heading("ablate tasks", "What a file of `.ablate/tasks` can hold.")
    task = rows(schema.AblateTask.model_json_schema())
    yield from ("## Keys of a task", "", *described(schema.AblateTask, task))
    shared = set(schema.Assertion.model_json_schema()["properties"])
    yield from ("", "## Keys of every assertion", "", *table(rows(schema.Assertion.model_json_schema())))
    for shape in (schema.ExitStatus, schema.TouchedFiles, schema.PatternSearch, schema.ScriptRun):
        own = [row for row in rows(shape.model_json_schema()) if row[0] not in shared]
        yield from ("", *described(shape, own))


def agent_exam() -> Iterator[str]:
    """The keys of agent-exam projects: configuration, suites, tasks, assertions, blocks of harnesses."""
    from bakeoff.dialects.agent_exam import assertion_shapes, config_schema, harness_blocks, schema

    yield from heading("agent-exam files", "What the files of a project with `evals/` can hold.")
    yield from inspect.getdoc(schema).splitlines()[2:]  # type: ignore[union-attr]  # it has one
    shapes: dict[str, type[BaseModel]] = {
        "evals/config.yaml": config_schema.ConfigFile,
        "Below `tags`": config_schema.TagBlock,
        "evals/suites/SUITE/suite.yml": schema.SuiteFile,
        "evals/suites/SUITE/tasks/NAME.yaml": schema.AnyTask,
        "kind: execute": schema.ExecuteTask,
        "kind: trigger": schema.TriggerTask,
    }
    for name, shape in shapes.items():
        yield from ("", f"## {name}", "", *described(shape, own_rows(shape)))
        if shape is config_schema.TagBlock:
            yield from (
                "",
                "## Below `providers`",
                "",
                *described(config_schema.Provider, rows(config_schema.Provider.model_json_schema())),
            )
            for provider in config_schema.PROVIDERS.values():
                yield from ("", *described(provider, own_rows(provider)))
    yield from ("", "## Assertions", "", *inspect.getdoc(assertion_shapes).splitlines()[2:])  # type: ignore[union-attr]  # it has one
    for shape in dict.fromkeys(assertion_shapes.ASSERTIONS.values()):
        yield from ("", *described(shape, own_rows(shape)))
    yield from ("", "## Blocks of harnesses", "", *inspect.getdoc(harness_blocks).splitlines()[2:])  # type: ignore[union-attr]  # it has one
    for shape in (*harness_blocks.BLOCKS.values(), harness_blocks.PrefixRule):
        yield from ("", *described(shape, own_rows(shape)))


def own_rows(shape: type[BaseModel]) -> list[Row]:
    """The keys of a shape that those it is made from do not have."""
    inherited = {name for base in shape.__bases__ for name in getattr(base, "model_fields", ())}
    return [row for row in rows(shape.model_json_schema()) if row[0].partition(".")[0] not in inherited]


def harness_lab() -> Iterator[str]:
    """The keys of Harness Lab suites, experiments, variants and tasks, and the options of runners."""
    from bakeoff.dialects.harness_lab import options, schema, suite_schema

    yield from heading("Harness Lab files", "What suites, experiments, variants and tasks can hold.")
    shapes: dict[str, type[BaseModel]] = {
        "Suite": suite_schema.SuiteFile,
        "Experiment": suite_schema.ExperimentFile,
        "Variant": suite_schema.VariantBlock,
        "Task": schema.HarnessLabTask,
    }
    for name, shape in shapes.items():
        # `options` is where the loader gathers all other keys; nobody writes it.
        keys = [row for row in rows(shape.model_json_schema()) if row[0] != "options"]
        yield from ("", f"## {name}", "", *described(shape, keys))
    yield from ("", "## Options of runners", "")
    yield "A default that is not given here is the one of the [harness](harnesses.md)."
    for shape in (
        options.RunnerOptions,
        options.PassingOptions,
        options.ProgramOptions,
        *options.SHAPES.values(),
    ):
        inherited = {name for base in shape.__bases__ for name in getattr(base, "model_fields", ())}
        own = [row for row in rows(shape.model_json_schema()) if row[0] not in inherited]
        yield from ("", *described(shape, own))


PROTOCOL = """
Print one JSON object on each line of standard output and flush it; `kind` says what it is. Every
event is optional, every key but `kind` is, and keys that are not listed are ignored. Keys may
stand beside `kind` or in a mapping `payload`; `call_id`, `thread` and names may be numbers.

Start with `run_started`, tell what happens when it happens, and end with `run_finished`. Say in
`tells` what you always tell: without that, a check that asks whether a tool was *not* used can
only answer that nobody knows. Nothing is ever believed that cannot be: a number that is missing,
negative, absurd or no number is unknown, and so is every sum that it is part of. An event of
unknown kind, and a line that begins with `{` and is no JSON, are counted and shown. Lines that
do not begin with `{` are plain text; they are the answer when there is no message.

The [JSON Schema of one line](../../src/bakeoff/harness/generic/agent-protocol.schema.json) is part
of the package. How the agent is started stands on the page of the
[generic harness](harness-generic.md); a whole agent in [the guide](../guides/connect-your-agent.md).
"""


def agent_protocol() -> Iterator[str]:
    """Every event that an agent can print."""
    from bakeoff.harness.generic.parse import MODEL_ERRORS
    from bakeoff.harness.generic.protocol import EVENTS, VERSION, Event

    yield from heading(
        "The agent protocol", f"What a program prints to be understood as an agent: version {VERSION}."
    )
    yield PROTOCOL.strip()
    shared = rows(Event.model_json_schema())
    yield from ("", "## Keys of every event", "", *table(shared))
    for kind, event in EVENTS.items():
        own = [row for row in rows(event.model_json_schema()) if row[0] not in {"kind", "thread"}]
        yield from ("", f"## {kind}", "", *described(event, own))
        if kind == "error":
            codes = ", ".join(f"`{code}`" for code in sorted(MODEL_ERRORS))
            yield from ("", f"Codes that are known: {codes}.")


def agent_protocol_schema() -> Iterator[str]:
    """The JSON Schema of one event, which the package holds."""
    from bakeoff.harness.generic.protocol import json_schema

    yield from json.dumps(json_schema(), indent=2).splitlines()


def native() -> Iterator[str]:
    """The keys of native suites, arms, placements, tasks and what stands inside them."""
    from bakeoff.dialects.native import blocks, schema

    yield from heading("Native files", "What a suite that begins with `bakeoff: 0` can hold.")
    yield "The [guide](../guides/native-format.md) shows how the parts work together."
    shapes: dict[str, type[BaseModel]] = {
        "Suite": schema.NativeSuite,
        "Below `tags`": schema.TagBlock,
        "Below `arms`": schema.ArmBlock,
        "Below `place`": schema.PlacementEntry,
        "Below `tasks`, and task files": schema.NativeTask,
        "Below `prompt`": blocks.PromptFile,
        "Below `start`: git": blocks.GitBlock,
        "Below `start`: folder": blocks.FolderBlock,
        "Below `setup`": blocks.SetupBlock,
        "Below `checks`": schema.CheckEntry,
    }
    for name, shape in shapes.items():
        yield from ("", f"## {name}", "", *described(shape, rows(shape.model_json_schema())))
    yield from ("", "## Below `defaults`", "", *described(schema.DefaultsBlock, ()), "")
    yield "Its keys: " + ", ".join(f"`{name}`" for name in schema.DefaultsBlock.model_fields) + "."


PAGES = {
    "agent-protocol.md": agent_protocol,
    "../../src/bakeoff/harness/generic/agent-protocol.schema.json": agent_protocol_schema,
    "commands.md": commands,
    "checks.md": checks,
    "harnesses.md": harnesses,
    "ablate.md": ablate,
    "agent-exam.md": agent_exam,
    "harness-lab.md": harness_lab,
    "native.md": native,
}


def heading(title: str, sentence: str) -> list[str]:
    """The top of a page."""
    return [f"# {title}", "", NOTE, "", sentence, ""]


def described(model: type[BaseModel], keys: Sequence[Row]) -> list[str]:
    """The docstring of a class and a table of its keys."""
    return [*(inspect.getdoc(model) or "").splitlines(), *(["", *table(keys)] if keys else [])]


def table(keys: Sequence[Row]) -> list[str]:
    """Rows as a Markdown table, without the column of meanings when all are empty."""
    explained = any(row[3] for row in keys)
    columns = 4 if explained else 3
    lines = [("key", "type", "default", "meaning")[:columns], ("---",) * columns]
    lines += [(f"`{key}`", kind, default, meaning)[:columns] for key, kind, default, meaning in keys]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


def rows(schema: Mapping[str, Any], prefix: str = "", root: Mapping[str, Any] | None = None) -> list[Row]:
    """Every key of a schema, those of nested mappings as `outer.inner`."""
    root = schema if root is None else root
    found: list[Row] = []
    for name, value in schema.get("properties", {}).items():
        required = name in schema.get("required", ())
        found.append(
            (prefix + name, kind_of(value, root), default_of(value, required), value.get("description", ""))
        )
        for inner, mark in nested(value, root):
            found += rows(inner, f"{prefix}{name}{mark}.", root)
    return found


def nested(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The mappings that a value can hold, with `[]` for those in a list."""
    if "$ref" in schema:
        target = resolve(schema, root)
        if target.get("properties"):
            yield target, ""
    for choice in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from nested(choice, root)
    if isinstance(schema.get("items"), Mapping):
        yield from ((inner, "[]" + mark) for inner, mark in nested(schema["items"], root))


def resolve(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a reference within the schema stands for."""
    target: Mapping[str, Any] = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    return target


def kind_of(schema: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    """The type in words."""
    if "$ref" in schema:
        return kind_of(resolve(schema, root), root)
    if "enum" in schema or "const" in schema:
        return " or ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    if choices := [choice for choice in schema.get("anyOf", ()) if choice.get("type") != "null"]:
        return " or ".join(dict.fromkeys(kind_of(choice, root) for choice in choices))
    if schema.get("type") == "array":
        items = kind_of(schema.get("items", {}), root)
        return "list" if items == ANYTHING else f"list of {items}"
    words = {
        "string": "text",
        "integer": "whole number",
        "boolean": "true or false",
        "null": "nothing",
        "number": "number",
        "object": "mapping",
    }
    return words.get(schema.get("type", ""), ANYTHING) + bounds(schema)


def bounds(schema: Mapping[str, Any]) -> str:
    """The limits of a number in words."""
    words = {
        "minimum": "at least",
        "exclusiveMinimum": "more than",
        "maximum": "at most",
        "exclusiveMaximum": "below",
    }
    return "".join(f", {text} {schema[key]:,.10g}" for key, text in words.items() if key in schema)


def default_of(schema: Mapping[str, Any], required: bool) -> str:
    """The default as YAML would write it; a dash stands for nothing."""
    if required:
        return "required"
    value = schema.get("default")
    # The defaults of a mapping's keys stand in their own rows.
    if value in (None, "", []) or isinstance(value, dict):
        return "-"
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


def main(arguments: list[str]) -> int:
    """Write the pages, or say which differ; 1 when one does."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    stale = []
    for name, write in PAGES.items():
        text = "\n".join(line.rstrip() for line in write()) + "\n"
        text = re.sub(r"\n{3,}", "\n\n", text)
        path = FOLDER / name
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.write_text(text)
    if stale and "--check" in arguments:
        print(
            f"docs/reference is not what the code says: {', '.join(stale)} (hint: make docs)", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
