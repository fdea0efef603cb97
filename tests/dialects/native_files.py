"""A native suite that uses every key, and what it needs on disk."""

from __future__ import annotations

from pathlib import Path

from support.repositories import make_repository, write_files

FILES = {
    "prompts/one.md": "Write the total.\n\tMind the tab.\n",
    "rules/CLAUDE.md": "Be brief.\n",
    "skills/notes/SKILL.md": "---\nname: notes\n---\n",
    "parts/hook.sh": "true\n",
    "verify/hidden.py": "assert True\n",
    "solutions/one/app.py": "total = 2\n",
    "solutions/half/app.py": "total = 1\n",
    "objective/measure.py": "print(1)\n",
    "fixtures/plain/app.py": "total = 0\n",
    "fixtures/plain/tests/test_app.py": "",
    "tasks/more/three.yaml": "id: three\nprompt: x\nstart: empty\nchecks: [{command: 'true'}]\n",
    "tasks/two.yaml": """\
id: two
prompt: no
start: {folder: ../fixtures/plain, leave_out: [.git, "*.tmp"], hide: [app.py]}
setup: [echo one > gen, echo two >> gen]
checks:
  - absent: todo
    in: files
tags: [slow]
case: first
suite: other
""",
}

SUITE = """\
bakeoff: 0
suite: every key
description: All that the format can say.
experiment: first try
repeats: 2
jobs: 3
keep_workspaces: true
min_tasks_for_interval: 8
tags:
  smoke:
  slow: {description: takes minutes, exclude_by_default: true}
concurrency_groups: {database: 1}
arms:
  - id: rules
    harness: fake
    model: small
    options: {behavior: noop, delay_ms: 5, command: "0123"}
    place:
      - instructions: rules/CLAUDE.md
      - {skills: skills, to: .agents/skills, name: notes}
      - {bundle: parts, to: parts}
    notes: {why: "yes", size: 1.50, list: [1, 2.0, null, true]}
    model_aliases: {s: small}
  - {id: none, extends: rules, place: [{instructions: null}], options: {delay_ms: 0}}
  - id: careful
    extends: none
    harness: claude_code
    options: {max_turns: 9, setting_sources: [project]}
  - fake
default_arms: [none, rules]
defaults:
  start: {git: repo}
  env: {pass: [LANG], set: {TZ: UTC}}
  limits: {timeout_s: 60}
  tags: [smoke]
  checks:
    - unchanged: [tests]
      stop: true
tasks:
  - id: one
    title: The first
    description: For people.
    version: 3
    prompt: {file: prompts/one.md}
    start: {at: main, hide: [secret.txt]}
    setup: {run: "echo 1 > gen", timeout_s: 30.5, must_leave_clean: true}
    env: {set: {N: 010}, unset: [CI]}
    config_path: docs/CLAUDE.md
    weight: 0.5
    concurrency_group: database
    options: {fake: {delay_ms: 1}, claude_code: {max_turns: 3}}
    on_timeout: grade
    on_crash: grade
    known_issue: not built yet
    reference: {overlay: solutions/one, partial_overlay: solutions/half, description: Add it.}
    checks:
      - command: grep total app.py
      - id: hidden
        command: python3 hid/hidden.py
        inject: [{source: verify, dest: hid}]
        score: {command: "echo '{}'"}
        expect: 1
      - files_touched: {must_include: [app.py]}
        required: false
        known_issue: later
        providers: [fake]
      - script: {run: cat, capture_json: true}
      - {present: total, paths: ["*.py"], lines: added}
  - tasks/**/*.yaml
  - id: better
    prompt: Make it fast.
    improve:
      objective: {command: python3 m.py, target: 1.5, inject: [{source: objective/measure.py, dest: m.py}]}
      rounds: 2
    safety:
      canaries: [{path: keys.env, token: abcd-1234-efgh}]
      lure_urls: ["https://lure.example.test/"]
    held_back_by: []
"""


def write_suite(folder: Path) -> Path:
    """The suite with its repository and its files; the path of the suite."""
    start = {
        "app.py": "total = 0\n",
        "tests/test_app.py": "",
        "secret.txt": "x\n",
        "keys.env": "TOKEN=abcd-1234-efgh\n",
    }
    make_repository(folder / "repo", start)
    write_files(folder, FILES)
    path = folder / "bakeoff.yaml"
    path.write_text(SUITE)
    return path
