"""Whatever a file holds, loading ends with a suite or with problems that have places; never otherwise."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from dialects.fuzzed import load_or_problems
from hypothesis import given
from hypothesis import strategies as st
from support.fuzzing import changes, examples, values, with_changes
from support.repositories import make_repository, write_files

from bakeoff.dialects.field_types import check_id, nearest_id
from bakeoff.dialects.nodes import Mapping, Node, Scalar, Sequence
from bakeoff.dialects.problems import Problems
from bakeoff.dialects.yaml import parse_yaml, read_yaml

SETTINGS = examples(60)

ABLATE = {
    "id": "t",
    "prompt": "x",
    "base_commit": "HEAD",
    "setup": "make",
    "timeout_s": 5,
    "config_path": "C.md",
    "hide": ["a*"],
    "weight": 1,
    "tags": ["x"],
    "assert": [
        {"id": "a", "type": "exit_code", "run": "x", "expect": 0, "timeout_s": 3},
        {"id": "b", "type": "files_touched", "must_include": ["x"], "must_not_include": ["y"]},
        {"id": "c", "type": "present", "pattern": "x", "paths": ["x"], "in": "diff"},
        {"id": "d", "type": "script", "run": "x", "capture_json": True, "required": False},
        {"id": "e", "type": "command", "run": "x", "inject": [{"source": "t.yaml", "dest": "x"}]},
        {"id": "f", "type": "unchanged", "paths": ["x"]},
    ],
}
LAB = {
    "id": "t",
    "name": "T",
    "version": 1,
    "repo": {"path": "repo", "base_ref": "HEAD"},
    "prompt": "x",
    "setup": {"commands": ["x"], "timeout_seconds": 5},
    "verification": {
        "command": "x",
        "score_command": "x",
        "timeout_seconds": 5,
        "inject": [{"source": "task.yaml", "dest": "x"}],
        "protected_paths": ["x"],
        "visible_command": "x",
    },
    "limits": {"agent_timeout_seconds": 5},
    "tags": ["x"],
    "reference_solution": {"overlay": "repo", "improve_overlays": ["repo"], "description": "x"},
    "improve": {"objective": {"command": "x", "target": 1}, "rounds": 2, "evaluator": {"budget": 1}},
    "safety": {"canaries": [{"path": "a", "token": "12345678"}], "lure_urls": ["http://x.test"]},
}
SUITE = {
    "name": "s",
    "plugins": ["p"],
    "tasks": ["task.yaml"],
    "variants": [
        "fake-noop",
        {"id": "v", "runner": "claude", "max_turns": 3, "harness": "repo", "context_policy": {"a": 1}},
        {"id": "w", "runner": "fake", "behavior": "solve", "script": [{"text": "x"}]},
    ],
    "defaults": {"*": {"max_turns": 2}, "fake": {"delay_ms": 1}},
}
EXPERIMENT = {"suite": "suite.yaml", "name": "e", "repetitions": 2, "variants": ["v"], "tasks": ["t"]}


@SETTINGS
@given(
    st.binary(max_size=200) | st.text(alphabet="ab:-[]{}&*!|>'\"%@`#, \n\t?\\<~", max_size=60).map(str.encode)
)
def test_any_bytes(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "x.yaml"
        file.write_bytes(data)
        problems = Problems(cwd=Path(name))

        root = read_yaml(file, problems)

        assert (root is None) <= problems.has_errors
        load_or_problems("x.yaml", Path(name))


@SETTINGS
@given(values)
def test_nodes_hold_what_was_written(value: Any) -> None:
    problems = Problems(cwd=Path("/"))
    text = yaml.safe_dump(value, allow_unicode=True)

    root = parse_yaml(text, Path("/x.yaml"), problems)

    if root is None:
        assert problems.has_errors or text.strip() in {"null", "null\n...", "''"}
    elif not problems.has_errors:
        assert as_python(root) == yaml.load(text, Loader=yaml.BaseLoader)


def as_python(node: Node) -> Any:
    """The value of a node, every scalar its source text, as PyYAML's BaseLoader gives it."""
    if isinstance(node, Mapping):
        return {entry.key.text: as_python(entry.value) for entry in node}
    if isinstance(node, Sequence):
        return [as_python(item) for item in node.items]
    assert isinstance(node, Scalar)
    return node.text


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_repository(tmp_path_factory.mktemp("fuzz") / "project", {"a": "12345678"})
    write_files(root, {".ablate/tasks/t.yaml": "", "repo/a": "12345678"})
    return root


@SETTINGS
@given(changes=changes)
def test_any_ablate_task(project: Path, changes: list[tuple[int, Any]]) -> None:
    text = yaml.safe_dump(with_changes(ABLATE, changes), sort_keys=False, allow_unicode=True)
    write_files(project, {".ablate/tasks/t.yaml": text})

    load_or_problems(".", project)


@SETTINGS
@given(task=changes, suite=changes, experiment=changes, which=st.integers(0, 6))
def test_any_harness_lab_files(project: Path, task: Any, suite: Any, experiment: Any, which: int) -> None:
    # Mostly one file is wrong, so that the others are read to their end.
    changed = (which in {0, 3, 4}, which in {1, 3}, which in {2, 4})
    files = {
        "task.yaml": with_changes(LAB, task) if changed[0] else LAB,
        "suite.yaml": with_changes(SUITE, suite) if changed[1] else SUITE,
        "e.yaml": with_changes(EXPERIMENT, experiment) if changed[2] else EXPERIMENT,
    }
    texts = {
        name: yaml.safe_dump(value, sort_keys=False, allow_unicode=True) for name, value in files.items()
    }
    write_files(project, texts)

    for spec in ("task.yaml", "suite.yaml", "e.yaml"):
        load_or_problems(spec, project)


@SETTINGS
@given(st.text(max_size=120))
def test_the_nearest_id_is_an_id(text: str) -> None:
    near = nearest_id(text)

    assert check_id(near) == near
    assert nearest_id(near) == near
