"""Every kind of check by the key that it has in native YAML."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bakeoff.checks.command import Command
from bakeoff.checks.diff import FilesTouched, Unchanged
from bakeoff.checks.script import Script
from bakeoff.checks.text import Absent, Present
from bakeoff.model.check import Check

CHECKS: Mapping[str, type[Check]] = MappingProxyType(
    {
        "command": Command,
        "script": Script,
        "files_touched": FilesTouched,
        "unchanged": Unchanged,
        "present": Present,
        "absent": Absent,
    }
)
