"""Loads Harness Lab files: a suite, an experiment over a suite, or one task alone."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from bakeoff.dialects.bundled import bundled_names, find_suite
from bakeoff.dialects.harness_lab.suite_schema import ExperimentFile, SuiteFile
from bakeoff.dialects.harness_lab.task import ReadTask, make_tasks, read_task
from bakeoff.dialects.harness_lab.variants import Arms, read_arms
from bakeoff.dialects.nodes import Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.dialects.shapes import read_shape
from bakeoff.dialects.sources import Sources
from bakeoff.dialects.yaml import read_yaml
from bakeoff.model.suite import Dialect, Suite, Task, Unsupported

_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """A suite or experiment file: its nodes, and its fields as far as they can be read."""

    node: Mapping
    said: SuiteFile | ExperimentFile | None

    def items(self, key: str) -> tuple[Node, ...]:
        """The entries of a list, also when other parts of the file are wrong."""
        found = self.node.at(key) if key in self.node else None
        return found.items if isinstance(found, Sequence) else ()


def load_suite(file: Path, node: Node, problems: Problems) -> Suite | None:
    """A suite file; None when there is an error."""
    said = read_shape(node, SuiteFile, problems)
    return _load(file, _Written(node=node, said=said), None, problems) if isinstance(node, Mapping) else None


def load_experiment(file: Path, node: Node, problems: Problems) -> Suite | None:
    """An experiment file with the suite that it names; None when there is an error."""
    said = read_shape(node, ExperimentFile, problems)
    if said is None or not isinstance(node, Mapping):
        return None
    suite_file = find_suite(file.parent, said.suite)
    if suite_file is None:
        problems.error(
            node.at("suite").where,
            f"`suite`: there is neither a file {quoted(said.suite)} nor a bundled suite of that name",
            suggestion(said.suite, bundled_names()) or "the path is relative to this file",
        )
        return None
    suite_node = read_yaml(suite_file, problems)
    if not isinstance(suite_node, Mapping) or "suite" in suite_node:
        if suite_node is not None:
            problems.error(node.at("suite").where, f"`suite`: {suite_file} is not a suite")
        return None
    suite = _Written(node=suite_node, said=read_shape(suite_node, SuiteFile, problems))
    return _load(suite_file, suite, _Written(node=node, said=said), problems)


def load_task_alone(file: Path, node: Node, problems: Problems) -> Suite | None:
    """A task file as a suite of its own, with the built-in variants; None when there is an error."""
    sources = Sources(problems=problems)
    read = read_task(node, sources, problems)
    tasks = make_tasks([read] if read else [], [file], sources, problems)
    arms = read_arms((), {}, (), problems)
    if problems.has_errors:
        return None
    return Suite(
        name=tasks[0].id,
        path=file,
        dialect=Dialect.HARNESS_LAB,
        tasks=tasks,
        arms=arms.selected,
        known_arms=arms.known,
    )


def _load(file: Path, suite: _Written, experiment: _Written | None, problems: Problems) -> Suite | None:
    sources = Sources(problems=problems)
    files = [file, *([experiment.node.file] if experiment else [])]
    tasks = make_tasks(_read_tasks(file, suite, sources, problems), files, sources, problems)
    plugins, unsupported = _read_plugins([suite, *([experiment] if experiment else [])], problems)
    arms = read_arms(
        [suite.items("variants"), *([experiment.items("variants")] if experiment else [])],
        _read_defaults(suite),
        plugins,
        problems,
    )
    if experiment is not None:
        tasks = _chosen(tasks, experiment, problems)
    if problems.has_errors:
        return None
    assert isinstance(suite.said, SuiteFile)
    loaded = _made(file, suite.said, tasks, arms)
    loaded = replace(loaded, plugins=plugins, unsupported=unsupported)
    if experiment is None:
        return loaded
    assert isinstance(experiment.said, ExperimentFile)
    return replace(
        loaded,
        experiment_name=experiment.said.name,
        description=experiment.said.description or loaded.description,
        repeats=experiment.said.repetitions,
        jobs=experiment.said.parallelism,
        keep_workspaces=experiment.said.keep_worktrees,
    )


def _made(file: Path, said: SuiteFile, tasks: tuple[Task, ...], arms: Arms) -> Suite:
    return Suite(
        name=said.name,
        path=file,
        dialect=Dialect.HARNESS_LAB,
        tasks=tasks,
        arms=arms.selected,
        known_arms=arms.known,
        description=said.description,
    )


def _read_tasks(file: Path, suite: _Written, sources: Sources, problems: Problems) -> list[ReadTask]:
    found = []
    lines: dict[Path, int] = {}
    for entry in suite.items("tasks"):
        if not isinstance(entry, Scalar):
            continue
        path = Path(os.path.abspath(file.parent / entry.text))
        if path in lines:
            problems.error(
                entry.where,
                f"the task file {quoted(entry.text)} stands twice; the first is in line {lines[path]}",
                "keep one of the two",
            )
            continue
        lines[path] = entry.line
        if not os.path.isfile(path):
            what = "is not a file" if os.path.exists(path) else "does not exist"
            problems.error(entry.where, f"`tasks`: {path} {what}", "the path is relative to the suite file")
            continue
        node = read_yaml(path, problems)
        read = read_task(node, sources, problems) if node is not None else None
        if read is not None:
            found.append(read)
    return found


def _read_defaults(suite: _Written) -> dict[str, Node]:
    found = suite.node.at("defaults") if "defaults" in suite.node else None
    return {entry.key.text: entry.value for entry in found} if isinstance(found, Mapping) else {}


def _read_plugins(
    files: list[_Written], problems: Problems
) -> tuple[tuple[str, ...], tuple[Unsupported, ...]]:
    """The modules that are named, and the places that name some: `run` cannot import them yet."""
    names: list[str] = []
    unsupported = []
    for each in files:
        entries = [entry for entry in each.items("plugins") if isinstance(entry, Scalar)]
        if entries:
            place = problems.shown(each.node.key_where("plugins"))
            unsupported.append(Unsupported(field="plugins", where=place))
        for entry in entries:
            if not _MODULE.fullmatch(entry.text):
                problems.error(
                    entry.where,
                    f"`plugins`: {quoted(entry.text)} is not the name of a Python module",
                    "write it as in `import`: `package.module`",
                )
            names.append(entry.text)
    return tuple(dict.fromkeys(names)), tuple(unsupported)


def _chosen(tasks: tuple[Task, ...], experiment: _Written, problems: Problems) -> tuple[Task, ...]:
    """The tasks that the experiment names, in the suite's order; all when it names none."""
    if "tasks" not in experiment.node:
        return tasks
    wanted = [entry for entry in experiment.items("tasks") if isinstance(entry, Scalar)]
    known = [task.id for task in tasks]
    for entry in wanted:
        # With an error elsewhere, a task may be missing only because it could not be read.
        if entry.text not in known and not problems.has_errors:
            problems.error(
                entry.where,
                f"`tasks`: the suite has no task {quoted(entry.text)}",
                suggestion(entry.text, known),
            )
    names = {entry.text for entry in wanted}
    return tuple(task for task in tasks if task.id in names)
