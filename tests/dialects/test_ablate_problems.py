"""Every rule of the ablate format, broken once: the one error, its place, and what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from dialects.conftest import Find
from dialects.marks import unmarked
from support.repositories import make_repository

HEAD = "id: t\nprompt: Do it.\n"
ASSERT = "assert:\n  - {id: a, type: exit_code, run: make}\n"
TASK = HEAD + ASSERT


def one(fields: str) -> str:
    """A task whose one assertion has these fields; without a mark, it is the assertion that is wrong."""
    mark = "" if "¦" in fields else "¦"
    return f"{HEAD}assert:\n  - {mark}{{{fields}}}\n"


ERRORS = [
    # ids
    ("id missing", "¦prompt: x\n" + ASSERT, "`id` is missing", ""),
    ("id empty", "id:¦\nprompt: x\n" + ASSERT, "`id` is empty", ""),
    ("id null", "id: ¦null\nprompt: x\n" + ASSERT, "`id` is empty", 'write `"null"`'),
    ("id with space", "id: ¦fix it\nprompt: x\n" + ASSERT, "'fix it' holds white space", "`fix-it`"),
    ("id with slash", "id: ¦a/b\nprompt: x\n" + ASSERT, "holds `/`", "write `a-b`"),
    ("id that climbs", "id: ¦../../x\nprompt: x\n" + ASSERT, "begins with `.`", "write `x`"),
    ("id like a flag", "id: ¦-x\nprompt: x\n" + ASSERT, "begins with `-`", "write `x`"),
    ("id with comma", "id: ¦a,b\nprompt: x\n" + ASSERT, "holds `,`", "write `a-b`"),
    ("id with colons", "id: ¦a::b\nprompt: x\n" + ASSERT, "holds `::`", "write `a-b`"),
    ("id with glob", "id: ¦'a*'\nprompt: x\n" + ASSERT, "holds `*`", "write `a`"),
    ("id with bracket", "id: ¦'[/b]'\nprompt: x\n" + ASSERT, "holds `[`", "write `b`"),
    ("id too long", f"id: ¦{'x' * 101}\nprompt: x\n" + ASSERT, "longer than 100 characters", "x" * 100),
    ("id a list", "id: ¦[t]\nprompt: x\n" + ASSERT, "`id` must be text, not a list", "`id: t`"),
    ("id unprintable", 'id: ¦"a\\x1bb"\nprompt: x\n' + ASSERT, "cannot be printed", "write `a-b`"),
    # prompt and texts
    ("prompt missing", "¦id: t\n" + ASSERT, "`prompt` is missing", ""),
    ("prompt empty", "id: t\nprompt: ¦''\n" + ASSERT, "`prompt`: nothing is written here", ""),
    ("prompt a mapping", "id: t\nprompt: ¦{a: b}\n" + ASSERT, "must be text, not a mapping", "quotes"),
    ("prompt with NUL", 'id: t\nprompt: ¦"a\\0b"\n' + ASSERT, "holds a NUL character", ""),
    # unknown keys
    ("asserts", HEAD + ASSERT.replace("assert:", "¦asserts:"), "unknown key 'asserts'", "`assert`"),
    ("timeout", TASK + "¦timeout: 5\n", "unknown key 'timeout'", "did you mean `timeout_s`?"),
    ("unlike anything", TASK + "¦xyzzy: 5\n", "unknown key 'xyzzy'", "known here: id, description"),
    ("merge key typo", TASK + "¦'<<': {a: 1}\n", "unknown key '<<'", ""),
    # numbers
    ("timeout negative", TASK + "timeout_s: ¦-5\n", "must be more than 0, not -5", ""),
    ("timeout zero", TASK + "timeout_s: ¦0\n", "must be more than 0, not 0", ""),
    ("timeout quoted", TASK + "timeout_s: ¦'600'\n", "must be a whole number", "`timeout_s: 600`"),
    ("timeout a fraction", TASK + "timeout_s: ¦0.5\n", "must be a whole number, not '0.5'", ""),
    ("timeout 600.0", TASK + "timeout_s: ¦600.0\n", "must be a whole number", "`timeout_s: 600`"),
    ("timeout 1e3", TASK + "timeout_s: ¦1e3\n", "must be a whole number", "`timeout_s: 1000`"),
    ("timeout octal", TASK + "timeout_s: ¦0600\n", "begins with a zero", "`timeout_s: 600`"),
    ("timeout sexagesimal", TASK + "timeout_s: ¦10:00\n", "whole number, not '10:00'", ""),
    ("timeout a word", TASK + "timeout_s: ¦ten\n", "whole number, not 'ten'", ""),
    ("timeout a boolean", TASK + "timeout_s: ¦true\n", "whole number, not 'true'", ""),
    ("timeout huge", TASK + "timeout_s: ¦99999999\n", "at most 10,000,000, not 99,999,999", ""),
    ("timeout beyond digits", TASK + f"timeout_s: ¦{'9' * 5000}\n", "too large a number", ""),
    ("weight negative", TASK + "weight: ¦-1\n", "`weight` must be at least 0, not -1", ""),
    ("weight nan", TASK + "weight: ¦.nan\n", "`weight` must be a finite number", ""),
    ("weight inf", TASK + "weight: ¦-.INF\n", "`weight` must be a finite number", ""),
    ("weight overflow", TASK + "weight: ¦1e999\n", "`weight` is too large a number", ""),
    ("weight a word", TASK + "weight: ¦heavy\n", "`weight` must be a number, not 'heavy'", ""),
    ("weight quoted", TASK + 'weight: ¦"2"\n', "`weight` must be a number", "`weight: 2`"),
    # lists, paths, globs
    ("tags a word", TASK + "tags: ¦smoke\n", "must be a list", "write `tags: [smoke]`"),
    ("tags with null", TASK + "tags: [a, ¦~]\n", "`tags` is empty", 'write `"~"`'),
    ("tags with a list", TASK + "tags: [¦[a]]\n", "`tags` must be text, not a list", "`tags: a`"),
    ("hide bad glob", TASK + "hide: [¦'[a']\n", "unclosed `[`", ""),
    ("hide outside", TASK + "hide: [ok, ¦'../x']\n", "leaves the workspace", ""),
    ("hide absolute", TASK + "hide: [¦/etc/passwd]\n", "absolute", ""),
    ("config_path outside", TASK + "config_path: ¦../C.md\n", "leaves the workspace", "relative"),
    ("config_path absolute", TASK + "config_path: ¦/C.md\n", "is absolute", "relative"),
    ("config_path git", TASK + "config_path: ¦.git/x\n", "`.git`", ""),
    ("config_path whole", TASK + "config_path: ¦./\n", "whole workspace", ""),
    # commits and setup
    ("commit unknown", TASK + "base_commit: ¦0123456\n", "there is no commit '0123456' in", "git log"),
    ("commit a blob", TASK + "base_commit: ¦'HEAD:src/app.py'\n", "no commit 'HEAD:src/app.py'", ""),
    ("commit like a flag", TASK + "base_commit: ¦--all\n", "there is no commit '--all'", ""),
    ("commit of two lines", TASK + 'base_commit: ¦"a\\nb"\n', "line break", ""),
    ("setup empty", TASK + "setup: ¦'  '\n", "`setup`: the command is empty", "exits with 0"),
    ("setup only comments", TASK + "setup: ¦|\n  # later\n", "the command is empty", ""),
    # the list of assertions
    ("no assert", "¦" + HEAD, "`assert` is missing", ""),
    ("assert empty", HEAD + "assert: ¦[]\n", "`assert` needs at least 1 entry", ""),
    ("assert null", HEAD + "assert:¦\n", "`assert` is empty", ""),
    ("assert a mapping", HEAD + "assert: ¦{id: a}\n", "`assert` must be a list, not a mapping", "- "),
    ("assertion a word", HEAD + "assert: [¦make]\n", "must be a mapping", "`id` and `type`"),
    ("type missing", one("id: a, run: make"), "`assert.type` is missing", "exit_code"),
    ("type unknown", one("id: a, type: ¦exitcode, run: make"), "type 'exitcode'", "`exit_code`"),
    ("type of a judge", one("id: a, type: ¦judge, run: x"), "no assertion type 'judge'", ""),
    ("assertion id missing", one("type: exit_code, run: make"), "`assert.id` is missing", ""),
    ("assertion id with space", one("id: ¦a b, type: lint, run: make"), "white space", "`a-b`"),
    ("required quoted", one("id: a, type: lint, run: x, required: ¦'no'"), "true or false", "false"),
    # each type
    ("run missing", one("id: a, type: exit_code"), "`assert.run` is missing", ""),
    ("run empty", one("id: a, type: lint, run: ¦''"), "the command is empty", ""),
    ("run a number list", one("id: a, type: lint, run: ¦[1, 2]"), "must be text, not a list", ""),
    ("expect too large", one("id: a, type: exit_code, run: x, expect: ¦256"), "at most 255", ""),
    ("expect negative", one("id: a, type: exit_code, run: x, expect: ¦-1"), "at least 0", ""),
    ("expect a word", one("id: a, type: exit_code, run: x, expect: ¦fail"), "whole number", ""),
    ("pattern on exit_code", one("id: a, type: exit_code, run: x, ¦pattern: y"), "assert.pattern", ""),
    ("check timeout", one("id: a, type: exit_code, run: x, timeout_s: ¦0"), "more than 0", ""),
    ("touched vacuous", one("id: a, type: files_touched"), "would always pass", "glob"),
    (
        "touched typo",
        one("id: a, type: files_touched, ¦must_includes: [x]"),
        "must_includes",
        "`must_include`",
    ),
    ("touched bad glob", one("id: a, type: files_touched, must_include: [¦'{a']"), "braces", ""),
    ("touched negated", one("id: a, type: files_touched, must_include: [¦'!a']"), "negation", ""),
    (
        "touched both",
        one("id: a, type: files_touched, must_include: [x], must_not_include: [x]"),
        "would always fail",
        "",
    ),
    ("pattern missing", one("id: a, type: present"), "`assert.pattern` is missing", ""),
    ("pattern empty", one("id: a, type: absent, pattern: ¦''"), "pattern is empty", "everything"),
    ("pattern bad", one("id: a, type: present, pattern: ¦'('"), "not a valid regular expression", ""),
    ("in unknown", one("id: a, type: present, pattern: x, in: ¦file"), "diff, files", "`files`"),
    ("capture on exit_code", one("id: a, type: exit_code, run: x, ¦capture_json: true"), "capture", ""),
    ("capture a word", one("id: a, type: script, run: x, capture_json: ¦maybe"), "true or false", ""),
    ("capture quoted", one("id: a, type: script, run: x, capture_json: ¦'true'"), "true or false", ""),
    # other checks by name
    ("unchanged without paths", one("id: a, type: unchanged"), "`assert.paths` is missing", ""),
    ("unchanged typo", one("id: a, type: unchanged, ¦path: [x]"), "assert.path", "did you mean `paths`?"),
    ("command empty", one("id: a, type: command, run: ¦' '"), "must not be empty", ""),
    (
        "command inject missing",
        one("id: a, type: command, run: x, inject: [{source: ¦nowhere, dest: y}]"),
        "nowhere does not exist",
        "",
    ),
    (
        "command inject outside",
        one("id: a, type: command, run: x, inject: [{source: t.yaml, dest: ¦../y}]"),
        "must stay inside",
        "",
    ),
]


def write(repository: Path, tmp_path: Path, text: str, name: str = "t.yaml") -> str:
    """Put a task into a project inside the repository; the project's path."""
    project = repository / tmp_path.name
    tasks = project / ".ablate" / "tasks"
    tasks.mkdir(parents=True, exist_ok=True)
    (tasks / name).write_text(text)
    return str(project)


@pytest.mark.parametrize(
    ("marked", "message", "hint"), [case[1:] for case in ERRORS], ids=[case[0] for case in ERRORS]
)
def test_one_error_at_its_place(
    repository: Path, tmp_path: Path, problems_of: Find, marked: str, message: str, hint: str
) -> None:
    text, place = unmarked(marked)
    spec = write(repository, tmp_path, text)

    found = [problem for problem in problems_of(spec) if problem.severity == "error"]

    assert [str(problem.where).rpartition("t.yaml:")[2] for problem in found] == [place]
    assert message in found[0].message
    assert hint in found[0].hint


WARNINGS = [
    ("other file name", "other.yaml", "id: ¦t\nprompt: x\n" + ASSERT, "called 't', its file 'other.yaml'"),
    ("weight 0", "t.yml", TASK + "weight: ¦0\n", "never counts"),
    (
        "nothing required",
        "t.yaml",
        HEAD + "¦assert:\n  - {id: a, type: lint, run: x, required: false}\n",
        "no assertion is required",
    ),
    (
        "old boolean",
        "t.yaml",
        TASK + "  - {id: b, type: lint, run: x, required: ¦no}\n",
        "`assert.required: no` is read as false",
    ),
    ("hides nothing", "t.yaml", TASK + "hide: ['src/*', ¦'gone/**']\n", "'gone/**' matches no file"),
    (
        "matches everything",
        "t.yaml",
        one("id: a, type: absent, pattern: ¦'x*'"),
        "matches even where there is no text",
    ),
]


@pytest.mark.parametrize(
    ("name", "marked", "message"), [case[1:] for case in WARNINGS], ids=[case[0] for case in WARNINGS]
)
def test_one_warning_at_its_place(
    repository: Path, tmp_path: Path, problems_of: Find, name: str, marked: str, message: str
) -> None:
    text, place = unmarked(marked)
    spec = write(repository, tmp_path, text, name)

    (found,) = problems_of(spec)

    assert found.severity == "warning"
    assert str(found.where).endswith(f"/{name}:{place}")
    assert message in found.message


def test_the_same_task_id_in_two_files(repository: Path, tmp_path: Path, problems_of: Find) -> None:
    write(repository, tmp_path, TASK)
    spec = write(repository, tmp_path, "# copy\n" + TASK, "u.yaml")

    (found,) = [problem for problem in problems_of(spec) if problem.severity == "error"]

    assert str(found.where).endswith("u.yaml:2:5")
    assert "a second task is called 't'; the first is" in found.message
    assert "t.yaml:1:5" in found.message


def test_the_same_assertion_id_twice(repository: Path, tmp_path: Path, problems_of: Find) -> None:
    spec = write(repository, tmp_path, TASK + "  - {id: a, type: lint, run: x}\n")

    (found,) = problems_of(spec)

    assert str(found.where).endswith("t.yaml:5:10")
    assert "the first is in line 4" in found.message


def test_a_project_outside_of_git(tmp_path: Path, problems_of: Find) -> None:
    write(tmp_path, Path("project"), TASK)

    (found,) = problems_of("project")

    assert "is not inside a git repository" in found.message


def test_a_repository_without_a_commit_is_told_once(tmp_path: Path, problems_of: Find) -> None:
    project = tmp_path / "project"
    make_repository(project, {})
    (project / ".git" / "refs" / "heads" / "main").unlink()
    write(tmp_path, Path("project"), TASK)
    write(tmp_path, Path("project"), TASK.replace("id: t", "id: u"), "u.yaml")

    (found,) = problems_of("project")

    assert "has no commit yet" in found.message
    assert str(found.where) == "project/.ablate/tasks/t.yaml:1:1"


def test_uncommitted_changes_are_a_warning_only_where_the_base_is_the_head(
    tmp_path: Path, problems_of: Find
) -> None:
    project = make_repository(tmp_path / "project", {"a.txt": "a"})
    write(tmp_path, Path("project"), TASK)
    assert problems_of("project") == []

    (project / "a.txt").write_text("b")
    (project / "new.txt").write_text("b")

    (found,) = problems_of("project")
    assert found.severity == "warning"
    assert "changes that are not committed: a.txt, new.txt" in found.message


def test_wrong_files_do_not_hide_what_is_wrong_in_others(
    repository: Path, tmp_path: Path, problems_of: Find
) -> None:
    broken = HEAD + "assert:\n  - {id: a, type: lint, run: ''}\n  - {id: b, type: lynt, run: x}\n"
    write(repository, tmp_path, "a: [\n", "a.yaml")
    write(repository, tmp_path, broken + "timeout_s: -1\nx: 1\n", "b.yaml")
    write(repository, tmp_path, TASK.replace("id: t", "id: c") + "base_commit: nothing\n", "c.yaml")
    write(repository, tmp_path, "id: d e\nprompt: ''\nassert: []\n", "d.yaml")
    spec = write(repository, tmp_path, TASK.replace("id: t", "id: c"), "e.yaml")

    found = problems_of(spec)

    places = [str(problem.where).rpartition("/")[2] for problem in found if problem.severity == "error"]
    assert places == [
        "a.yaml:1:5",
        "b.yaml:4:30",
        "b.yaml:5:19",
        "b.yaml:6:12",
        "b.yaml:7:1",
        "c.yaml:5:14",
        "d.yaml:1:5",
        "d.yaml:2:9",
        "d.yaml:3:9",
        "e.yaml:1:5",
    ]
