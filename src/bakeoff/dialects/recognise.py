"""Finds out what a SPEC of the command line names, and in which format it is written."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from pydantic import BaseModel

from bakeoff.dialects.ablate.schema import AblateTask
from bakeoff.dialects.bundled import bundled_names
from bakeoff.dialects.harness_lab.load import find_suite
from bakeoff.dialects.harness_lab.schema import HarnessLabTask
from bakeoff.dialects.harness_lab.suite_schema import SuiteFile
from bakeoff.dialects.nodes import Mapping, Node
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.yaml import read_yaml
from bakeoff.errors import UserError, Where

_SUFFIXES = (".yaml", ".yml")
_TASKS = (".ablate", "tasks")
_EXAM_KEYS = frozenset({"kind", "assertions", "positive", "negative", "skill", "concurrency_group"})
_SWEEP_KEYS = frozenset({"factors", "base_variant", "optimizer"})
_LATER = "ablate and Harness Lab files can be run today"


class Kind(Enum):
    """What a file or directory is."""

    SUITE = "a Harness Lab suite"
    EXPERIMENT = "a Harness Lab experiment"
    TASK = "a Harness Lab task"
    ABLATE = "ablate tasks"
    EXAM = "agent-exam tasks"
    NATIVE = "a native suite"
    SWEEP = "a sweep or grow file"


_NOT_YET = (Kind.EXAM, Kind.NATIVE, Kind.SWEEP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """What a SPEC names.

    Attributes:
        path: the file or directory, absolute.
        node: what stands in the file; None for ablate tasks.
        files: the files of ablate tasks, by name.
        project: the directory that ablate tasks belong to.
    """

    kind: Kind
    path: Path
    node: Node | None = None
    files: tuple[Path, ...] = ()
    project: Path | None = None


def split_spec(spec: str, cwd: Path) -> tuple[str, str | None]:
    """A SPEC as what it names and the task that it selects: `suite.yaml::task`."""
    if os.path.exists(cwd / spec) or "::" not in spec:
        return spec, None
    base, _, rest = spec.partition("::")
    if not base or not rest or "::" in rest:
        raise UserError(
            f"{quoted(spec)} does not name a task",
            hint="write SPEC::task-id; cases belong to agent-exam suites, which are not supported yet",
        )
    return base, rest


def recognise(spec: str, cwd: Path, problems: Problems) -> Recognised | None:
    """What `spec` names, seen from `cwd`; None when its file cannot be read, which is recorded.

    Raises UserError when it names nothing, or something that is not supported yet.
    """
    if not spec:
        raise UserError("the name of the suite is empty", hint="leave it out for what is in this directory")
    if spec == "*":
        raise UserError("`*` names all agent-exam suites, which are not supported yet", hint=_LATER)
    path = Path(os.path.abspath(cwd / spec))
    if os.path.isdir(path) and not (spec in bundled_names() and _is_bare(path)):
        found: Recognised | None = _directory(path, problems)
    else:
        file = find_suite(cwd, spec)
        if file is None:
            raise UserError(f"there is no {quoted(spec)}", hint=_what_is_there(spec, path))
        found = _file(file, problems)
    if found is not None and found.kind in _NOT_YET:
        raise UserError(
            f"{problems.shown(Where(found.path))} is {found.kind.value}: not supported yet", hint=_LATER
        )
    return found


def _is_bare(folder: Path) -> bool:
    """Whether a directory that happens to be called like a bundled suite holds no suite or tasks itself."""
    names = ("suite.yaml", "suite.yml", _TASKS[0], "evals")
    return not any(os.path.exists(folder / name) for name in names)


def _what_is_there(spec: str, path: Path) -> str:
    try:
        beside = [each.name for each in path.parent.iterdir() if each.is_dir() or each.suffix in _SUFFIXES]
    except OSError:
        beside = []
    near = suggestion(path.name, beside)
    if near.startswith("did you mean"):
        written = spec.rstrip("/").removesuffix(path.name)
        return near.replace("`", f"`{written}", 1)
    near = suggestion(spec, bundled_names())
    if near.startswith("did you mean"):
        return near
    names = ", ".join(bundled_names())
    return (
        f"name a suite, experiment or task file, a project with .ablate/tasks, or a bundled suite ({names})"
    )


def _file(file: Path, problems: Problems) -> Recognised | None:
    if file.parent.parts[-2:] == _TASKS:
        return _ablate(file, [file], file.parents[2])
    node = read_yaml(file, problems)
    if node is None:
        return None
    kind = kind_of(node)
    if kind is None:
        raise UserError(
            "this is none of the formats that Bakeoff knows",
            where=problems.shown(node.where),
            hint="a suite has `name` and `tasks`; a Harness Lab task `repo` and `verification`; "
            "an ablate task `prompt` and `assert`",
        )
    if kind is Kind.ABLATE:
        return _ablate(file, [file], file.parent)
    return Recognised(kind=kind, path=file, node=node)


def kind_of(node: Node) -> Kind | None:
    """The format of a file, by its keys; None when they fit none."""
    keys = set(node.entries) if isinstance(node, Mapping) else set()
    if "bakeoff" in keys:
        return Kind.NATIVE
    if keys & _SWEEP_KEYS:
        return Kind.SWEEP
    if "suite" in keys:
        return Kind.EXPERIMENT
    suite, task, ablate = _keys(SuiteFile), _keys(HarnessLabTask), _keys(AblateTask)
    own = {
        Kind.SUITE: suite - task - ablate,
        Kind.TASK: task - suite - ablate,
        Kind.ABLATE: ablate - suite - task,
        Kind.EXAM: _EXAM_KEYS,
    }
    fits = {kind: len(keys & names) for kind, names in own.items()}
    best = max(fits, key=lambda kind: fits[kind])
    return best if fits[best] else None


def _keys(shape: type[BaseModel]) -> set[str]:
    return {info.alias or name for name, info in shape.model_fields.items()}


def _directory(folder: Path, problems: Problems) -> Recognised | None:
    for each in (folder, *folder.parents):
        found = _project(each, problems, is_named=each == folder)
        if found is not None:
            return found
        if os.path.lexists(each / ".git"):
            break
    shown = problems.shown(Where(folder)).file
    raise UserError(
        f"{shown if str(shown) != '.' else folder} holds no tasks",
        hint="name a suite or task file, or a project with .ablate/tasks",
    )


def _project(folder: Path, problems: Problems, *, is_named: bool) -> Recognised | None:
    """The tasks of a directory; of one that is only above the named one, less is looked at."""
    tasks = folder.joinpath(*_TASKS)
    if folder.parts[-2:] == _TASKS:
        tasks = folder
    elif folder.name == _TASKS[0]:
        tasks = folder / _TASKS[1]
    if tasks.is_dir():
        _warn_deeper(tasks, problems)
        return _ablate(tasks, _task_files(tasks), tasks.parents[1])
    if is_named:
        suites = [folder / f"suite{suffix}" for suffix in _SUFFIXES]
        found = next((file for file in suites if file.is_file()), None)
        if found is not None:
            return _file(found, problems)
    if (folder / "evals").is_dir():
        return Recognised(kind=Kind.EXAM, path=folder)
    files = _task_files(folder) if is_named else []
    if any(_holds_ablate_task(file) for file in files):
        return _ablate(folder, files, folder)
    return None


def _holds_ablate_task(file: Path) -> bool:
    node = read_yaml(file, Problems(cwd=file.parent))
    return node is not None and kind_of(node) is Kind.ABLATE


def _ablate(path: Path, files: list[Path], project: Path) -> Recognised:
    if not files:
        raise UserError(f"{path} holds no task file", hint="a task is a file NAME.yaml in this directory")
    return Recognised(kind=Kind.ABLATE, path=path, files=tuple(files), project=project)


def _task_files(folder: Path) -> list[Path]:
    """The YAML files directly in a directory; hidden ones are editors' left-overs."""
    return [each for each in _entries(folder) if each.suffix in _SUFFIXES and not each.name.startswith(".")]


def _warn_deeper(tasks: Path, problems: Problems) -> None:
    """Warn about directories of `.ablate/tasks` that hold YAML files."""
    for each in _entries(tasks):
        if each.is_dir() and any(inner.suffix in _SUFFIXES for inner in _entries(each)):
            problems.warning(
                Where(each), "holds YAML files that are not read", "tasks lie directly in .ablate/tasks"
            )


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise UserError(f"{folder} cannot be read: {os.strerror(error.errno or 0)}") from error
