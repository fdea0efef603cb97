"""Translates a task's `verification` into checks: protected paths first, then the command."""

from __future__ import annotations

import posixpath

from bakeoff.checks.command import Command
from bakeoff.checks.diff import Unchanged
from bakeoff.checks.score import Score
from bakeoff.dialects.harness_lab.overlays import read_inject
from bakeoff.dialects.harness_lab.schema import AnswerKey, HarnessLabTask
from bakeoff.dialects.named_paths import existing_path
from bakeoff.dialects.nodes import Mapping, Node
from bakeoff.dialects.problems import Problems, quoted
from bakeoff.model.check import Check

_GLOB_CHARACTERS = frozenset("*?[]{}")
_KEY_SUFFIXES = (".json", ".csv")


def read_checks(node: Mapping, task: HarnessLabTask, problems: Problems) -> tuple[Check, ...]:
    """The checks of a task, in the order in which they judge."""
    said = task.verification
    inject = read_inject(said.inject, node.at("verification", "inject"), "verification.inject", problems)
    if said.answer_key is not None:
        _check_answer_key(said.answer_key, node.at("verification", "answer_key"), problems)
    score = Score(command=said.score_command, timeout_s=said.timeout_seconds) if said.score_command else None
    command = Command(
        id="verification",
        run=said.command,
        timeout_s=said.timeout_seconds,
        inject=inject,
        score=score,
    )
    if not said.protected_paths:
        return (command,)
    globs = tuple(dict.fromkeys(protecting_glob(entry) for entry in said.protected_paths))
    return (Unchanged(id="protected_paths", stop=True, paths=globs), command)


def protecting_glob(entry: str) -> str:
    """The glob that protects what an entry names: a path, a directory with all below it, or a glob.

    A glob without a slash counts at any depth, as in an ignore file.
    """
    path = posixpath.normpath(entry)
    return f"**/{path}" if _GLOB_CHARACTERS & set(path) and "/" not in path else path


def _check_answer_key(said: AnswerKey, node: Node, problems: Problems) -> None:
    place = node.at("key")
    path = existing_path(said.key, place, "verification.answer_key.key", problems)
    if path is not None and path.suffix.lower() not in _KEY_SUFFIXES:
        problems.error(
            place.where,
            f"`verification.answer_key.key`: {quoted(path.name)} is neither .json nor .csv",
        )
