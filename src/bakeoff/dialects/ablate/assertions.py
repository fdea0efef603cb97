"""Translates the assertions of an ablate task into checks."""

from __future__ import annotations

from bakeoff.checks import registry
from bakeoff.checks.command import Command
from bakeoff.checks.diff import FilesTouched
from bakeoff.checks.script import Script
from bakeoff.checks.text import Absent, Present
from bakeoff.dialects.ablate.schema import (
    ASSERTIONS,
    Assertion,
    ExitStatus,
    PatternSearch,
    ScriptRun,
    TouchedFiles,
)
from bakeoff.dialects.native_checks import read_check
from bakeoff.dialects.nodes import Mapping, Node
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.scalars import read_text
from bakeoff.dialects.shapes import read_shape
from bakeoff.model.check import Check
from bakeoff.patterns import compile_regex


def read_assertions(nodes: tuple[Node, ...], problems: Problems) -> tuple[Check, ...]:
    """One check for each assertion that can be read; what is wrong with the others is recorded."""
    checks = []
    places: dict[str, Node] = {}
    for node in nodes:
        check = _read_assertion(node, problems)
        if check is None:
            continue
        place = node.at("id")
        if check.id in places:
            first = places[check.id].where
            problems.error(
                place.where,
                f"a second assertion is called {quoted(check.id)}; the first is in line {first.line}",
                "give each assertion of a task its own id",
            )
        places.setdefault(check.id, place)
        checks.append(check)
    return tuple(checks)


def _read_assertion(node: Node, problems: Problems) -> Check | None:
    if not isinstance(node, Mapping):
        problems.error(
            node.where, f"an assertion must be a mapping, not {node.kind}", "give it `id` and `type`"
        )
        return None
    written = node.get("type")
    if written is None:
        problems.error(node.where, "`assert.type` is missing", f"one of {', '.join(ASSERTIONS)}")
        return None
    kind = read_text(written, "assert.type", problems)
    if not isinstance(kind, str):
        return None
    if kind in ASSERTIONS:
        assertion = read_shape(node, ASSERTIONS[kind], problems, "assert")
        return None if assertion is None else _as_check(assertion, node, problems)
    if kind in registry.CHECKS:
        return read_check(node.without("type"), registry.CHECKS[kind], problems, "assert")
    problems.error(
        written.where,
        f"there is no assertion type {quoted(kind)}",
        suggestion(kind, [*ASSERTIONS, *registry.CHECKS]),
    )
    return None


def _as_check(assertion: Assertion, node: Mapping, problems: Problems) -> Check:
    name, required = assertion.id, assertion.required
    if isinstance(assertion, ScriptRun):
        return Script(
            id=name,
            required=required,
            run=assertion.run,
            expect=assertion.expect,
            timeout_s=assertion.timeout_s,
            capture_json=assertion.capture_json,
        )
    if isinstance(assertion, ExitStatus):
        return Command(
            id=name,
            required=required,
            run=assertion.run,
            expect=assertion.expect,
            timeout_s=assertion.timeout_s,
            style=assertion.type == "lint",
        )
    if isinstance(assertion, TouchedFiles):
        return FilesTouched(
            id=name,
            required=required,
            must_include=assertion.must_include,
            must_not_include=assertion.must_not_include,
        )
    assert isinstance(assertion, PatternSearch)
    return _as_search(assertion, node, problems)


def _as_search(assertion: PatternSearch, node: Mapping, problems: Problems) -> Check:
    if compile_regex(assertion.pattern).search("") is not None:
        always = "passes" if assertion.type == "present" else "fails"
        problems.warning(
            node.at("pattern").where,
            f"the pattern {quoted(assertion.pattern)} matches even where there is no text",
            f"this assertion always {always}",
        )
    kind = Present if assertion.type == "present" else Absent
    return kind(
        id=assertion.id,
        required=assertion.required,
        pattern=assertion.pattern,
        paths=assertion.paths,
        within=assertion.in_,
    )
