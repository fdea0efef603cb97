"""Reads one native task: what it says, with everything it names looked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bakeoff.dialects.field_types import check_command, check_text
from bakeoff.dialects.named_paths import existing_directory, existing_path
from bakeoff.dialects.native.blocks import InjectBlock, PromptFile, SetupBlock
from bakeoff.dialects.native.checks import read_checks
from bakeoff.dialects.native.harness_names import Harnesses
from bakeoff.dialects.native.options import read_options
from bakeoff.dialects.native.schema import NativeTask
from bakeoff.dialects.native.start import Origin, find_origin
from bakeoff.dialects.native.text_file import read_text_file
from bakeoff.dialects.nodes import Mapping, Node, Sequence
from bakeoff.dialects.problems import Problems
from bakeoff.dialects.scalars import read_text
from bakeoff.dialects.shapes import read_shape
from bakeoff.dialects.sources import Sources
from bakeoff.dialects.wording import Refusal
from bakeoff.model.check import Check
from bakeoff.model.suite import Improvement, Objective, Reference, Setup, Unsupported


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTask:
    """A task as its file says it, before git was asked about its commit.

    Without `said` or `origin`, too much of it is wrong; the rest is looked at all the same.

    Attributes:
        named: files and directories that belong to the suite, not to what an agent works on.
    """

    node: Mapping
    said: NativeTask | None
    origin: Origin | None
    prompt: str
    checks: tuple[Check, ...]
    setup: Setup
    reference: Reference
    improvement: Improvement | None
    options: dict[str, dict[str, object]]
    unsupported: tuple[Unsupported, ...]
    named: tuple[Path, ...]


def read_task(node: Mapping, harnesses: Harnesses, sources: Sources, problems: Problems) -> ReadTask:
    """What a task says; everything that is wrong with it is recorded."""
    said = read_shape(node, NativeTask, problems)
    origin = find_origin(node.get("start"), node, sources, problems)
    prompt, prompt_files = _read_prompt(node.get("prompt"), problems)
    checks = _read_checks(node, harnesses, problems)
    options, later = _read_options(node.get("options"), harnesses, problems)
    reference = _read_reference(said, node.at("reference"), problems)
    improvement = _read_improvement(said, node.at("improve", "objective", "inject"), problems)
    named = (
        *prompt_files,
        *(source for check in checks for source in check.sources()),
        *_of_reference(reference),
        *(source for source, _ in (improvement.objective.inject if improvement else ())),
    )
    return ReadTask(
        node=node,
        said=said,
        origin=origin,
        prompt=prompt,
        checks=checks,
        setup=_read_setup(node.get("setup"), problems),
        reference=reference,
        improvement=improvement,
        options=options,
        unsupported=(*_later(said, node, problems), *later),
        named=named,
    )


def _read_prompt(node: Node | None, problems: Problems) -> tuple[str, tuple[Path, ...]]:
    """The prompt, and the file that it stands in, if any; a missing one was recorded with the task."""
    if node is None:
        return "", ()
    if not isinstance(node, Mapping):
        text = read_text(node, "prompt", problems)
        return (_checked(text, node, problems) if isinstance(text, str) else ""), ()
    said = read_shape(node, PromptFile, problems, "prompt")
    if said is None:
        return "", ()
    path = Path(os.path.abspath(node.file.parent / said.file))
    content = read_text_file(path, node.at("file"), "prompt.file", problems)
    return (_checked(content, node.at("file"), problems) if content is not None else ""), (path,)


def _checked(text: str, node: Node, problems: Problems) -> str:
    try:
        return check_text(text)
    except Refusal as refusal:
        problems.error(node.where, f"`prompt`: {refusal}", refusal.hint)
        return ""


def _read_checks(node: Mapping, harnesses: Harnesses, problems: Problems) -> tuple[Check, ...]:
    written = node.get("checks")
    if written is None or (isinstance(written, Sequence) and not written.items):
        problems.error(
            node.where if written is None else written.where,
            "the task has no checks: nothing would judge it",
            "write at least one, such as `checks: [{command: pytest -q}]`",
        )
        return ()
    nodes = written.items if isinstance(written, Sequence) else ()
    checks = read_checks(nodes, harnesses, problems)
    if nodes and len(checks) == len(nodes):
        _warn_undecided(node, checks, problems)
    return checks


def _warn_undecided(node: Mapping, checks: Iterable[Check], problems: Problems) -> None:
    if not any(check.required for check in checks):
        problems.warning(
            node.key_where("checks"),
            "no check is required: every trial is not_judged",
            "leave `required: false` out of at least one",
        )
    elif all(check.known_issue for check in checks):
        problems.warning(
            node.key_where("checks"),
            "every check is a known issue: trials are not_judged",
            "put `known_issue` beside `prompt`, or add a check that decides",
        )


def _read_setup(node: Node | None, problems: Problems) -> Setup:
    if node is None:
        return Setup()
    if not isinstance(node, Mapping):
        return Setup(commands=_commands(node, "setup", problems))
    said = read_shape(node, SetupBlock, problems, "setup")
    written = node.get("run")
    commands = _commands(written, "setup.run", problems) if written is not None else ()
    if said is None:
        return Setup()
    return Setup(commands=commands, timeout_s=said.timeout_s, must_leave_clean=said.must_leave_clean)


def _commands(node: Node, name: str, problems: Problems) -> tuple[str, ...]:
    """One command or several."""
    nodes = node.items if isinstance(node, Sequence) else (node,)
    found = []
    for each in nodes:
        text = read_text(each, name, problems)
        if isinstance(text, str):
            try:
                found.append(check_command(text))
            except Refusal as refusal:
                problems.error(each.where, f"`{name}`: {refusal}", refusal.hint)
    return tuple(found)


def _read_options(
    node: Node | None, harnesses: Harnesses, problems: Problems
) -> tuple[dict[str, dict[str, object]], tuple[Unsupported, ...]]:
    found: dict[str, dict[str, object]] = {}
    later: list[Unsupported] = []
    for entry in node if isinstance(node, Mapping) else ():
        harness = entry.key.text
        if harnesses.check(harness, entry.key.where, "options", problems):
            read = read_options(harness, entry.value, f"options.{harness}", problems)
            found[harness] = read.values
            later += read.unsupported
    return found, tuple(later)


def _read_reference(said: NativeTask | None, node: Node, problems: Problems) -> Reference:
    if said is None:
        return Reference()
    block = said.reference
    found: dict[str, Path | None] = {}
    for key in ("overlay", "partial_overlay"):
        text: str | None = getattr(block, key)
        if text is not None:
            found[key] = existing_directory(text, node.at(key), f"reference.{key}", problems)
    rounds = [
        existing_directory(text, node.at("improve_overlays", index), "reference.improve_overlays", problems)
        for index, text in enumerate(block.improve_overlays)
    ]
    return Reference(
        overlay=found.get("overlay"),
        partial_overlay=found.get("partial_overlay"),
        improve_overlays=tuple(path for path in rounds if path is not None),
        description=block.description,
    )


def _of_reference(reference: Reference) -> Iterator[Path]:
    for path in (reference.overlay, reference.partial_overlay, *reference.improve_overlays):
        if path is not None:
            yield path


def _read_improvement(said: NativeTask | None, node: Node, problems: Problems) -> Improvement | None:
    if said is None or said.improve is None:
        return None
    block, objective = said.improve, said.improve.objective
    return Improvement(
        objective=Objective(
            command=objective.command,
            direction=objective.direction,
            unit=objective.unit,
            target=objective.target,
            repeats=objective.repeats,
            timeout_s=objective.timeout_s,
            inject=tuple(_injected(objective.inject, node, problems)),
        ),
        rounds=block.rounds,
        keep_best=block.keep_best,
        min_improvement=block.min_improvement,
        evaluator_budget=block.evaluator_budget,
    )


def _injected(entries: Iterable[InjectBlock], node: Node, problems: Problems) -> Iterator[tuple[Path, str]]:
    for index, entry in enumerate(entries):
        place = node.at(index, "source")
        source = existing_path(entry.source, place, "improve.objective.inject.source", problems)
        if source is not None:
            yield source, entry.dest


def _later(said: NativeTask | None, node: Mapping, problems: Problems) -> Iterator[Unsupported]:
    """The fields that `run` cannot honour yet, as far as they say something."""
    if said is None:
        return
    safety = said.safety
    present = {
        ("improve",): said.improve is not None,
        ("safety", "canaries"): safety is not None and bool(safety.canaries),
        ("safety", "lure_urls"): safety is not None and bool(safety.lure_urls),
    }
    for path, is_present in present.items():
        if is_present:
            yield Unsupported(field=".".join(path), where=problems.shown(node.key_where(*path)))
