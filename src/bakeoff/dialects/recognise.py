"""Finds out what a SPEC of the command line names, and in which format it is written."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from pydantic import BaseModel

from bakeoff.dialects.agent_exam.project import project_at
from bakeoff.dialects.agent_exam.target import ALL, Target
from bakeoff.dialects.bundled import bundled_names, find_suite
from bakeoff.dialects.exam_spec import suite_names, target_of_path, target_of_word
from bakeoff.dialects.nodes import Mapping, Node
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.yaml import read_yaml
from bakeoff.errors import UserError, Where

_SUFFIXES = (".yaml", ".yml")
_SUITE_NAMES = ("bakeoff", "suite")
"""Names, without ending, of the suite of a directory; the first also stands for the directories below."""
_TASKS = (".ablate", "tasks")
_EXAM_KEYS = frozenset({"kind", "assertions", "positive", "negative", "skill", "concurrency_group"})
_SWEEP_KEYS = frozenset({"factors", "base_variant", "optimizer"})
_LATER = "native, ablate, agent-exam and Harness Lab files can be run today"


class Kind(Enum):
    """What a file or directory is."""

    SUITE = "a Harness Lab suite"
    EXPERIMENT = "a Harness Lab experiment"
    TASK = "a Harness Lab task"
    ABLATE = "ablate tasks"
    EXAM = "agent-exam tasks"
    NATIVE = "a native suite"
    NATIVE_TASK = "a native task"
    SWEEP = "a sweep or grow file"


_NOT_YET = (Kind.SWEEP,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """What a SPEC names.

    Attributes:
        path: the file or directory, absolute.
        node: what stands in the file; None for ablate tasks.
        files: the files of ablate tasks, by name.
        project: the directory that ablate tasks belong to.
        target: the part of an agent-exam project.
        task: the one task of any other format that is meant; None is all of them.
    """

    kind: Kind
    path: Path
    node: Node | None = None
    files: tuple[Path, ...] = ()
    project: Path | None = None
    target: Target | None = None
    task: str | None = None


def recognise(spec: str, cwd: Path, problems: Problems) -> Recognised | None:
    """What `spec` names, seen from `cwd`; None when its file cannot be read, which is recorded.

    A path that exists is meant as it is; else parts that follow `::` name a task, and in an
    agent-exam project a suite, a task and a case. Raises UserError when it names nothing, or
    something that is not supported yet.
    """
    if not spec:
        raise UserError("the name of the suite is empty", hint="leave it out for what is in this directory")
    if "::" not in spec or os.path.exists(cwd / spec):
        return _recognised(spec, cwd, problems)
    base, *parts = spec.split("::")
    if not base or not all(parts):
        raise UserError(f"{quoted(spec)} does not name a task", hint="write SPEC::task")
    found = _recognised(base, cwd, problems)
    if found is None:
        return None
    if found.target is not None:
        return replace(found, target=found.target.narrowed(tuple(parts), spec))
    if len(parts) > 1:
        raise UserError(
            f"{quoted(spec)} has too many parts",
            hint=f"write {base}::task; only agent-exam suites have cases",
        )
    return replace(found, task=parts[0])


def _recognised(spec: str, cwd: Path, problems: Problems) -> Recognised | None:
    path = Path(os.path.abspath(cwd / spec))
    target = target_of_word(spec, cwd, problems)
    if os.path.isdir(path) and not ((target or spec in bundled_names()) and _is_bare(path)):
        found: Recognised | None = _directory(path, problems)
    elif target is not None and not os.path.isfile(path):
        return _exam(target)
    elif spec == ALL:
        raise UserError(
            "`*` names all suites of an agent-exam project, and there is none here",
            hint="a project has its suites in evals/suites",
        )
    else:
        file = find_suite(cwd, spec)
        if file is None:
            raise UserError(f"there is no {quoted(spec)}", hint=_what_is_there(spec, cwd, problems))
        found = _file(file, problems)
    if found is not None and found.kind in _NOT_YET:
        raise UserError(
            f"{problems.shown(Where(found.path))} is {found.kind.value}: not supported yet", hint=_LATER
        )
    return found


def _exam(target: Target) -> Recognised:
    return Recognised(kind=Kind.EXAM, path=target.project.evals, target=target)


def _is_bare(folder: Path) -> bool:
    """Whether a directory that happens to be called like a bundled suite holds no suite or tasks itself."""
    names = (*(f"{name}{suffix}" for name in _SUITE_NAMES for suffix in _SUFFIXES), _TASKS[0], "evals")
    return not any(os.path.exists(folder / name) for name in names)


def _what_is_there(spec: str, cwd: Path, problems: Problems) -> str:
    path = Path(os.path.abspath(cwd / spec))
    suites = suite_names(cwd, problems)
    word, colon, rest = spec.partition(":")
    if colon and rest and (word in suites or word == ALL or os.path.exists(cwd / word)):
        return f"parts are separated by two colons: write `{word}::{rest}`"
    try:
        beside = [each.name for each in path.parent.iterdir() if each.is_dir() or each.suffix in _SUFFIXES]
    except OSError:
        beside = []
    near = suggestion(path.name, beside)
    if near.startswith("did you mean"):
        written = spec.rstrip("/").removesuffix(path.name)
        return near.replace("`", f"`{written}", 1)
    near = suggestion(spec, [*suites, *bundled_names()])
    if near.startswith("did you mean"):
        return near
    if suites:
        return f"suites of this project: {', '.join(suites)}"
    names = ", ".join(bundled_names())
    return (
        f"name a suite, experiment or task file, a project with .ablate/tasks, or a bundled suite ({names})"
    )


def _file(file: Path, problems: Problems) -> Recognised | None:
    if file.parent.parts[-2:] == _TASKS:
        return _ablate(file, [file], file.parents[2])
    target = target_of_path(file, problems)
    if target is not None:
        return _exam(target)
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
    if kind is Kind.NATIVE_TASK:
        raise UserError(
            "a native task belongs to a suite",
            where=problems.shown(Where(file)),
            hint="name the suite that lists it, and choose the task with --tasks; "
            "a file that begins with `bakeoff: 0` is a suite",
        )
    if kind is Kind.EXAM:
        raise UserError(
            "an agent-exam task belongs to a suite of a project",
            where=problems.shown(Where(file)),
            hint="put it into evals/suites/SUITE/tasks, beside the project's pyproject.toml",
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
    if {"checks", "prompt"} <= keys:
        return Kind.NATIVE_TASK
    if "suite" in keys:
        return Kind.EXPERIMENT
    from bakeoff.dialects.ablate.schema import AblateTask
    from bakeoff.dialects.harness_lab.schema import HarnessLabTask
    from bakeoff.dialects.harness_lab.suite_schema import SuiteFile

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
    target = target_of_path(folder, problems)
    if target is not None:
        return _exam(target)
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
    names = _SUITE_NAMES if is_named else _SUITE_NAMES[:1]
    suites = [folder / f"{name}{suffix}" for name in names for suffix in _SUFFIXES]
    found = next((file for file in suites if file.is_file()), None)
    if found is not None:
        return _file(found, problems)
    exam = project_at(folder, problems)
    if exam is not None:
        return _exam(Target(project=exam))
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
