"""Native suites from end to end: placements, checks, limits and tags do what they say."""

from __future__ import annotations

from pathlib import Path

from support.bakeoff_run import Project, bakeoff
from support.repositories import make_repository, write_files

SUITE = """\
bakeoff: 0
suite: billing
tags: {slow: {exclude_by_default: true}}
arms:
  - id: with-rules
    harness: fake
    options:
      script:
        - run: "git status --short > ../status; mv ../status .; grep -s brief CLAUDE.md > heard.txt; ls skills-here > skills.txt"
        - {write: app.py, content: "total = 2\\n"}
    place:
      - instructions: rules/CLAUDE.md
      - {skills: skills, to: skills-here}
  - {id: without, extends: with-rules, place: [{instructions: null}]}
default_arms: [with-rules, without]
defaults:
  start: {git: repo}
  setup: echo done > ready.txt
  checks: [{unchanged: [ready.txt]}]
tasks:
  - id: total
    prompt: {file: prompts/total.md}
    start: {hide: [CLAUDE.md]}
    env: {set: {VERSION: 1.10}}
    checks:
      - {id: hidden, command: PYTHONPATH=. python3 hid/check.py, inject: [{source: verify, dest: hid}]}
      - {id: heard, present: Be brief, in: files, paths: [heard.txt]}
      - {id: env, command: test "$VERSION" = 1.10}
      - {id: later, absent: total, required: false}
      - {id: unmet, absent: total, known_issue: not yet}
      - {id: other, absent: total, providers: [claude_code]}
      - {id: quiet, command: "grep -q notes skills.txt && ! grep -v ready.txt status"}
  - {id: slow, prompt: x, tags: [slow]}
"""


def test_arms_differ_by_what_is_laid_before_them(tmp_path: Path) -> None:
    make_repository(tmp_path / "repo", {"app.py": "total = 0\n", "CLAUDE.md": "Be verbose.\n"})
    files = {
        "rules/CLAUDE.md": "Be brief.\n",
        "skills/notes/SKILL.md": "---\nname: notes\n---\n",
        "prompts/total.md": "Mend the total.\n",
        "verify/check.py": "import app\nassert app.total == 2\n",
        "bakeoff.yaml": SUITE,
    }
    write_files(tmp_path, files)

    valid = bakeoff("validate", cwd=tmp_path)
    assert valid.code == 0, valid.story
    assert "1 valid suite, 2 tasks" in valid.err
    done = bakeoff("run", ".", "--home", tmp_path / ".bakeoff", cwd=tmp_path)

    assert done.code == 0, done.story
    records = {record.arm: record for record in Project(tmp_path).records()}
    assert set(records) == {"with-rules", "without"}
    verdicts = {
        arm: {verdict.check: verdict.status for verdict in record.verdicts} for arm, record in records.items()
    }
    same = {
        "unchanged-ready.txt": "passed",
        "hidden": "passed",
        "env": "passed",
        "later": "failed",
        "unmet": "failed",
        "other": "skipped",
        "quiet": "passed",
    }
    assert verdicts["with-rules"] == {**same, "heard": "passed"}
    assert verdicts["without"] == {**same, "heard": "failed"}
    assert (records["with-rules"].outcome, records["without"].outcome) == ("pass", "fail")


def test_what_cannot_be_run_yet_is_refused_with_its_place(tmp_path: Path) -> None:
    task = "{id: t, prompt: x, start: empty, checks: [{command: 'true'}], improve: {objective: {command: x}}}"
    (tmp_path / "s.yaml").write_text(f"bakeoff: 0\nsuite: s\narms: [opencode]\ntasks: [{task}]\n")

    refused = bakeoff("run", "s.yaml", "--home", tmp_path / ".bakeoff", cwd=tmp_path)

    assert refused.code == 2
    assert "s.yaml:4:71: task 't': improve is not supported yet" in refused.err
    assert "s.yaml:3:8: arm 'opencode': harness 'opencode' is not supported yet" in refused.err
    assert not (tmp_path / ".bakeoff").exists()
