"""`bakeoff validate`: what it prints where, its exit codes, and that it leaves everything as it was."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from examples import ablate, harness_lab
from support.repositories import make_repository, write_files

from bakeoff.cli.main import run
from bakeoff.identity import digest_tree

GOOD = "id: {id}\nprompt: x\nassert: [{{id: a, type: lint, run: x}}]\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one valid ablate task; tests run inside of it."""
    root = make_repository(tmp_path / "project", {"a.txt": "x"})
    write_files(root, {".ablate/tasks/one.yaml": GOOD.format(id="one")})
    monkeypatch.chdir(root)
    return root


def test_this_directory_is_what_is_checked_by_default(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["validate"]) == 0

    out, err = capsys.readouterr()
    assert out.splitlines() == [
        f"project (ablate, {project}/.ablate/tasks)",
        "  tasks:",
        "    one",
        "      a: command",
        "  arms:",
        "    claude-code: claude_code",
        "    also, with --arm: codex",
    ]
    assert err == "bakeoff: 1 valid suite, 1 task\n"


def test_a_suite_with_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    example = harness_lab.build_later_fields_example(tmp_path)
    suite = example.spec.read_text().replace("plugins: []", "plugins: [nowhere.to_be_found]")
    example.spec.write_text(suite)
    monkeypatch.chdir(tmp_path)

    assert run(["validate", "suite/suite.yaml"]) == 0

    out, err = capsys.readouterr()
    assert "    fix-month-boundary - Fix the month boundary\n      protected_paths: unchanged\n" in out
    assert "  valid, but not supported yet by `bakeoff run`:\n" in out
    assert "    suite/suite.yaml:4:1: plugins (suite demo)\n" in out
    assert "    suite/tasks/later-fields.yaml:12:1: improve (task later-fields)\n" in out
    assert "    suite/suite.yaml:8:34: behaviors (arm v)\n" in out
    assert "  plugins: nowhere.to_be_found (validate does not import them)\n" in out
    assert err == "bakeoff: 1 valid suite, 2 tasks\n"


def test_all_problems_of_all_paths_at_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(
        project,
        {
            "x/.ablate/tasks/b.yaml": GOOD.format(id="b b") + "timeout_s: -1\n",
            "y/suite.yaml": "name: y\ntasks: [gone.yaml]\n",
        },
    )

    assert run(["validate", "x", "y", "nothing", "."]) == 2

    out, err = capsys.readouterr()
    assert out.startswith("project (ablate")
    lines = [line for line in err.splitlines() if line and not line.startswith("  hint:")]
    assert lines == [
        "x/.ablate/tasks/b.yaml:1:5: `id`: 'b b' holds white space",
        "x/.ablate/tasks/b.yaml:4:12: `timeout_s` must be more than 0, not -1",
        f"y/suite.yaml:2:9: `tasks`: {project}/y/gone.yaml does not exist",
        "bakeoff: there is no 'nothing'",
        f"warning: {project} has changes that are not committed: y/suite.yaml",
        "bakeoff: 1 valid suite, 1 task, 4 errors, 1 warning",
    ]


def test_warnings_do_not_fail(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.txt").write_text("changed")
    (project / ".ablate" / "tasks" / "one.yaml").rename(project / ".ablate" / "tasks" / "two.yaml")

    assert run(["validate", "."]) == 0

    err = capsys.readouterr().err
    assert "warning: the task is called 'one', its file 'two.yaml'" in err
    assert "has changes that are not committed: a.txt" in err
    assert err.endswith("bakeoff: 1 valid suite, 1 task, 2 warnings\n")


def test_a_problem_that_two_paths_share_is_told_once(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(project, {".ablate/tasks/two.yaml": "id: two\n"})

    assert run(["validate", ".", ".ablate/tasks/two.yaml"]) == 2

    assert capsys.readouterr().err.count("`prompt` is missing") == 1


def test_the_json_document(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(project, {"bad.yaml": "id: x\nprompt: x\nassert: [{id: a, type: lint}]\nweight: 0\n"})

    assert run(["validate", "--json", ".", "bad.yaml"]) == 2

    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["version"]) == ("bakeoff.validate", 1)
    (suite,) = document["suites"]
    assert (suite["name"], suite["dialect"]) == ("project", "ablate")
    assert suite["tasks"] == [
        {
            "suite": "project",
            "id": "one",
            "case": None,
            "title": "one",
            "where": ".ablate/tasks/one.yaml:1:1",
            "weight": 1.0,
            "tags": [],
            "checks": [{"id": "a", "type": "command", "required": True}],
        }
    ]
    assert [(arm["id"], arm["selected"]) for arm in suite["arms"]] == [
        ("claude-code", True),
        ("codex", False),
    ]
    problems = [
        (item["file"], item["line"], item["column"], item["severity"]) for item in document["problems"]
    ]
    assert ("bad.yaml", 3, 10, "error") in problems
    assert ("bad.yaml", 4, 9, "warning") in problems


def test_nothing_is_written_and_no_plugin_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    ablate.build_ablate_example(tmp_path / "one")
    example = harness_lab.build_harness_lab_example(tmp_path / "two", in_git=True)
    plugin = f"open({str(tmp_path / 'imported')!r}, 'w')\n"
    write_files(example.spec.parent, {"own_runner.py": plugin})
    suite = example.spec.read_text().replace("plugins: []", "plugins: [own_runner]")
    example.spec.write_text(suite)
    monkeypatch.chdir(example.spec.parent)
    before = (digest_tree(tmp_path), digest_tree(home))

    assert run(["validate", "suite.yaml", str(tmp_path / "one" / "project")]) == 0

    assert (digest_tree(tmp_path), digest_tree(home)) == before


def test_as_a_program_of_its_own(project: Path) -> None:
    (project / ".ablate" / "tasks" / "one.yaml").write_bytes(b"id: caf\xe9\n")

    done = subprocess.run(
        [sys.executable, "-m", "bakeoff", "validate", "."], capture_output=True, check=False, text=True
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        ".ablate/tasks/one.yaml:1:8: byte 0xe9 is not UTF-8\n\n  hint: save the file as UTF-8\n\n"
        "bakeoff: 0 valid suites, 0 tasks, 1 error\n"
    )
