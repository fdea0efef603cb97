"""Every kind of check by the key that it has in native YAML."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bakeoff.checks.command import Command
from bakeoff.checks.diff import FilesTouched, Unchanged
from bakeoff.checks.files import FileContains, FileExists
from bakeoff.checks.permissions import NoPermissionErrors
from bakeoff.checks.script import Script
from bakeoff.checks.skills import FirstSkill, SkillInvoked, SkillNotInvoked
from bakeoff.checks.text import Absent, Present
from bakeoff.checks.tools import ToolCalled, ToolCount, ToolNotCalled
from bakeoff.model.check import Check

CHECKS: Mapping[str, type[Check]] = MappingProxyType(
    {
        "command": Command,
        "script": Script,
        "files_touched": FilesTouched,
        "unchanged": Unchanged,
        "present": Present,
        "absent": Absent,
        "file_exists": FileExists,
        "file_contains": FileContains,
        "tool_called": ToolCalled,
        "tool_not_called": ToolNotCalled,
        "tool_count": ToolCount,
        "first_skill": FirstSkill,
        "skill_invoked": SkillInvoked,
        "skill_not_invoked": SkillNotInvoked,
        "no_permission_errors": NoPermissionErrors,
    }
)
