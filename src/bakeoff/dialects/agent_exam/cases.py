"""The cases of a trigger task: each prompt is one, with a name that does not depend on its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bakeoff.dialects.agent_exam.schema import TriggerTask
from bakeoff.dialects.nodes import Node, Scalar
from bakeoff.dialects.problems import Problems
from bakeoff.dialects.scalars import read_text
from bakeoff.identity import digest_text

_LONGEST_SLUG = 40
_HASH_DIGITS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A prompt that should fire a skill, or should not.

    Attributes:
        name: unique within the task: words of the prompt, and a short hash of it.
        is_positive: the skill should fire.
        node: where it stands.
    """

    name: str
    prompt: str
    is_positive: bool
    node: Node


def read_cases(task: TriggerTask, problems: Problems) -> tuple[Case, ...]:
    """The cases in order, positives first; what is wrong with one is recorded."""
    found: list[Case] = []
    first: dict[str, Case] = {}
    for node, key in _entries(task):
        prompt = _prompt(node, key, problems)
        if prompt is None:
            continue
        case = Case(name=case_name(prompt), prompt=prompt, is_positive=key == "positive", node=node)
        same = first.setdefault(prompt.strip(), case)
        if same is not case:
            other = "positive" if same.is_positive else "negative"
            problems.error(
                node.where,
                f"`{key}`: the same prompt stands in `{other}`, in line {same.node.line}",
                "keep one of the two",
            )
        found.append(case)
    return tuple(found)


def _entries(task: TriggerTask) -> Iterator[tuple[Node, str]]:
    yield from ((node, "positive") for node in task.positive)
    yield from ((node, "negative") for node in task.negative)


def _prompt(node: Node, key: str, problems: Problems) -> str | None:
    if not isinstance(node, Scalar):
        problems.error(
            node.where,
            f"an entry of `{key}` must be a prompt, not {node.kind}",
            "cases have no settings of their own; `setup.fixture` of the file counts for each",
        )
        return None
    text = read_text(node, key, problems)
    if not isinstance(text, str):
        return None
    if not text.strip():
        problems.error(node.where, f"`{key}`: nothing is written here")
        return None
    return text


def case_name(prompt: str) -> str:
    """Words of a prompt and a short hash of it: the same wherever the prompt stands."""
    words = re.sub(r"[^a-z0-9]+", "-", prompt.lower()).strip("-")[:_LONGEST_SLUG].strip("-")
    # A name is never a number: that would be a position.
    return f"{words or 'case'}-{digest_text(prompt)[:_HASH_DIGITS]}"
