"""The first suite in each of the four formats."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

from bakeoff.dialects.scaffold.project import Project
from bakeoff.dialects.scaffold.suite import DONE, PROMPT, TASK, Scaffold, failing, quoted

Make = Callable[[Project, Path], Scaffold]


def native(project: Project, folder: Path) -> Scaffold:
    """One file that says everything."""
    repository = os.path.relpath(project.top, folder)
    text = f"""\
# A suite in Bakeoff's own format. What stands in <angle brackets> is for you to write.
bakeoff: 0
suite: {quoted(project.name)}

arms:
  - id: idle # does nothing, and so must fail every task
    harness: fake
    options: {{behavior: noop}}
  - id: claude
    harness: claude_code
    options: {{max_turns: 40, permission_mode: acceptEdits, allowed_tools: [Bash, Read, Edit, Write, Glob, Grep]}}
default_arms: [claude]

tasks:
  - id: {TASK}
    prompt: |
      {PROMPT}
    start:
      git: {quoted(repository)}
      at: {project.needed_commit()}
{_setup(project, "    setup: {}")}    limits: {{timeout_s: 600}}
    checks:
{_tests(project, "      - id: tests # what works today must go on working", "        command: {}")}\
      - id: done
        command: {quoted(failing(DONE))}
"""
    return Scaffold(
        folder=folder,
        files={"bakeoff.yaml": text},
        suite="bakeoff.yaml",
        idle="bakeoff.yaml --arm idle",
        real="bakeoff.yaml --arm claude -k 3",
    )


def harness_lab(project: Project, folder: Path) -> Scaffold:
    """A suite and a task of the Harness Lab format."""
    place = Path("suites", project.name)
    repository = os.path.relpath(project.top, folder / place / "tasks")
    suite = f"""\
name: {quoted(project.name)}
tasks:
  - tasks/{TASK}.yaml
"""
    done = failing(DONE)
    command = f"{project.test.command} && {{ {done}; }}" if project.test else done
    source = f" The first part is the project's own tests ({project.test.source})." if project.test else ""
    task = f"""\
# What stands in <angle brackets> is for you to write.
id: {TASK}
name: First task
repo:
  path: {quoted(repository)}
  base_ref: {project.needed_commit()}
prompt: |
  {PROMPT}
{_setup(project, "setup: {{commands: [{}]}}")}verification:
  # Exit code 0 means that the task is solved.{source}
  command: {quoted(command)}
  timeout_seconds: 600
  # Tests that the agent must not see go beside this file, and are laid down when it is gone:
  # inject: [{{source: ../hidden, dest: hidden}}]
  # An agent that changes these fails:
  # protected_paths: [tests]
limits:
  agent_timeout_seconds: 600
"""
    path = f"{place}/suite.yaml"
    return Scaffold(
        folder=folder,
        files={path: suite, f"{place}/tasks/{TASK}.yaml": task},
        suite=shlex.quote(path),
        idle=f"{shlex.quote(path)} --arm fake-noop",
        real=f"{shlex.quote(path)} --arm claude-default -k 3",
    )


def ablate(project: Project, folder: Path) -> Scaffold:
    """A task of the ablate format."""
    task = f"""\
# What stands in <angle brackets> is for you to write.
id: {TASK}
description: ""
base_commit: {quoted(project.needed_commit())}
{_setup(project, "setup: {}")}timeout_s: 600
prompt: |
  {PROMPT}
# Files that the agent must not see, such as the answer:
# hide: [tests/test_answer.py]
assert:
{_tests(project, "  - id: tests # what works today must go on working", "    type: exit_code", "    run: {}")}\
  - id: done
    type: exit_code
    run: {quoted(failing(DONE))}
"""
    return Scaffold(
        folder=folder,
        files={f".ablate/tasks/{TASK}.yaml": task},
        suite=".",
        idle=". --harness fake -o behavior=noop",
        real=". -k 3",
    )


def agent_exam(_project: Project, folder: Path) -> Scaffold:
    """A project of the agent-exam format with one suite, one task and its fixture."""
    config = """\
default_harness: claude_code
default_task_timeout_seconds: 300
tags: {}
"""
    suite = """\
tags: []
"""
    task = f"""\
# What stands in <angle brackets> is for you to write.
kind: execute
prompt: |
  {PROMPT}
setup:
  fixture: {TASK} # the agent starts with a copy of evals/fixtures/{TASK}
assertions:
  - file_contains:
      path: README.md
      pattern: "<fill in: a text that only the finished work leaves in this file>"
"""
    fixture = """\
# A fixture

Replace this by the files that the agent is to start with.
"""
    return Scaffold(
        folder=folder,
        files={
            "evals/config.yaml": config,
            "evals/suites/first/suite.yml": suite,
            f"evals/suites/first/tasks/{TASK}.yaml": task,
            f"evals/fixtures/{TASK}/README.md": fixture,
        },
        suite="first",
        idle="first --harness fake -o behavior=noop",
        real="first -k 3",
        uses_tests=False,
    )


FORMATS: Mapping[str, Make] = {
    "native": native,
    "ablate": ablate,
    "agent-exam": agent_exam,
    "harness-lab": harness_lab,
}
"""Format to what writes its first suite."""


def _setup(project: Project, line: str) -> str:
    """A line that installs what tests need, as a comment: whether it is needed is not known."""
    if project.test is None or not project.test.install:
        return ""
    first = line.format(quoted(project.test.install))
    margin = " " * (len(first) - len(first.lstrip()))
    return f"""\
{margin}# Workspaces are fresh copies. If the tests need what is installed first:
{margin}# {first.lstrip()}
"""


def _tests(project: Project, *lines: str) -> str:
    """The lines of a check that runs the project's own tests; none where they are not known."""
    if project.test is None:
        return ""
    return "".join(f"{line.format(quoted(project.test.command))}\n" for line in lines)
