"""Finds the project around a path: its root, its folder of evals, and what pyproject.toml says."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.errors import Where
from bakeoff.model.suite import Unsupported

SECTION = "agent-exam"
EVALS = "evals"
TASKS = "tasks"
"""The folder of a suite that holds its tasks."""

SUFFIXES = (".yaml", ".yml")
_HOOK = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*")
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")
_KEYS = ("evals_dir", "pre_run_hook")


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project with evals.

    Attributes:
        root: the folder of its pyproject.toml, or the one that holds `evals`.
        evals: the folder with configuration, suites and fixtures; it may be missing.
        unsupported: the hook, if one is named.
    """

    root: Path
    evals: Path
    unsupported: tuple[Unsupported, ...] = ()

    @property
    def suites(self) -> Path:
        """The folder with one folder for each suite."""
        return self.evals / "suites"

    @property
    def fixtures(self) -> Path:
        """The folder with one folder for each fixture."""
        return self.evals / "fixtures"


def find_project(folder: Path, problems: Problems) -> Project | None:
    """The nearest project at or above a folder, up to the top of its git checkout; None without one."""
    for each in (folder, *folder.parents):
        found = project_at(each, problems)
        if found is not None:
            return found
        if os.path.lexists(each / ".git"):
            return None
    return None


def project_at(folder: Path, problems: Problems) -> Project | None:
    """The project whose root is this folder; None when it is none."""
    file = folder / "pyproject.toml"
    section, text = _section(file, problems)
    if section is None:
        is_project = any((folder / EVALS / name).exists() for name in ("suites", "config.yaml", "config.yml"))
        return Project(root=folder, evals=folder / EVALS) if is_project else None
    place = _Place(file=file, text=text)
    _refuse_unknown(section, place, problems)
    return Project(
        root=folder,
        evals=_evals(folder, section, place, problems),
        unsupported=_hook(section, place, problems),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where keys stand in pyproject.toml: its parser does not say."""

    file: Path
    text: str

    def of(self, key: str) -> Where:
        """The first line that sets a key below the section's heading; the heading, else."""
        lines = self.text.splitlines()
        heading = next((i for i, line in enumerate(lines) if SECTION in line), 0)
        for number, line in enumerate(lines[heading:], heading + 1):
            if re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
                return Where(self.file, number, len(line) - len(line.lstrip()) + 1)
        return Where(self.file, heading + 1, 1)


def _section(file: Path, problems: Problems) -> tuple[dict[str, object] | None, str]:
    """The table `[tool.agent-exam]` and the file's text; None when there is no such table."""
    if not file.is_file():
        return None, ""
    try:
        text = file.read_bytes().decode("utf-8")
        parsed = tomllib.loads(text)
    except UnicodeDecodeError:
        return None, ""
    except tomllib.TOMLDecodeError as error:
        # The pyproject.toml of a project that has nothing to do with this format is not our concern.
        if file.parent.joinpath(EVALS, "suites").is_dir():
            found = _PLACE.search(str(error))
            where = Where(file, int(found[1]), int(found[2])) if found else Where(file)
            problems.error(where, f"is not valid TOML: {_PLACE.sub('', str(error)).strip()}")
        return None, ""
    tools = parsed.get("tool")
    section = tools.get(SECTION) if isinstance(tools, dict) else None
    return (section, text) if isinstance(section, dict) else (None, text)


def _refuse_unknown(section: dict[str, object], place: _Place, problems: Problems) -> None:
    for key in section:
        if key not in _KEYS:
            problems.error(
                place.of(key), f"unknown key {quoted(f'tool.{SECTION}.{key}')}", suggestion(key, _KEYS)
            )


def _evals(root: Path, section: dict[str, object], place: _Place, problems: Problems) -> Path:
    said = section.get("evals_dir", EVALS)
    if not isinstance(said, str) or not said.strip():
        problems.error(place.of("evals_dir"), "`evals_dir` must be text", 'write `evals_dir = "evals"`')
        return root / EVALS
    evals = root / said
    if not Path(os.path.realpath(evals)).is_relative_to(os.path.realpath(root)):
        problems.error(
            place.of("evals_dir"),
            f"`evals_dir`: {quoted(said)} leaves the project",
            "the path is relative to pyproject.toml",
        )
        return root / EVALS
    if not evals.is_dir():
        problems.error(
            place.of("evals_dir"),
            f"`evals_dir`: {evals} is no directory",
            "the path is relative to pyproject.toml",
        )
    return Path(os.path.normpath(evals))


def _hook(section: dict[str, object], place: _Place, problems: Problems) -> tuple[Unsupported, ...]:
    if "pre_run_hook" not in section:
        return ()
    hook = section["pre_run_hook"]
    where = place.of("pre_run_hook")
    if not isinstance(hook, str) or not _HOOK.fullmatch(hook):
        problems.error(
            where, f"`pre_run_hook`: {quoted(str(hook))} is no function", "write `package.module:function`"
        )
    return (Unsupported(field="pre_run_hook", where=problems.shown(where)),)
