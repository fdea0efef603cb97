"""Real files of every format, spoilt: loading ends with a suite or with problems that have places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from dialects.fuzzed import load_or_problems
from dialects.native_files import SUITE, write_suite
from hypothesis import given
from hypothesis import strategies as st
from support.fuzzing import Spoil, changes, examples, spoil_all, spoiled, with_changes
from support.repositories import make_repository, write_files

CONFIG = """\
default_harness: claude_code
skills_dirs: [./skills]
default_task_timeout_seconds: 9.5
concurrency_groups: {github: 2}
tags: {slow: {exclude_by_default: true}, smoke: null}
providers:
  claude_code: {default_model: m, model_aliases: {s: m}, extra_args: [--x], permission_mode: acceptEdits}
  codex_cli: {writable_roots: [/srv], network_access: true}
  opencode: {pure: false}
judge: {provider: claude_code, model: m, pass_on: [pass], timeout_seconds: 5}
"""
SUITE_FILE = "tags: [smoke]\nskills_dirs: [./skills]\n"
EXECUTE = """\
description: for people
setup:
  fixture: small
  env: {TOKEN: null, GREETING: "hello", VERSION: '1.10'}
concurrency_group: github
timeout_seconds: 2.5
tags: [smoke]
known_issue: not built yet
prompt: Write hello.txt.
assertions:
  - file_exists: {path: a.txt}
  - file_contains: {path: a.txt, pattern: '## 2', regex: true}
  - tool_called: Bash
    providers: [claude_code, fake]
    known_issue: flaky
  - tool_count: {name: WebFetch, min: 1, max: 5}
  - skill_invoked: {skill: release}
  - no_permission_errors:
  - judge: {criteria: good}
  - command: test -f a.txt
claude_code: {allowed_tools: ["Bash(gh*)"], permission_mode: bypassPermissions}
opencode: {permission: {bash: {"*": ask}, edit: allow}}
codex_cli: {network_access: true, sandbox: workspace-write, writable_roots: ["~/x"]}
copilot_cli: {allowed_tools: [shell]}
"""
TRIGGER = "kind: trigger\nskill: greet\npositive: [say hello]\nnegative: [make coffee]\ntags: [slow]\n"
EXAM = {
    "evals/config.yaml": CONFIG,
    "evals/suites/s/suite.yml": SUITE_FILE,
    "evals/suites/s/tasks/run.yaml": EXECUTE,
    "evals/suites/s/tasks/fire.yml": TRIGGER,
}
ABLATE = """\
id: t
prompt: |
  Do it.
base_commit: HEAD
setup: make
hide: ["a*"]
assert:
  - {id: a, type: exit_code, run: x, expect: 0}
  - id: b
    type: present
    pattern: "x+"
    in: diff
"""
LAB_TASK = """\
id: t
name: T
repo: {path: repo}
prompt: x
verification:
  command: x
  inject: [{source: task.yaml, dest: x}]
  protected_paths: [x]
limits: {agent_timeout_seconds: 5}
"""
LAB_SUITE = "name: s\ntasks: [task.yaml]\nvariants: [fake-noop, {id: v, runner: claude, max_turns: 3}]\n"

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def dumped(value: Any) -> str:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True)


@pytest.fixture(scope="module")
def exam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("exam")
    write_files(
        root,
        {**EXAM, "evals/fixtures/small/a.txt": "a\n", "skills/greet/SKILL.md": "---\nname: greet\n---\n"},
    )
    return root


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("native")
    write_suite(root)
    return root


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_repository(tmp_path_factory.mktemp("others") / "project", {"a": "1"})
    write_files(root, {"repo/a": "1", "task.yaml": LAB_TASK, "suite.yaml": LAB_SUITE})
    return root


@examples(60)
@given(name=st.sampled_from(sorted(EXAM)), changed=changes)
def test_any_agent_exam_file(exam: Path, name: str, changed: list[tuple[int, Any]]) -> None:
    write_files(exam, {**EXAM, name: dumped(with_changes(yaml.safe_load(EXAM[name]), changed))})
    load_or_problems(".", exam)


@examples(50)
@given(changed=changes)
def test_any_native_suite(native: Path, changed: list[tuple[int, Any]]) -> None:
    write_files(native, {"bakeoff.yaml": dumped(with_changes(yaml.safe_load(SUITE), changed))})
    load_or_problems("bakeoff.yaml", native)


@examples(40)
@given(name=st.sampled_from(sorted(EXAM)), ways=spoiled)
def test_any_bytes_of_an_agent_exam_file(exam: Path, name: str, ways: list[Spoil]) -> None:
    write_files(exam, EXAM)
    (exam / name).write_bytes(spoil_all(EXAM[name].encode(), ways))
    load_or_problems(".", exam)


@examples(40)
@given(ways=spoiled)
def test_any_bytes_of_a_native_suite(native: Path, ways: list[Spoil]) -> None:
    (native / "bakeoff.yaml").write_bytes(spoil_all(SUITE.encode(), ways))
    load_or_problems("bakeoff.yaml", native)


@examples(40)
@given(which=st.sampled_from(["ablate", "task", "suite"]), ways=spoiled)
def test_any_bytes_of_ablate_and_harness_lab_files(others: Path, which: str, ways: list[Spoil]) -> None:
    files = {
        "ablate": (".ablate/tasks/t.yaml", ABLATE, ".ablate"),
        "task": ("task.yaml", LAB_TASK, "task.yaml"),
        "suite": ("suite.yaml", LAB_SUITE, "suite.yaml"),
    }
    write_files(others, {name: text for name, text, _ in files.values()})
    name, text, spec = files[which]
    (others / name).write_bytes(spoil_all(text.encode(), ways))
    load_or_problems(spec, others)
