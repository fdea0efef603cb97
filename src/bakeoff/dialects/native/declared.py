"""What a native suite declares for its tasks: tags, groups and plugins, and whether tasks keep to it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bakeoff.dialects.field_types import check_one_line
from bakeoff.dialects.native.schema import NativeSuite, NativeTask, TagBlock
from bakeoff.dialects.nodes import Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.shapes import read_shape
from bakeoff.dialects.wording import Refusal
from bakeoff.model.suite import Unsupported

_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """The tags and groups of a suite.

    Attributes:
        tags: each with whether its tasks are left out unless it is asked for.
        groups: names of concurrency groups.
    """

    tags: dict[str, bool]
    groups: tuple[str, ...]

    def check(self, said: NativeTask, node: Mapping, problems: Problems) -> None:
        """Record tags and groups of a task that the suite does not declare."""
        if self.tags:
            for place in _items(node.get("tags")):
                if isinstance(place, Scalar) and place.text not in self.tags:
                    hint = suggestion(place.text, self.tags)
                    problems.error(
                        place.where,
                        f"the tag {quoted(place.text)} is not declared in `tags` of the suite",
                        hint,
                    )
        name = said.concurrency_group
        if name is not None and name not in self.groups:
            problems.error(
                node.at("concurrency_group").where,
                f"`concurrency_group`: the suite declares no group {quoted(name)}",
                suggestion(name, self.groups) or f"declare it there: `concurrency_groups: {{{name}: 1}}`",
            )
        for index, tag in enumerate(said.held_back_by or ()):
            if tag not in said.tags:
                problems.error(
                    node.at("held_back_by", index).where,
                    f"`held_back_by`: the task has no tag {quoted(tag)}",
                    suggestion(tag, said.tags),
                )

    def held_back_by(self, said: NativeTask) -> tuple[str, ...]:
        """The tags that keep a task out unless they are asked for."""
        if said.held_back_by is not None:
            return said.held_back_by
        return tuple(tag for tag in said.tags if self.tags.get(tag))


def read_declared(suite: Mapping, said: NativeSuite | None, problems: Problems) -> Declared:
    """What a suite declares; what cannot be meant is recorded."""
    tags: dict[str, bool] = {}
    written = suite.get("tags")
    for entry in written if isinstance(written, Mapping) else ():
        _check_name(entry.key, "tags", problems)
        value = entry.value
        is_bare = isinstance(value, Scalar) and value.is_null
        block = None if is_bare else read_shape(value, TagBlock, problems, f"tags.{entry.key.text}")
        tags[entry.key.text] = block is not None and block.exclude_by_default
    groups = suite.get("concurrency_groups")
    for entry in groups if isinstance(groups, Mapping) else ():
        _check_name(entry.key, "concurrency_groups", problems)
    return Declared(tags=tags, groups=tuple(said.concurrency_groups) if said else ())


def _check_name(key: Scalar, name: str, problems: Problems) -> None:
    try:
        check_one_line(key.text)
    except Refusal as refusal:
        problems.error(key.where, f"`{name}`: {refusal}", refusal.hint)


def read_plugins(suite: Mapping, problems: Problems) -> tuple[Unsupported, ...]:
    """The place of the plugins, which `run` cannot import yet; names of no module are recorded."""
    items = _items(suite.get("plugins"))
    for item in items:
        if isinstance(item, Scalar) and not _MODULE.fullmatch(item.text):
            problems.error(
                item.where,
                f"`plugins`: {quoted(item.text)} is not the name of a Python module",
                "write it as in `import`: `package.module`",
            )
    if not items:
        return ()
    return (Unsupported(field="plugins", where=problems.shown(suite.key_where("plugins"))),)


def _items(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, Sequence) else ()
