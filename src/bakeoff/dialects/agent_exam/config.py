"""Reads `evals/config.yaml` with `config.local.yaml` over it."""

from __future__ import annotations

import os
from collections.abc import Mapping as Values
from dataclasses import dataclass, field, replace
from pathlib import Path

from bakeoff.dialects.agent_exam.config_schema import ConfigFile, TagBlock
from bakeoff.dialects.agent_exam.project import SUFFIXES, Project
from bakeoff.dialects.nodes import Entry, Mapping, Node, Scalar
from bakeoff.dialects.problems import Problems, quoted
from bakeoff.dialects.shapes import read_shape
from bakeoff.dialects.yaml import read_yaml
from bakeoff.errors import Where


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What the configuration says.

    Attributes:
        file: the file that exists, for messages; the main one when neither does.
        node: both files together; None without any.
        said: its fields, with defaults.
        tags: each declared tag to whether its tasks are left out by default.
    """

    file: Path
    node: Mapping | None = None
    said: ConfigFile = ConfigFile()
    tags: Values[str, bool] = field(default_factory=dict)

    @property
    def default_timeout_s(self) -> float:
        """Seconds that an agent has when its task says nothing."""
        return float(self.said.default_task_timeout_seconds)


def read_config(project: Project, problems: Problems) -> Config:
    """The configuration of a project; what is wrong with it is recorded."""
    files = [single_file(project.evals, stem, problems) for stem in ("config", "config.local")]
    nodes = [read_settings(file, "the configuration", problems) for file in files if file is not None]
    found = [node for node in nodes if node is not None]
    if not found:
        return Config(file=next((file for file in files if file), project.evals / "config.yaml"))
    node = found[0]
    for over in found[1:]:
        node = _merged(node, over)
    said = read_shape(node, ConfigFile, problems) or ConfigFile()
    return Config(file=node.file, node=node, said=said, tags=_tags(said.tags, problems))


def single_file(folder: Path, stem: str, problems: Problems) -> Path | None:
    """`stem.yaml` or `stem.yml` of a folder; None without one; both are an error."""
    found = [folder / f"{stem}{suffix}" for suffix in SUFFIXES]
    there = [file for file in found if os.path.lexists(file)]
    if len(there) > 1:
        problems.error(Where(there[1]), f"stands beside {there[0].name}", "keep one of the two")
    return there[0] if there else None


def read_settings(file: Path, what: str, problems: Problems) -> Mapping | None:
    """The mapping of a file that may be empty; None for an empty one, and for what cannot be read."""
    if file.is_file() and not _says_anything(file):
        return None
    node = read_yaml(file, problems)
    if node is None or isinstance(node, Mapping):
        return node
    problems.error(node.where, f"{what} must be a mapping, not {node.kind}", "write `key: value`")
    return None


def _says_anything(file: Path) -> bool:
    """Whether a file holds more than comments."""
    try:
        with file.open("rb") as opened:
            head = opened.read(100_000)
    except OSError:
        return True
    return any(line.strip() and not line.lstrip().startswith(b"#") for line in head.splitlines())


def _merged(under: Mapping, over: Mapping) -> Mapping:
    """Both mappings as one; where both hold a mapping, these are merged too."""
    entries: dict[str, Entry] = dict(under.entries)
    for name, entry in over.entries.items():
        below = entries.get(name)
        if below is not None and isinstance(below.value, Mapping) and isinstance(entry.value, Mapping):
            entries[name] = Entry(key=entry.key, value=_merged(below.value, entry.value))
        else:
            entries[name] = entry
    return replace(under, entries=entries)


def _tags(node: Node | None, problems: Problems) -> dict[str, bool]:
    if node is None:
        return {}
    if not isinstance(node, Mapping):
        problems.error(
            node.where,
            f"`tags` must be a mapping, not {node.kind}",
            "write `slow: {exclude_by_default: true}`, or `slow:` for a tag that is always run",
        )
        return {}
    found = {}
    for entry in node:
        name = entry.key.text
        if "," in name or not name.strip() or not name.isprintable():
            problems.error(entry.key.where, f"`tags`: {quoted(name)} cannot be named on a command line")
        if isinstance(entry.value, Scalar) and entry.value.is_null:
            found[name] = False
            continue
        block = read_shape(entry.value, TagBlock, problems, f"tags.{name}")
        found[name] = block is not None and block.exclude_by_default
    return found
