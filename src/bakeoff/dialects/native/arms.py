"""The arms of a native suite: what each takes over from another, and what it means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from bakeoff.dialects.native.harness_names import Harnesses
from bakeoff.dialects.native.options import read_options
from bakeoff.dialects.native.placements import joined_placements, read_placements
from bakeoff.dialects.native.schema import ArmBlock
from bakeoff.dialects.nodes import Entry, Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.shapes import read_shape
from bakeoff.harness import registry
from bakeoff.model.suite import RUNNER, Arm, Unsupported

_JOINED = ("options", "notes", "model_aliases")
"""Keys whose mappings are joined with those of the arm that is extended, key by key."""
_OF_A_HARNESS = ("model", "options", "model_aliases")
"""Keys that say nothing to another harness."""


def read_arms(suite: Mapping, harnesses: Harnesses, problems: Problems) -> tuple[Arm, ...]:
    """Every arm that can be read, in order; what is wrong with the others is recorded."""
    written = suite.get("arms")
    nodes = [_as_mapping(node) for node in (written.items if isinstance(written, Sequence) else ())]
    mappings = [node for node in nodes if isinstance(node, Mapping)]
    for node in nodes:
        if not isinstance(node, Mapping):
            problems.error(node.where, f"an arm must be a mapping or the name of a harness, not {node.kind}")
    family = _Family(nodes=_by_id(mappings, problems), problems=problems)
    found = [_read_arm(node, family, harnesses, problems) for node in mappings]
    return tuple(arm for arm in found if arm is not None)


def default_arms(suite: Mapping, arms: Iterable[Arm], problems: Problems) -> tuple[Arm, ...]:
    """The arms that run unless the command line names others."""
    written = suite.get("default_arms")
    known = {arm.id: arm for arm in arms}
    if not isinstance(written, Sequence):
        return tuple(known.values())
    ids = [node for node in written.items if isinstance(node, Scalar)]
    for node in ids:
        # With an error elsewhere, an arm may be missing only because it could not be read.
        if node.text not in known and not problems.has_errors:
            problems.error(
                node.where,
                f"`default_arms`: there is no arm {quoted(node.text)}",
                suggestion(node.text, known),
            )
    return tuple(known[name] for name in dict.fromkeys(node.text for node in ids) if name in known)


def _as_mapping(node: Node) -> Node:
    """An arm that is one word is a harness as it is."""
    if not isinstance(node, Scalar) or node.is_null:
        return node
    entry = Entry(key=replace(node, text="harness"), value=node)
    return Mapping(file=node.file, line=node.line, column=node.column, entries={"harness": entry})


def _id_of(node: Mapping) -> Scalar | None:
    """Where an arm's name stands; that of its harness when it has none."""
    for key in ("id", "harness"):
        found = node.get(key)
        if isinstance(found, Scalar):
            return found
    return None


def _by_id(nodes: Iterable[Mapping], problems: Problems) -> dict[str, Mapping]:
    found: dict[str, Mapping] = {}
    for node in nodes:
        name = _id_of(node)
        if name is None:
            problems.error(node.where, "the arm has no `id`", "name it, or its `harness`")
        elif name.text in found:
            first = _id_of(found[name.text])
            assert first is not None, "it was found by its name"
            problems.error(
                name.where,
                f"a second arm is called {quoted(name.text)}; the first is in line {first.line}",
                "give each arm its own `id`",
            )
        else:
            found[name.text] = node
    return found


@dataclass(slots=True, kw_only=True)
class _Family:
    """The arms by id, and what each is with all that it takes over."""

    nodes: dict[str, Mapping]
    problems: Problems
    _told: set[frozenset[str]] = field(default_factory=set)

    def complete(self, node: Mapping) -> Mapping | None:
        """An arm with what it takes over; None when that goes round in a circle, which is recorded."""
        line = [node]
        names = [self._name(node)]
        while (parent := line[-1].get("extends")) is not None:
            if not isinstance(parent, Scalar):
                break
            if parent.text in names:
                self._tell_circle([*names[names.index(parent.text) :], parent.text], parent)
                return None
            if parent.text not in self.nodes:
                self.problems.error(
                    parent.where,
                    f"`extends`: there is no arm {quoted(parent.text)}",
                    suggestion(parent.text, [name for name in self.nodes if name not in names]),
                )
                return None
            line.append(self.nodes[parent.text])
            names.append(parent.text)
        whole = line[-1]
        for child in reversed(line[:-1]):
            whole = _extended(child, whole)
        return whole

    def _name(self, node: Mapping) -> str:
        found = _id_of(node)
        return found.text if found is not None else ""

    def _tell_circle(self, names: list[str], at: Scalar) -> None:
        if frozenset(names) in self._told:
            return
        self._told.add(frozenset(names))
        message = f"`extends` goes round in a circle: {' → '.join(names)}"
        self.problems.error(at.where, message, "let one of them stand on its own")


def _extended(child: Mapping, parent: Mapping) -> Mapping:
    entries = {name: entry for name, entry in parent.entries.items() if name != "id"}
    own, other = child.get("harness"), parent.get("harness")
    if isinstance(own, Scalar) and isinstance(other, Scalar) and own.text != other.text:
        entries = {name: entry for name, entry in entries.items() if name not in _OF_A_HARNESS}
    for name, entry in child.entries.items():
        before = entries.get(name)
        if before is not None and name in _JOINED:
            entries[name] = replace(entry, value=_joined(entry.value, before.value))
        elif before is not None and name == "place":
            entries[name] = replace(entry, value=joined_placements(entry.value, before.value))
        else:
            entries[name] = entry
    return replace(child, entries=entries)


def _joined(own: Node, other: Node) -> Node:
    if not isinstance(own, Mapping) or not isinstance(other, Mapping):
        return own
    return replace(own, entries={**other.entries, **own.entries})


def _read_arm(node: Mapping, family: _Family, harnesses: Harnesses, problems: Problems) -> Arm | None:
    whole = family.complete(node)
    said = read_shape(whole or node, ArmBlock, problems, "arms")
    if whole is None or said is None:
        return None
    harness = whole.get("harness")
    if said.harness is None or not isinstance(harness, Scalar):
        problems.error(node.where, "`arms.harness` is missing", f"one of {', '.join(registry.HARNESSES)}")
        return None
    if not harnesses.check(said.harness, harness.where, "arms.harness", problems):
        return None
    options = read_options(said.harness, whole.get("options"), "options", problems)
    runner: tuple[Unsupported, ...] = ()
    if said.harness in registry.NOT_YET:
        runner = (Unsupported(field=RUNNER, where=problems.shown(harness.where)),)
    name = _id_of(node)
    return Arm(
        id=name.text if name is not None else said.harness,
        harness=said.harness,
        model=said.model,
        options=options.values,
        placements=read_placements(said.harness, whole.at("place"), problems),
        notes=said.notes,
        model_aliases=said.model_aliases,
        unsupported=tuple(sorted((*options.unsupported, *runner), key=lambda item: item.where)),
        where=problems.shown((name or node).where),
    )
