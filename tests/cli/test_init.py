"""`bakeoff init` writes a suite that validates, says what is missing, and overwrites nothing."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from support.repositories import git, make_repository, write_files

from bakeoff.cli.main import run
from bakeoff.store.database import Store
from bakeoff.store.layout import Layout

FORMATS = ("native", "ablate", "agent-exam", "harness-lab")
FROM_A_COMMIT = ("native", "ablate", "harness-lab")
PROJECTS = {
    "python": {
        "app.py": "def add(a, b):\n    return a + b\n",
        "tests/test_app.py": "import unittest\n\nfrom app import add\n\n\nclass Add(unittest.TestCase):\n"
        "    def test_it(self):\n        self.assertEqual(add(2, 3), 5)\n",
    },
    "node": {
        "package.json": json.dumps({"scripts": {"test": "node --test"}, "devDependencies": {"x": "1"}}),
        "package-lock.json": "{}",
    },
    "none": {"notes.txt": "nothing to test\n"},
}
TESTS = {"python": "python3 -m unittest discover -q -s tests", "node": "npm test --silent", "none": None}

in_every_format = pytest.mark.parametrize("form", FORMATS)
from_a_commit = pytest.mark.parametrize("form", FROM_A_COMMIT)


@pytest.fixture(params=list(PROJECTS))
def kind(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def project(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = make_repository(tmp_path / "my project's", PROJECTS[kind])
    monkeypatch.chdir(root)
    return root


def asked(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, Any]:
    got = run([*arguments, "--json"])
    answer = capsys.readouterr()
    assert got == code, answer
    document: dict[str, Any] = json.loads(answer.out)
    return document


@in_every_format
def test_what_it_writes_validates_and_is_told_to_be_unfinished(
    form: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = project(tmp_path, kind, monkeypatch)
    made = asked(capsys, "init", "--format", form)
    assert all((root / name).is_file() for name in made["written"])

    validate = shlex.split(made["next"][0], comments=True)
    assert validate[:2] == ["bakeoff", "validate"]
    found = asked(capsys, *validate[1:])
    (suite,) = found["suites"]
    (task,) = suite["tasks"]
    told = [item["message"] for item in found["problems"] if "is left to fill in" in item["message"]]
    blanks = [item["what"] for item in made["fill_in"]]
    assert len(blanks) == 2
    assert told == [f"this task is not finished: {blank} is left to fill in" for blank in blanks]
    lines = [item["line"] for item in found["problems"] if "is left to fill in" in item["message"]]
    assert lines == [item["line"] for item in made["fill_in"]]

    if form == "agent-exam":
        assert (made["tests"], made["commit"]) == ([], None)
        return
    assert made["commit"] == git(root, "rev-parse", "HEAD")
    assert [each["command"] for each in made["tests"]] == ([TESTS[kind]] if TESTS[kind] else [])
    written = "".join((root / name).read_text() for name in made["written"])
    assert made["commit"] in written
    assert (TESTS[kind] or "") in written
    assert ("npm ci" in written) == (kind == "node")
    ids = [check["id"] for check in task["checks"]]
    assert ids == (
        ["verification"] if form == "harness-lab" else ["tests", "done"] if TESTS[kind] else ["done"]
    )


@in_every_format
def test_an_agent_that_does_nothing_fails_as_it_says(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = project(tmp_path, "python", monkeypatch)
    _validate, idle, real = asked(capsys, "init", "--format", form)["next"]

    assert "it must fail" in idle
    report = asked(capsys, *shlex.split(idle, comments=True)[1:], "--sandbox", "process", code=1)
    assert report["experiment"]["outcomes"] == {"fail": 1}
    store = Store.open(Layout(home=root / ".bakeoff"), create=False)
    (record,) = store.trials(store.experiments(limit=1)[0].id)
    # The project's own tests pass in a workspace; what is missing is what fails.
    verdicts = {verdict.check: verdict.status for verdict in record.verdicts}
    assert verdicts.pop("tests", "passed") == "passed"
    assert set(verdicts.values()) == {"failed"}
    assert "<fill in: " in "".join(verdict.evidence + verdict.reason for verdict in record.verdicts)

    plan = asked(capsys, *shlex.split(real, comments=True)[1:])
    assert {arm["harness"] for arm in plan["arms"]} == {"claude_code"}


@in_every_format
def test_nothing_is_overwritten(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = project(tmp_path, "none", monkeypatch)
    written = asked(capsys, "init", "--format", form, "elsewhere")["written"]
    last = root / written[-1]
    write_files(root, {written[-1]: "mine\n"})

    assert run(["init", "--format", form]) == 2
    told = capsys.readouterr().err
    assert f"exist already, and nothing was written: {last}" in told
    assert all(str(root / name) in told for name in written)
    assert last.read_text() == "mine\n"
    assert not any((root / name).exists() for name in written[:-1])


@in_every_format
def test_a_place_that_cannot_be_written_is_no_bug(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = project(tmp_path, "none", monkeypatch)
    for name in (".ablate", "evals", "suites"):
        (root / name).write_text("a file")
    assert run(["init", "--format", form, "notes.txt/below" if form == "native" else "."]) == 2
    assert "cannot be written: " in capsys.readouterr().err


def test_a_finished_task_is_told_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = project(tmp_path, "python", monkeypatch)
    asked(capsys, "init")
    file = root / "bakeoff.yaml"
    text = file.read_text().replace("<fill in: what the agent is told to do>", "Add sub().")
    file.write_text(
        text.replace("<fill in: a command that fails before the work and succeeds after it>", "x")
    )
    messages = [item["message"] for item in asked(capsys, "validate", "bakeoff.yaml")["problems"]]
    assert not any("fill in" in message for message in messages)


def test_it_is_told_in_words_and_from_below_the_top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = project(tmp_path, "python", monkeypatch)
    monkeypatch.chdir(root / "tests")
    write_files(root, {"new.txt": ""})
    assert run(["init"]) == 0
    told = capsys.readouterr().out
    assert (root / "bakeoff.yaml").is_file()
    assert "changes that are not committed are not part of it" in told
    assert "`python3 -m unittest discover -q -s tests`, because of tests/test_app.py" in told
    assert f"cd '{str(root).replace(chr(39), chr(39) + chr(34) + chr(39) + chr(34) + chr(39))}'" in told


@from_a_commit
@pytest.mark.parametrize(
    ("prepare", "message"),
    [((), "is not in a git repository"), (("init", "-q"), "has no commit yet")],
)
def test_a_task_needs_a_commit_to_start_from(
    form: str,
    prepare: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    if prepare:
        git(tmp_path, *prepare)
    assert run(["init", "--format", form]) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ([".git"] if prepare else [])
