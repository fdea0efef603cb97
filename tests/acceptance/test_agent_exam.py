"""A full agent-exam project, run by the command line with a scripted agent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from examples.agent_exam import FULL_OUTCOMES, WRITES, build_full_project
from support.bakeoff_run import bakeoff

from bakeoff.model.trial import TrialRecord
from bakeoff.store.database import Store
from bakeoff.store.layout import Layout

SCRIPT = [{"run": WRITES}, {"text": "I am done."}]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, in which the whole selection was run once, from a directory below it."""
    root = build_full_project(tmp_path_factory.mktemp("exam") / "shop")
    (root / "script.json").write_text(json.dumps(SCRIPT))
    (root / "src").mkdir()
    options = ["--harness", "fake", "-o", "script=@../script.json", "--env", "GH_TOKEN", "-j", "2"]
    answer = bakeoff("run", "*", *options, cwd=root / "src", GH_TOKEN="secret-token-value", CI="1")
    # One task fails, and one is not judged by anything.
    assert answer.code == 1, answer.story
    assert "notes::notes::fake::1" in answer.err
    assert "release::notes::fake::1" in answer.err
    return root


def records(root: Path) -> dict[str, TrialRecord]:
    home = next(path for path in (root / "src/.bakeoff", root / ".bakeoff") if path.is_dir())
    store = Store.open(Layout(home=home), create=False)
    newest = store.experiments(limit=1)[0]
    return {f"{record.suite}::{record.task}": record for record in store.trials(newest.id)}


def test_every_task_comes_out_as_its_file_says(project: Path) -> None:
    found = records(project)

    assert {name: record.outcome for name, record in found.items()} == FULL_OUTCOMES
    assert {record.ending for record in found.values()} == {"completed"}
    statuses = {verdict.check: verdict for verdict in found["release::notes"].verdicts}
    assert (statuses["file_exists-never.txt"].status, statuses["file_exists-never.txt"].known_issue) == (
        "failed",
        "nobody writes it",
    )
    assert [verdict.code for verdict in found["notes::codex"].verdicts] == ["other_harness"]
    # The same id in two suites is two tasks, with two contents.
    assert found["notes::notes"].digests.task != found["release::notes"].digests.task


def test_what_is_recorded_is_found_by_suite_and_task(project: Path) -> None:
    found = records(project)
    address = found["notes::notes"].experiment

    def shown(spec: str) -> dict[str, object]:
        answer = bakeoff("show", spec, "--json", cwd=project / "src")
        assert answer.code == 0, answer.story
        document: dict[str, object] = json.loads(answer.out)
        return document

    for suite in ("notes", "release"):
        trial = shown(f"{address}::{suite}::notes::fake::1")["trial"]
        assert isinstance(trial, dict)
        assert trial["line"]["address"] == f"{address}::{suite}::notes::fake::1"
        assert trial["line"]["id"] == found[f"{suite}::notes"].id
    part = shown(f"{address}::release")["experiment"]
    assert isinstance(part, dict)
    assert [task["id"] for task in part["tasks"]] == [
        "release::environment",
        "release::missed",
        "release::notes",
    ]
    both = shown("latest::notes")["experiment"]
    assert isinstance(both, dict)
    assert {line["suite"] for line in both["trials"]} == {"notes"}


def test_a_plan_shows_the_options_that_a_task_has_for_its_harness(project: Path) -> None:
    answer = bakeoff("run", "notes", "release::notes", "--dry-run", "--json", cwd=project)
    assert answer.code == 0, answer.story
    plan = json.loads(answer.out)

    assert [arm["id"] for arm in plan["arms"]] == ["claude_code"]
    assert plan["arms"][0]["model"] == "claude-sonnet-4-5"
    options = {f"{task['suite']}::{task['id']}": task["options"] for task in plan["tasks"]}
    assert options["notes::notes"] == {"claude_code": {"allowed_tools": ["Bash", "Skill"]}}
    assert options["notes::codex"] == {}
    assert {(entry["suite"], entry["task"]) for entry in plan["order"]} == {
        ("notes", "codex"), ("notes", "known"), ("notes", "notes"), ("notes", "surprise"), ("release", "notes"),
    }  # fmt: skip


def test_usage_errors_end_with_two_and_leave_nothing_behind(tmp_path: Path) -> None:
    root = build_full_project(tmp_path)

    for arguments, words in [
        (["notes:notes"], "write `notes::notes`"),
        (["release::slow", "--exclude-tag", "slow"], "1 left out by --exclude-tag slow"),
        (["notes", "--provider", "gemini"], "there is no harness 'gemini'"),
        (["notes", "-k", "0"], "0 is not in the range"),
        (["notes", "--provider", "codex"], "harness 'codex_cli' is not supported yet"),
    ]:
        answer = bakeoff("run", *arguments, cwd=root)
        assert answer.code == 2, answer.story
        assert words in answer.err, answer.story
    assert not (root / ".bakeoff").exists()


def test_files_are_read_as_utf_8_whatever_the_locale_says(tmp_path: Path) -> None:
    root = build_full_project(tmp_path)
    task = root / "evals/suites/notes/tasks/umlaut.yaml"
    task.write_text("prompt: Grüße 世界\nassertions: [{file_exists: übersicht.md}]\n", encoding="utf-8")

    answer = bakeoff(
        "validate", "notes::umlaut", cwd=root, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"
    )

    assert answer.code == 0, answer.story
