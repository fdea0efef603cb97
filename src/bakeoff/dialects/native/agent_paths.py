"""Where the files of somebody's own agent are that the options of an arm name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bakeoff.model.suite import Arm

_NAMES_FILES = "agent_files"


def located_options(arm: Arm) -> Mapping[str, object]:
    """The options of an arm, with paths that are relative to its file as what they name."""
    names = arm.options.get(_NAMES_FILES)
    if arm.where is None or not isinstance(names, list | tuple):
        return arm.options
    folder = Path.cwd() / arm.where.file.parent
    return {**arm.options, _NAMES_FILES: [folder / Path(str(name)).expanduser() for name in names]}
