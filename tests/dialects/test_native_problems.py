"""What is said about native suites that are wrong: once, with place and hint, all together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from dialects.native_files import write_suite

from bakeoff.errors import Problem

HEAD = "bakeoff: 0\nsuite: s\narms: [fake]\n"
TASK = "  - {id: t, prompt: x, start: empty, checks: [{command: x}]}\n"

WRONG = {
    "version": ("bakeoff: 7\nsuite: s\n", "1:10: the file is of version 7", "newer Bakeoff"),
    "no version": ("bakeoff: x\nsuite: s\n", "1:10: `bakeoff` is the version", "write `bakeoff: 0`"),
    "unknown key": (f"{HEAD}tsks: []\ntasks:\n{TASK}", "4:1: unknown key 'tsks'", "did you mean `tasks`?"),
    "arm key": (
        f"bakeoff: 0\nsuite: s\narms: [{{harness: fake, modle: x}}]\ntasks:\n{TASK}",
        "3:24: unknown key 'arms.modle'",
        "did you mean `model`?",
    ),
    "harness": (
        f"bakeoff: 0\nsuite: s\narms: [claude]\ntasks:\n{TASK}",
        "3:8: `arms.harness`: there is no harness 'claude'",
        "write `claude_code`",
    ),
    "option": (
        f"bakeoff: 0\nsuite: s\narms: [{{harness: fake, options: {{behaviour: x}}}}]\ntasks:\n{TASK}",
        "3:34: fake has no option 'behaviour'",
        "did you mean `behavior`?",
    ),
    "option value": (
        f"bakeoff: 0\nsuite: s\narms: [{{harness: fake, options: {{behavior: slove}}}}]\ntasks:\n{TASK}",
        "3:44: `options.behavior`: 'slove' is not one of",
        "",
    ),
    "circle": (
        (
            "bakeoff: 0\nsuite: s\narms:\n- {id: a, extends: c}\n- {id: b, extends: a}\n- {id: c, extends: b}\n"
            f"tasks:\n{TASK}"
        ),
        "5:20: `extends` goes round in a circle: a → c → b → a",
        "let one of them stand on its own",
    ),
    "extends nobody": (
        f"bakeoff: 0\nsuite: s\narms: [{{id: base, harness: fake}}, {{id: b, extends: bse}}]\ntasks:\n{TASK}",
        "3:52: `extends`: there is no arm 'bse'",
        "did you mean `base`?",
    ),
    "same arm": (
        f"bakeoff: 0\nsuite: s\narms: [fake, {{harness: fake, model: x}}]\ntasks:\n{TASK}",
        "3:24: a second arm is called 'fake'; the first is in line 3",
        "own `id`",
    ),
    "placement": (
        f"bakeoff: 0\nsuite: s\narms: [{{harness: fake, place: [{{instructions: no.md}}]}}]\ntasks:\n{TASK}",
        "no.md does not exist",
        "relative to this file",
    ),
    "placements": (
        (
            "bakeoff: 0\nsuite: s\narms: [{harness: fake, place: [{skills: null}, {instructions: null, to: .claude/skills}]}]\n"
            f"tasks:\n{TASK}"
        ),
        "3:48: `place`: a second thing goes to .claude/skills",
        "another target",
    ),
    "default arms": (
        f"{HEAD}default_arms: [fakes]\ntasks:\n{TASK}",
        "4:16: `default_arms`: there is no arm 'fakes'",
        "did you mean `fake`?",
    ),
    "no start": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, checks: [{{command: x}}]}}\n",
        "5:5: `start` is missing",
        "{folder: DIR}",
    ),
    "start": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: {{gti: .}}, checks: [{{command: x}}]}}\n",
        "5:31: `start` names neither a git repository nor a folder",
        "did you mean `git`?",
    ),
    "no checks": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty}}\n",
        "5:5: the task has no checks",
        "write at least one",
    ),
    "check": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{comand: x}}]}}\n",
        "5:48: there is no check 'comand'",
        "did you mean `command`?",
    ),
    "check key": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{command: x, timeouts: 1}}]}}\n",
        "5:60: unknown key 'command.timeouts'",
        "did you mean `timeout_s`?",
    ),
    "two checks": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{command: x, present: y}}]}}\n",
        "5:60: an entry is one check, and this one is 'command' already",
        "begin another one",
    ),
    "typed check": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{type: command, run: x}}]}}\n",
        "5:48: there is no check 'type'",
        "the name of a check is a key",
    ),
    "beside": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{command: {{run: x}}, expect: 1}}]}}\n",
        "5:67: unknown key 'expect'",
        "indent it: it belongs below `command:`",
    ),
    "below": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{command: {{run: x, id: a}}}}]}}\n",
        "5:66: `id` stands below `command`",
        "write it beside `command:`",
    ),
    "same check": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{id: a, command: x}}, {{id: a, command: y}}]}}\n",
        "5:73: a second check is called 'a'; the first is in line 5",
        "leave it out",
    ),
    "providers": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{command: x, providers: [codex]}}]}}\n",
        "5:72: `providers`: there is no harness 'codex'",
        "write `codex_cli`",
    ),
    "same task": (
        f"{HEAD}tasks:\n{TASK}{TASK}",
        "6:10: a second task is called 't'; the first is bakeoff.yaml:5:10",
        "own id",
    ),
    "tag": (
        f"{HEAD}tags: {{smoke: }}\ntasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{command: x}}], tags: [smok]}}\n",
        "6:69: the tag 'smok' is not declared in `tags` of the suite",
        "did you mean `smoke`?",
    ),
    "group": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, checks: [{{command: x}}], concurrency_group: db}}\n",
        "5:81: `concurrency_group`: the suite declares no group 'db'",
        "concurrency_groups: {db: 1}",
    ),
    "no such file": (f"{HEAD}tasks: [t.yaml]\n", "t.yaml does not exist", "relative to this file"),
    "no match": (
        f"{HEAD}tasks: [none/*.yaml]\n",
        "4:9: `tasks`: 'none/*.yaml' matches no file",
        "globs begin",
    ),
    "bad glob": (
        f"{HEAD}tasks: ['[a/*.yaml']\n",
        "4:9: `tasks`: the glob '[a/*.yaml' has an unclosed `[`",
        "",
    ),
    "prompt file": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: {{file: p.md}}, start: empty, checks: [{{command: x}}]}}\n",
        "p.md does not exist",
        "relative to this file",
    ),
    "plugin": (
        f"{HEAD}plugins: [a-b]\ntasks:\n{TASK}",
        "4:11: `plugins`: 'a-b' is not the name",
        "as in `import`",
    ),
    "defaults": (
        f"{HEAD}defaults: {{limits: {{timeout_s: 0}}}}\ntasks:\n{TASK}{TASK.replace('id: t', 'id: u')}",
        "4:32: `limits.timeout_s` must be more than 0, not 0",
        "",
    ),
    "variable": (
        f"{HEAD}tasks:\n  - {{id: t, prompt: x, start: empty, env: {{pass: ['A=1']}}, checks: [{{command: x}}]}}\n",
        "not a name of an environment variable: 'A=1'",
        "A",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_once_with_place_and_hint(
    tmp_path: Path, problems_of: Callable[[str], list[Problem]], name: str
) -> None:
    text, message, hint = WRONG[name]
    (tmp_path / "bakeoff.yaml").write_text(text)

    found = [problem for problem in problems_of("bakeoff.yaml") if problem.severity == "error"]

    assert len(found) == 1, [str(problem) for problem in found]
    assert message in str(found[0])
    assert hint in found[0].hint


def test_problems_of_all_files_come_out_together(
    tmp_path: Path, problems_of: Callable[[str], list[Problem]]
) -> None:
    (tmp_path / "bakeoff.yaml").write_text(
        "bakeoff: 0\nsuite: s\njobs: 0\narms: [{harness: fake, options: {nope: 1}}]\ntasks: ['*/t.yaml', {id: ' '}]\n"
    )
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.yaml").write_text(
            f"id: {name}\nprompt: x\nstrat: empty\nchecks: [{{nope: 1}}]\n"
        )

    places = [str(problem).split(": ")[0] for problem in problems_of("bakeoff.yaml")]

    assert places == [
        "bakeoff.yaml:3:7",
        "bakeoff.yaml:4:34",
        "bakeoff.yaml:5:21",
        "bakeoff.yaml:5:21",
        "bakeoff.yaml:5:21",
        "bakeoff.yaml:5:26",
        "a/t.yaml:1:1",
        "a/t.yaml:3:1",
        "a/t.yaml:4:11",
        "b/t.yaml:1:1",
        "b/t.yaml:3:1",
        "b/t.yaml:4:11",
    ]


def test_a_task_file_alone_says_where_it_belongs(
    tmp_path: Path, problems_of: Callable[[str], list[Problem]]
) -> None:
    (tmp_path / "t.yaml").write_text("id: t\nprompt: x\nstart: empty\nchecks: [{command: x}]\n")

    (problem,) = problems_of("t.yaml")

    assert problem.message == "a native task belongs to a suite"


def test_globs_that_match_nothing_are_warnings(
    tmp_path: Path, problems_of: Callable[[str], list[Problem]]
) -> None:
    write_suite(tmp_path)
    (tmp_path / "bakeoff.yaml").write_text(
        f"{HEAD}tasks:\n  - id: t\n    prompt: x\n    start: {{git: repo, hide: [secrets.txt]}}\n"
        "    checks: [{unchanged: [test]}, {files_touched: {must_not_include: [tests]}}, {present: 'a*'}]\n"
    )

    told = [(str(problem.where), problem.hint) for problem in problems_of("bakeoff.yaml")]

    assert told == [
        ("bakeoff.yaml:7:31", "did you mean `secret.txt`?"),
        ("bakeoff.yaml:8:27", "did you mean `tests`?"),
        ("bakeoff.yaml:8:71", "write `tests/**` to cover what is in it"),
        ("bakeoff.yaml:8:91", "this check always passes"),
    ]
