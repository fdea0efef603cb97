"""The variants of a suite or experiment: which exist, which are selected, and what each says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bakeoff.dialects.harness_lab.arm_options import command_text, is_known, read_options
from bakeoff.dialects.harness_lab.builtin import FALLBACK, builtin_variants, is_builtin
from bakeoff.dialects.harness_lab.options import HARNESSES, NOT_YET, SHAPES
from bakeoff.dialects.harness_lab.suite_schema import VariantBlock
from bakeoff.dialects.named_paths import existing_directory
from bakeoff.dialects.nodes import Entry, Mapping, Node, Scalar
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.shapes import read_shape
from bakeoff.harness import registry
from bakeoff.model.suite import RUNNER, Arm, Unsupported

_NEVER_DEFAULTS = frozenset(
    {"id", "runner", "description", "factors", "harness", "harness_hash", "harness_version"}
)
_RESERVED = frozenset(VariantBlock.model_fields) - {"options"}
_NOTED = (
    "description",
    "harness_version",
    "model_provider",
    "context_policy",
    "tool_policy",
    "skill_version",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arms:
    """Which arms run unless the command line says otherwise, and which it may name."""

    selected: tuple[Arm, ...]
    known: tuple[Arm, ...]


def read_arms(
    lists: Iterable[tuple[Node, ...]], defaults: dict[str, Node], plugins: tuple[str, ...], problems: Problems
) -> Arms:
    """The arms that `lists` of variants define: the built-in ones, the suite's, the experiment's.

    A later definition of an id takes the place of an earlier one. The last list that is not
    empty is the selection; an entry of it that is only a word names a variant.
    """
    known = {_word(node.at("id")): node for node in builtin_variants()}
    selection: list[Node | str] = [FALLBACK]
    for nodes in lists:
        _refuse_same_ids(nodes, problems)
        known |= {_word(node.at("id")): node for node in nodes if isinstance(node, Mapping)}
        selection = list(nodes) or selection
    settings = _read_defaults(defaults, known.values(), problems)
    arms = {}
    for name, node in known.items():
        arm = _read_arm(_with_defaults(node, settings), plugins, problems)
        if arm is not None:
            arms[name] = arm
    names = [_selected(entry, known, problems) for entry in selection]
    return Arms(selected=tuple(arms[name] for name in names if name in arms), known=tuple(arms.values()))


def _word(node: Node) -> str:
    return node.text if isinstance(node, Scalar) else ""


def _refuse_same_ids(nodes: Iterable[Node], problems: Problems) -> None:
    first: dict[str, Node] = {}
    for node in nodes:
        place = node.at("id")
        name = _word(place)
        if name in first:
            line = first[name].line
            problems.error(
                place.where,
                f"a second variant is called {quoted(name)}; the first is in line {line}",
                "give each variant its own id",
            )
        elif name:
            first[name] = place


def _selected(entry: Node | str, known: dict[str, Mapping], problems: Problems) -> str:
    if isinstance(entry, str):
        return entry
    if not isinstance(entry, Scalar):
        if not isinstance(entry, Mapping):
            problems.error(entry.where, f"a variant must be a mapping or the id of one, not {entry.kind}")
        return _word(entry.at("id"))
    if entry.text not in known:
        problems.error(
            entry.where, f"there is no variant {quoted(entry.text)}", suggestion(entry.text, known)
        )
    return entry.text


def _read_defaults(
    defaults: dict[str, Node], variants: Iterable[Mapping], problems: Problems
) -> dict[str, Mapping]:
    """Runner, or `*` for all of them, to the options that its variants leave out."""
    runners = dict.fromkeys(["*", *SHAPES, *(_word(node.at("runner")) for node in variants)])
    found = {}
    for runner, node in defaults.items():
        if not isinstance(node, Mapping):
            problems.error(node.where, f"`defaults.{runner}` must be a mapping of options, not {node.kind}")
            continue
        if runner not in runners:
            problems.warning(
                node.where, f"`defaults.{runner}`: no variant has this runner", suggestion(runner, runners)
            )
        for entry in node:
            if entry.key.text in _NEVER_DEFAULTS:
                problems.error(
                    entry.key.where,
                    f"`defaults` cannot set {quoted(entry.key.text)}",
                    "write it at each variant",
                )
        found[runner] = node
    return found


def _with_defaults(variant: Mapping, defaults: dict[str, Mapping]) -> Mapping:
    """The variant with what it leaves out; the runner's defaults come before those for all."""
    runner, command = _word(variant.at("runner")), command_text(variant)
    entries: dict[str, Entry] = dict(variant.entries)
    for scope in (runner, "*"):
        for entry in defaults.get(scope, ()):
            name = entry.key.text
            # What is meant for all runners says nothing to one that has no such option.
            fits = scope == runner or name in _RESERVED or is_known(runner, name, command)
            if fits and name not in _NEVER_DEFAULTS:
                entries.setdefault(name, entry)
    return replace(variant, entries=entries)


def _read_arm(node: Mapping, plugins: tuple[str, ...], problems: Problems) -> Arm | None:
    variant = read_shape(node, VariantBlock, problems, "variants")
    if variant is None:
        return None
    _check_runner(variant.runner, node, plugins, problems)
    options = read_options(variant.runner, node, variant.options, problems)
    notes = {name: getattr(variant, name) for name in _NOTED if getattr(variant, name)}
    if options.unused:
        notes["unused_options"] = dict(options.unused)
    unsupported = [name for name in options.passed if name in NOT_YET and name in node]
    if HARNESSES.get(variant.runner) in registry.NOT_YET and not is_builtin(node):
        unsupported.append(RUNNER)
    if variant.harness is not None:
        bundle = existing_directory(variant.harness, node.at("harness"), "variants.harness", problems)
        notes["harness"] = str(bundle)
        unsupported.append("harness")
    return Arm(
        id=variant.id,
        harness=HARNESSES.get(variant.runner, variant.runner),
        model=variant.model,
        options=options.passed,
        notes=notes,
        unsupported=tuple(
            sorted(
                (Unsupported(field=name, where=problems.shown(node.key_where(name))) for name in unsupported),
                key=lambda item: item.where,
            )
        ),
        where=None if is_builtin(node) else problems.shown(node.at("id").where),
    )


def _check_runner(runner: str, node: Mapping, plugins: tuple[str, ...], problems: Problems) -> None:
    where = node.at("runner").where
    if runner in SHAPES:
        return
    spelling = next((name for name, harness in HARNESSES.items() if harness == runner), None)
    if spelling is not None:
        problems.error(where, f"the runner {quoted(runner)} has another name here", f"write `{spelling}`")
    elif not plugins:
        near = suggestion(runner, SHAPES)
        problems.warning(
            where,
            f"{quoted(runner)} is none of the runners {', '.join(SHAPES)}, and no plugin is named",
            near if near.startswith("did you mean") else "name the module that has it under `plugins`",
        )
