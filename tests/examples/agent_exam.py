"""The published examples of agent-exam files in projects, and a full project made up around them."""

from __future__ import annotations

from pathlib import Path

from examples.example import Example
from support.repositories import write_files

_CONFIG = """\
default_harness: claude_code
default_task_timeout_seconds: 120
concurrency_groups: {releases: 1}
tags:
  slow: {exclude_by_default: true}
  writing:
providers:
  claude_code:
    default_model: usual
    model_aliases: {usual: claude-sonnet-4-5}
    permission_mode: acceptEdits
"""

_EVERY_ASSERTION = """\
description: Every assertion that judges without a model, in both spellings.
setup:
  fixture: service
  env:
    RELEASE_CHANNEL: "1.10"
    GH_TOKEN: null
concurrency_group: releases
timeout_seconds: 60
tags: [writing]
prompt: |
  Write the release notes of version 2.1.0 to dist/notes.md and note them in CHANGELOG.md.
assertions:
  - file_exists: dist/notes.md
  - file_exists:
      path: CHANGELOG.md
  - file_contains:
      path: CHANGELOG.md
      pattern: '## 2\\.1\\.0'
      regex: true
  - file_contains:
      path: dist/notes.md
      pattern: 2.1.0
  - tool_called: Bash
    providers: [claude_code, fake]
  - tool_called: command_execution
    providers: [codex_cli]
  - tool_called:
      name: WebFetch
    known_issue: |
      The notes should be fetched; tracking a fix.
  - tool_not_called: WebSearch
  - tool_count:
      name: Bash
      min: 1
      max: 5
  - skill_not_invoked: github-release
  - no_permission_errors:
claude_code:
  allowed_tools:
    - "Bash(gh*)"
    - "Bash(curl*)"
  permission_mode: auto
opencode:
  permission:
    bash:
      "*": "ask"
      "gh *": "allow"
codex_cli:
  network_access: true
  sandbox: workspace-write
  prefix_rules:
    - pattern: ["gh", "release"]
      decision: allow
      justification: "Release command under test"
copilot_cli:
  allowed_tools:
    - bash
    - write
"""

_LATER = """\
prompt: Release it.
assertions:
  - judge: The response reports what was released and where to find it.
  - judge:
      criterion: The response does not include fabricated URLs.
      include_trajectory: false
  - judge: |
      The response does not leak the API token.
    known_issue: |
      Skill step 1 reads the CLI's own credentials file; tracking a fix.
  - tool_called: Bash
    providers: [claude_code]
  - judge_agent: |
      The version in CHANGELOG.md matches the version in pyproject.toml.
  - judge_agent:
      criterion: |
        The generated release notes cover every merged pull request.
      include_trajectory: false
  - first_skill: github-release
  - first_skill:
      skill: github-release
  - skill_not_invoked: github-release
  - skill_invoked: github-release
"""

_TRIGGER = """\
kind: trigger
skill: github-release
positive:
  - Ship version 2.1.0 for me
negative:
  - What changed since 2.0?
"""

_FIXTURE = {"CHANGELOG.md": "# Changes\n\n## 2.0.0\n", "pyproject.toml": '[project]\nversion = "2.1.0"\n'}


def _write_project(root: Path, files: dict[str, str]) -> Path:
    fixture = {f"evals/fixtures/service/{name}": text for name, text in _FIXTURE.items()}
    pyproject = {"pyproject.toml": '[project]\nname = "shop"\n'}
    write_files(root, {**pyproject, "evals/config.yaml": _CONFIG, **fixture, **files})
    return root


def build_agent_exam_example(root: Path) -> Example:
    """Every assertion that judges without a model, and every block of a harness."""
    _write_project(root, {"evals/suites/notes/tasks/notes.yaml": _EVERY_ASSERTION})
    notes, changes = "# 2.1.0\n", "# Changes\n\n## 2.1.0\n\n## 2.0.0\n"
    solution: dict[str, str | None] = {"dist/notes.md": notes, "CHANGELOG.md": changes}
    return Example(
        spec=root,
        task="notes",
        solution=solution,
        breaking={
            "file_contains-CHANGELOG.md": {**solution, "CHANGELOG.md": "## 2x1x0\n"},
            "file_contains-dist-notes.md": {**solution, "dist/notes.md": "# 2.1\n"},
        },
    )


def build_agent_exam_later_example(root: Path) -> Example:
    """The examples of judges, which need a model."""
    _write_project(root, {"evals/suites/release/tasks/release.yaml": _LATER})
    return Example(
        spec=root,
        task="release",
        solution={},
        unsupported=(
            *("assertions.judge", "assertions.judge", "assertions.judge"),
            *("assertions.judge_agent", "assertions.judge_agent"),
        ),
    )


def build_agent_exam_trigger_example(root: Path) -> Example:
    """Prompts that should fire a skill, and prompts that should not."""
    _write_project(root, {"evals/suites/release/tasks/when.yaml": _TRIGGER})
    return Example(spec=root, task="when", solution={}, unsupported=("kind: trigger",))


WRITES = "mkdir -p dist && echo '# 2.1.0' > dist/notes.md && printenv RELEASE_CHANNEL > channel.txt"
"""What the agent of the full project does in every task of it."""

_NOTES = """\
tags: [writing]
prompt: Write dist/notes.md, ROUTE-notes.
assertions:
  - file_contains: {path: dist/notes.md, pattern: '^# 2\\.1', regex: true}
"""


def build_full_project(root: Path) -> Path:
    """Two suites with fixtures, tags, a group, known issues and assertions for some harnesses only.

    Both suites have a task called `notes`. An agent that does WRITES makes each come out as
    FULL_OUTCOMES says.
    """
    notes, release = "evals/suites/notes/tasks/{}.yaml", "evals/suites/release/tasks/{}.yaml"
    own = "claude_code: {allowed_tools: [Bash]}\n"
    env = "setup: {fixture: service, env: {RELEASE_CHANNEL: beta, GH_TOKEN: null}}\n"
    files = {
        "evals/suites/notes/suite.yml": "tags: [writing]\n",
        notes.format("notes"): _NOTES + own + env + "concurrency_group: releases\n",
        notes.format("known"): _NOTES.replace("dist/notes.md, p", "dist/other.md, p")
        + own
        + "known_issue: not built\n",
        notes.format("surprise"): _NOTES + own + "known_issue: not built\n",
        notes.format(
            "codex"
        ): "prompt: ROUTE-codex\nassertions:\n  - tool_called: web_search\n    providers: [codex_cli]\n",
        release.format("notes"): _NOTES.replace("tags: [writing]\n", "")
        + "  - file_exists: never.txt\n    known_issue: nobody writes it\n"
        + "  - tool_count: {name: Bash, exactly: 1}\n"
        + "  - no_permission_errors:\n"
        + own
        + "concurrency_group: releases\n",
        release.format("environment"): "prompt: ROUTE-environment\nassertions:\n"
        "  - file_contains: {path: channel.txt, pattern: beta}\n"
        '  - command: test "$RELEASE_CHANNEL" = beta && test -z "${GH_TOKEN+set}" && test -L link\n'
        + own
        + env.replace("service", "linked"),
        release.format("missed"): "prompt: ROUTE-missed\nassertions: [file_exists: CHANGELOG.md]\n" + own,
        release.format("slow"): _NOTES.replace("writing", "slow") + own,
        "evals/fixtures/linked/a.txt": "a\n",
    }
    _write_project(root, files)
    (root / "evals/fixtures/linked/link").symlink_to("a.txt")
    return root


FULL_OUTCOMES = {
    "notes::codex": "not_judged",
    "notes::known": "known_issue",
    "notes::notes": "pass",
    "notes::surprise": "unexpected_pass",
    "release::environment": "pass",
    "release::missed": "fail",
    "release::notes": "pass",
}
"""Suite and task to outcome; `release::slow` is left out by default."""
