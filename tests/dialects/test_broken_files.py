"""Files that nobody can read, in each format: one problem, at its place, with what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from support.repositories import make_repository, write_files

from bakeoff.dialects.load import load
from bakeoff.dialects.yaml import MOST_BYTES
from bakeoff.errors import Problem, UserError

BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@dataclass(frozen=True, kw_only=True)
class Project:
    """Files of one format of which one is to be broken, and how they are named on the command line."""

    spec: str
    broken: str
    text: str
    others: dict[str, str]


PROJECTS = {
    "ablate": Project(
        spec=".",
        broken=".ablate/tasks/t.yaml",
        text="id: t\nprompt: Do it.\nassert:\n  - {id: a, type: exit_code, run: make}\n",
        others={},
    ),
    "harness-lab": Project(
        spec="suite.yaml",
        broken="t.yaml",
        text="id: t\nname: T\nrepo: {path: start}\nprompt: x\nverification: {command: x}\n",
        others={"suite.yaml": "name: s\ntasks: [t.yaml]\n", "start/a": ""},
    ),
    "agent-exam": Project(
        spec=".",
        broken="evals/suites/s/tasks/t.yaml",
        text="prompt: Do it.\nassertions:\n  - file_exists: a\n",
        others={"evals/config.yaml": "default_task_timeout_seconds: 5\n"},
    ),
    "native": Project(
        spec="bakeoff.yaml",
        broken="t.yaml",
        text="id: t\nprompt: Do it.\nstart: empty\nchecks: [{command: make}]\n",
        others={"bakeoff.yaml": "bakeoff: 0\nsuite: s\narms: [fake]\ntasks: [t.yaml]\n"},
    ),
}

# What is put before, at `@` in, or after the good text: name, content, place, message, hint.
BROKEN: list[tuple[str, bytes, str, str, str]] = [
    ("tab", b"x:\n\ty: 1\n", ":2:1", "a tab is used to indent", "spaces"),
    ("second document", b"@---\na: 1\n", ":+1:1", "a second document begins here", "remove"),
    ("latin-1", b"# caf\xe9\n@", ":1:6", "byte 0xe9 is not UTF-8", "save the file as UTF-8"),
    ("utf-16", "id: t\n".encode("utf-16"), ":1:1", "is written in UTF-16", "save it as UTF-8"),
    ("nul", b"# a\0b\n@", ":1:4", "U+0000 is not allowed in YAML", "remove it"),
    ("half a bracket", b"@tags: [a, b\n", ":+1:7", "flow sequence", "not closed"),
    ("colon in a text", b"@description: Fix: it\n", ":+1:17", "mapping values are not allowed", "quotes"),
    ("large", b"@#" + b"x" * 2 * MOST_BYTES, "", "is larger than 5 MB", ""),
    ("deep", b"@tags: " + b"[" * 300, ":+1:70", "nested more than 64 deep", ""),
    ("bomb", BOMB.encode(), ":6:4", "more than 200,000 values", ""),
    ("python tag", b"@description: !!python/object:os.system x\n", ":+1:14", "!!python/object", "remove it"),
    ("empty", b"", "", "is empty", "write"),
    ("a text", b"hello\n", ":1:1", "must be a mapping", ""),
]


def problems_of(root: Path, spec: str) -> list[Problem]:
    try:
        return list(load(spec, cwd=root).warnings)
    except UserError as error:
        return list(error.problems)


def project_at(root: Path, project: Project) -> Path:
    make_repository(root, {"README": ""})
    write_files(root, {**project.others, project.broken: project.text})
    return root


@pytest.mark.parametrize("kind", PROJECTS)
def test_the_projects_are_whole_until_they_are_broken(tmp_path: Path, kind: str) -> None:
    project = PROJECTS[kind]
    root = project_at(tmp_path / "project", project)
    assert [each for each in problems_of(root, project.spec) if each.severity == "error"] == []


@pytest.mark.parametrize("kind", PROJECTS)
@pytest.mark.parametrize(
    ("content", "place", "message", "hint"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN]
)
def test_one_problem_at_its_place(
    tmp_path: Path, kind: str, content: bytes, place: str, message: str, hint: str
) -> None:
    project = PROJECTS[kind]
    root = project_at(tmp_path / "project", project)
    (root / project.broken).write_bytes(content.replace(b"@", project.text.encode(), 1))

    found = [each for each in problems_of(root, project.spec) if each.severity == "error"]

    assert len(found) == 1, "\n".join(map(str, found))
    # A line behind the good text is told by its distance from the end of that.
    lines = project.text.count("\n")
    if ":+" in place:
        place = f":{lines + 1}:{place.rpartition(':')[2]}"
    assert str(found[0].where) == f"{project.broken}{place}"
    assert message in found[0].message
    assert hint in found[0].hint


@pytest.mark.parametrize("kind", PROJECTS)
def test_a_byte_order_mark_is_only_a_warning(tmp_path: Path, kind: str) -> None:
    project = PROJECTS[kind]
    root = project_at(tmp_path / "project", project)
    (root / project.broken).write_bytes(b"\xef\xbb\xbf" + project.text.encode())

    marks = [each for each in problems_of(root, project.spec) if "byte order mark" in each.message]

    assert [(each.severity, str(each.where)) for each in marks] == [("warning", f"{project.broken}:1:1")]


@pytest.mark.parametrize("kind", PROJECTS)
def test_a_key_that_stands_twice_is_told_besides_what_else_is_wrong(tmp_path: Path, kind: str) -> None:
    project = PROJECTS[kind]
    root = project_at(tmp_path / "project", project)
    lines = project.text.count("\n")
    (root / project.broken).write_text(f"{project.text}tags: [a]\ntags: [b]\npromt: x\n")

    found = [each for each in problems_of(root, project.spec) if each.severity == "error"]
    places = [str(each.where).removeprefix(f"{project.broken}:") for each in found]

    twice, unknown = (found[places.index(f"{lines + number}:1")] for number in (2, 3))
    assert f"the key 'tags' stands twice; the first is in line {lines + 1}" in twice.message
    assert "unknown key 'promt'" in unknown.message
    assert unknown.hint == "did you mean `prompt`?"


def test_ten_problems_in_five_files_come_out_together_and_in_order(tmp_path: Path) -> None:
    make_repository(tmp_path / "repo", {"a": ""})
    task = "id: {}\nprompt: x\nstart: {{git: repo}}\nchecks: [{{command: x}}]\n"
    write_files(
        tmp_path,
        {
            "bakeoff.yaml": "bakeoff: 0\nsuite: s\nrepeats: 0\narms: [fake, {id: b, harness: fakee}]\n"
            "tasks: [1.yaml, 2.yaml, 3.yaml, 4.yaml]\n",
            "1.yaml": task.format("one").replace("repo", "nowhere") + "weight: -1\n",
            "2.yaml": "id: two\nprompt: [x\n",
            "3.yaml": task.format("three").replace("command: x", "comand: x") + "tag: [x]\n",
            "4.yaml": task.format("'a b'") + "limits: {timeout_s: 0}\non_crash: ignore\n",
        },
    )

    found = [f"{each.where}" for each in problems_of(tmp_path, "bakeoff.yaml")]

    assert found == [
        *["bakeoff.yaml:3:10", "bakeoff.yaml:4:31", "1.yaml:3:14", "1.yaml:5:9", "2.yaml:2:9"],
        *["3.yaml:4:11", "3.yaml:5:1", "4.yaml:1:5", "4.yaml:5:21", "4.yaml:6:11"],
    ]


@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        ("env: {set: {A-B: x}}", "5:12", "not a name of an environment variable: 'A-B'"),
        ("env: {set: {'A=B': x}}", "5:12", "not a name of an environment variable: 'A=B'"),
        ('env: {set: {A: "x\\0"}}', "5:16", "NUL character"),
    ],
)
def test_what_would_fail_later_is_told_once_when_it_is_loaded(
    tmp_path: Path, line: str, place: str, message: str
) -> None:
    project = PROJECTS["native"]
    root = project_at(tmp_path / "project", project)
    (root / project.broken).write_text(f"{project.text}{line}\n")

    found = [each for each in problems_of(root, project.spec) if each.severity == "error"]

    assert [str(each.where) for each in found] == [f"{project.broken}:{place}"]
    assert message in found[0].message


def test_a_list_whose_only_entry_is_wrong_is_not_called_empty(tmp_path: Path) -> None:
    project = PROJECTS["native"]
    root = project_at(tmp_path / "project", project)
    (root / project.broken).write_text(project.text.replace("command: make", "unchanged: [../x]"))

    found = problems_of(root, project.spec)

    assert [str(each.where) for each in found] == [f"{project.broken}:4:23"]
    assert "leaves the workspace" in found[0].message
