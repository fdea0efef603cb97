"""Reads one suite of a project: `suite.yml` and the files of its `tasks`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from bakeoff.dialects.agent_exam.config import Config, read_settings, single_file
from bakeoff.dialects.agent_exam.fixtures import Fixtures
from bakeoff.dialects.agent_exam.project import SUFFIXES, TASKS
from bakeoff.dialects.agent_exam.schema import SuiteFile
from bakeoff.dialects.agent_exam.skills import Skills
from bakeoff.dialects.agent_exam.task import Surroundings, check_tags, read_task
from bakeoff.dialects.field_types import check_id
from bakeoff.dialects.nodes import Scalar, Sequence
from bakeoff.dialects.problems import Problems
from bakeoff.dialects.shapes import read_shape
from bakeoff.dialects.wording import Refusal
from bakeoff.dialects.yaml import read_yaml
from bakeoff.errors import Where
from bakeoff.model.suite import Task, Unsupported


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSuite:
    """One suite of a project.

    Attributes:
        name: of its folder.
        tags: those of `suite.yml`.
        tasks: in the order of their files' names; cases in the order of the file.
        unsupported: fields of `suite.yml` that `run` refuses.
    """

    name: str
    tags: tuple[str, ...]
    tasks: tuple[Task, ...]
    unsupported: tuple[Unsupported, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What `suite.yml` says."""

    tags: tuple[str, ...] = ()
    unsupported: tuple[Unsupported, ...] = ()


def read_suite(
    folder: Path, config: Config, fixtures: Fixtures, skills: Skills, problems: Problems
) -> ReadSuite:
    """The suite of a folder; what is wrong with it is recorded."""
    name = _checked(folder.name, folder, "the folder of a suite", problems)
    said = _read_suite_file(folder, config, skills, problems)
    around = Surroundings(suite=name, tags=said.tags, config=config, fixtures=fixtures, skills=skills)
    tasks: list[Task] = []
    first: dict[str, Path] = {}
    for file in task_files(folder, problems):
        stem = _checked(file.stem, file, "a task file", problems)
        if stem in first:
            problems.error(
                Where(file),
                f"a second task is called {stem!r}; the first is {first[stem].name}",
                "a task is called after its file, without the ending: rename one of them",
            )
        first.setdefault(stem, file)
        node = read_yaml(file, problems)
        if node is not None:
            tasks += read_task(stem, node, around, problems)
    if not first:
        problems.warning(Where(folder), "the suite holds no task", f"a task is a file {TASKS}/NAME.yaml")
    return ReadSuite(name=name, tags=said.tags, tasks=tuple(tasks), unsupported=said.unsupported)


def _checked(name: str, path: Path, what: str, problems: Problems) -> str:
    try:
        return check_id(name)
    except Refusal as refusal:
        problems.error(
            Where(path), f"the name of {what}: {refusal}", refusal.hint.replace("write", "rename it to")
        )
        return name


def _read_suite_file(folder: Path, config: Config, skills: Skills, problems: Problems) -> _Said:
    file = single_file(folder, "suite", problems)
    node = read_settings(file, "the file of a suite", problems) if file is not None else None
    said = read_shape(node, SuiteFile, problems) if node is not None else None
    if said is None or node is None:
        return _Said()
    check_tags(said.tags, node, config, problems)
    if not said.evaluated_skills:
        return _Said(tags=said.tags)
    written = node.at("evaluated_skills")
    items = written.items if isinstance(written, Sequence) else ()
    skills.require([item for item in items if isinstance(item, Scalar)], problems)
    where = problems.shown(node.key_where("evaluated_skills"))
    return _Said(tags=said.tags, unsupported=(Unsupported(field="evaluated_skills", where=where),))


def task_files(folder: Path, problems: Problems) -> list[Path]:
    """The task files of a suite's folder by name; hidden ones are editors' left-overs."""
    tasks = folder / TASKS
    if not tasks.is_dir():
        return []
    found = sorted(tasks.iterdir())
    for each in found:
        if each.is_dir() and any(inner.suffix in SUFFIXES for inner in each.iterdir()):
            problems.warning(
                Where(each), "holds YAML files that are not read", f"tasks lie directly in {TASKS}"
            )
    return [
        each
        for each in found
        if each.suffix in SUFFIXES and not each.name.startswith(".") and not each.is_dir()
    ]


def without_held_tags(task: Task, tags: frozenset[str]) -> Task:
    """The task, held back by none of `tags` any more."""
    return replace(task, held_back_by=tuple(tag for tag in task.held_back_by if tag not in tags))
