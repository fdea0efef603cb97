"""The arms of a project: one for each harness of the format, with what `providers` says, and `fake`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from pydantic import ValidationError

from bakeoff.dialects.agent_exam.config import Config
from bakeoff.dialects.agent_exam.config_schema import (
    PROVIDERS,
    ClaudeCodeProvider,
    CodexProvider,
    OpencodeProvider,
    Provider,
)
from bakeoff.dialects.agent_exam.harness_blocks import (
    permission_options,
    unknown_harness_hint,
    written_harness,
)
from bakeoff.dialects.nodes import Mapping, Node
from bakeoff.dialects.problems import Problems, quoted
from bakeoff.dialects.shapes import read_shape
from bakeoff.dialects.wording import explained
from bakeoff.harness import registry
from bakeoff.model.suite import RUNNER, Arm, Unsupported

DEFAULT = "claude_code"
_SETTING_SOURCES = ["project", "local"]
"""What Claude Code reads of settings in this format: those of the workspace alone."""


def read_arms(config: Config, problems: Problems) -> tuple[tuple[Arm, ...], tuple[Arm, ...]]:
    """The arm that runs unless the command line names another, and all that it may name."""
    written = _written(config, problems)
    known = tuple(_arm(name, shape, written.get(name), problems) for name, shape in PROVIDERS.items())
    known = (*known, Arm(id="fake", harness="fake"))
    wanted = DEFAULT
    if config.said.default_harness is not None:
        place = config.said.default_harness
        wanted = written_harness(place, "default_harness", problems) or DEFAULT
        known = tuple(_refused(arm, place, problems) if arm.id == wanted else arm for arm in known)
    return tuple(arm for arm in known if arm.id == wanted), known


def _written(config: Config, problems: Problems) -> dict[str, Mapping]:
    """The settings of each harness, as far as they are mappings."""
    node = config.said.providers
    if node is None:
        return {}
    if not isinstance(node, Mapping):
        problems.error(
            node.where,
            f"`providers` must be a mapping, not {node.kind}",
            "write `claude_code:` with its settings below it",
        )
        return {}
    found = {}
    for entry in node:
        name = entry.key.text
        if name not in PROVIDERS:
            problems.error(
                entry.key.where,
                f"`providers`: there is no harness {quoted(name)}",
                unknown_harness_hint(name),
            )
        elif isinstance(entry.value, Mapping):
            _refuse_of_others(name, entry.value, problems)
            found[name] = entry.value
        elif node.get(name) is not None:
            read_shape(entry.value, PROVIDERS[name], problems, f"providers.{name}")
    return found


def _refuse_of_others(name: str, node: Mapping, problems: Problems) -> None:
    """Record settings that another harness has."""
    for entry in node:
        key = entry.key.text
        owners = [other for other, shape in PROVIDERS.items() if key in shape.model_fields]
        if owners and name not in owners:
            problems.error(
                entry.key.where,
                f"`providers.{name}.{key}`: {name} has no such setting",
                f"it belongs below `{owners[0]}`",
            )


def _arm(name: str, shape: type[Provider], node: Mapping | None, problems: Problems) -> Arm:
    if node is None:
        return Arm(id=name, harness=name, options=_defaults(name))
    others = [key for key in node.entries if key not in shape.model_fields and _belongs_elsewhere(key)]
    own = node
    for key in others:
        own = own.without(key)
    said = read_shape(own, shape, problems, f"providers.{name}") or shape()
    options = {**_defaults(name), **_options(said, node, problems)}
    _check_options(name, node, options, problems)
    aliases = dict(said.model_aliases)
    model = said.default_model
    unsupported: tuple[Unsupported, ...] = ()
    if name in registry.NOT_YET:
        unsupported = (Unsupported(field=RUNNER, where=problems.shown(node.where)),)
    return Arm(
        id=name,
        harness=name,
        model=aliases.get(model, model) if model else None,
        model_aliases=aliases,
        options=options,
        unsupported=unsupported,
        where=problems.shown(node.where),
    )


def _belongs_elsewhere(key: str) -> bool:
    return any(key in shape.model_fields for shape in PROVIDERS.values())


def _defaults(name: str) -> dict[str, object]:
    return {"setting_sources": _SETTING_SOURCES} if name == "claude_code" else {}


def _options(said: Provider, node: Mapping, problems: Problems) -> dict[str, object]:
    return dict(_settings(said, node, problems))


def _settings(said: Provider, node: Mapping, problems: Problems) -> Iterator[tuple[str, object]]:
    if said.extra_args:
        yield "extra_args", list(said.extra_args)
    if isinstance(said, ClaudeCodeProvider):
        _warn(said, node, problems)
        if said.permission_mode is not None:
            yield from permission_options(said.permission_mode).items()
    elif isinstance(said, CodexProvider):
        if said.writable_roots:
            yield "writable_roots", list(said.writable_roots)
        if said.network_access is not None:
            yield "network_access", said.network_access
    elif isinstance(said, OpencodeProvider):
        yield "pure", said.pure


def _warn(said: ClaudeCodeProvider, node: Mapping, problems: Problems) -> None:
    if said.blocked_plugins:
        problems.warning(
            node.key_where("blocked_plugins"),
            "`blocked_plugins` has nothing to block: HOME of a trial is private, so no plugin of yours is there",
        )
    if said.permission_mode == "bypassPermissions":
        problems.warning(
            node.at("permission_mode").where,
            "`permission_mode: bypassPermissions` turns every permission check off",
            "run it in the sandbox only",
        )


def _check_options(name: str, node: Mapping, options: dict[str, object], problems: Problems) -> None:
    """Record every value that the adapter refuses, at its place."""
    adapter = registry.HARNESSES.get(name)
    for item in option_errors(name, options) if adapter is not None else ():
        path = [part for part in item["loc"] if isinstance(part, str | int)]
        message, hint = explained(item, f"providers.{name}.{path[0]}" if path else "")
        problems.error(node.at(*path).where, message, hint)


def option_errors(harness: str, options: dict[str, object]) -> list[Any]:
    """What the adapter of a harness says against options; nothing when it is not built yet."""
    adapter = registry.HARNESSES.get(harness)
    if adapter is None:
        return []
    try:
        adapter.Options.model_validate(options)
    except ValidationError as error:
        return cast("list[Any]", error.errors(include_url=False))
    return []


def _refused(arm: Arm, place: Node, problems: Problems) -> Arm:
    """The arm with the place that selects it, where its harness cannot be run yet."""
    if arm.harness not in registry.NOT_YET or arm.unsupported:
        return arm
    unsupported = (Unsupported(field=RUNNER, where=problems.shown(place.where)),)
    return Arm(id=arm.id, harness=arm.harness, options=arm.options, unsupported=unsupported)
