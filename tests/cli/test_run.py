"""The command that does the work: selection, plans, refusals, exit codes."""

import json
from pathlib import Path

from support.bakeoff_run import bakeoff, make_project

FIX = [{"write": "app.py", "content": "def add(a, b):\n    return a + b\n"}]
WORKS = {"command": "python3 -c 'import app; assert app.add(2, 3) == 5'"}


def everything_in(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def test_a_pass_is_recorded_with_everything_that_went_into_it(tmp_path):
    project = make_project(tmp_path, script=FIX, verification=WORKS, version=3, tags=["small"])
    before = everything_in(tmp_path / "start")
    answer = project.run()
    assert answer.code == 0, answer.story
    record = project.record()
    assert record.outcome == "pass"
    assert record.ending == "completed"
    assert record.score == 1.0
    assert [change.path for change in record.changes] == ["app.py"]
    assert project.final_files(record)[b"app.py"] == FIX[0]["content"].encode()
    assert record.harness == "fake"
    assert record.tags == ["small"]
    assert len(record.digests.task) == 64
    assert everything_in(tmp_path / "start") == before


def test_a_failure_trips_the_gate_with_one_arm_only(tmp_path):
    project = make_project(tmp_path / "one", verification=WORKS)
    answer = project.run()
    assert answer.code == 1, answer.story
    assert "expected exit code 0" in answer.out
    arms = [{"id": name, "runner": "fake", "behavior": "noop"} for name in ("a", "b")]
    several = make_project(tmp_path / "two", verification=WORKS, variants=arms)
    assert several.run().code == 0
    assert several.run("--fail-on", "fail").code == 1
    assert several.run("--fail-on", "never", "--arm", "a").code == 0


def test_a_dry_run_shows_the_plan_and_writes_nothing(tmp_path):
    project = make_project(tmp_path, script=FIX, verification=WORKS)
    before = everything_in(tmp_path)
    answer = project.run("--dry-run", "-k", "3")
    assert answer.code == 0, answer.story
    assert ": 3 trials: 1 task × 1 arm × 3, " in answer.out
    assert everything_in(tmp_path) == before
    shown = json.loads(project.run("--dry-run", "--json", "-k", "2").out)
    assert (shown["schema"], shown["version"]) == ("bakeoff.plan", 1)
    assert [item["repeat"] for item in shown["order"]] == [1, 2]
    assert everything_in(tmp_path) == before


def test_repeats_jobs_and_names(tmp_path):
    project = make_project(tmp_path, script=FIX, verification=WORKS)
    answer = project.run("-k", "4", "-j", "3", "--name", "nightly", "--json")
    assert answer.code == 0, answer.story
    shown = json.loads(answer.out)
    assert shown["experiment"]["name"] == "nightly"
    assert [record.repeat for record in project.records()] == [1, 2, 3, 4]
    assert len({record.final_tree for record in project.records()}) == 1


def test_unknown_names_are_refused_with_a_suggestion_and_nothing_is_written(tmp_path):
    project = make_project(tmp_path, script=FIX)
    for arguments, hint in (
        (["--arm", "agnet"], "did you mean 'agent'?"),
        (["--tasks", "tsk*"], "matches no task"),
        (["--tag", "smoke"], "has the tag"),
        (["--drop", "task"], "is left"),
        (["--harness", "claud_code"], "claude_code"),
    ):
        answer = project.run(*arguments)
        assert answer.code == 2, answer.story
        assert hint in answer.err
    assert not (tmp_path / ".bakeoff").exists()


def test_fields_of_later_stages_are_refused_with_field_and_line(tmp_path):
    project = make_project(tmp_path, safety={"lure_urls": ["http://example.invalid/"]})
    answer = project.run()
    assert answer.code == 2, answer.story
    assert "safety" in answer.err
    assert "task.yaml:" in answer.err
    assert "not supported yet" in answer.err
    assert not (tmp_path / ".bakeoff").exists()


def test_a_missing_harness_is_refused_before_anything_is_written(tmp_path):
    arms = [{"id": "agent", "runner": "claude", "executable": "/nowhere/claude"}]
    project = make_project(tmp_path, variants=arms)
    answer = project.run()
    assert answer.code == 2, answer.story
    assert "/nowhere/claude" in answer.err
    assert not (tmp_path / ".bakeoff").exists()


def test_a_setup_that_fails_makes_the_trial_void_and_shows_its_output(tmp_path):
    project = make_project(tmp_path, script=FIX, setup={"commands": ["echo cannot reach it; exit 9"]})
    answer = project.run("-k", "4", "-j", "1")
    assert answer.code == 4, answer.story
    records = project.records()
    assert [record.void_reason for record in records] == ["setup_failed"] * 3
    assert "exited with 9" in records[0].detail
    shown = bakeoff("show", records[0].id, cwd=tmp_path)
    assert "exited with 9" in shown.out


def test_a_setup_that_leaves_the_tree_dirty_is_named(tmp_path):
    files = {"app.py": "x = 1\n", ".gitignore": "build/\n"}
    clean = make_project(tmp_path / "clean", files=files, setup={"commands": ["mkdir build; touch build/x"]})
    assert clean.run().code == 0
    dirty = make_project(tmp_path / "dirty", files=files, setup={"commands": ["touch left.txt"]})
    assert dirty.run().code == 4
    assert "left.txt" in dirty.record().detail


def test_what_setup_laid_down_is_not_the_agents_change(tmp_path):
    files = {"app.py": "x = 1\n", ".gitignore": "*.txt\n"}
    project = make_project(tmp_path, files=files, setup={"commands": ["echo made > made.txt"]})
    assert project.run().code == 0
    assert project.record().changes == []
    assert project.final_files(project.record())[b"made.txt"] == b"made\n"


def test_variables_are_named_but_their_values_are_not_recorded(tmp_path):
    script = [{"run": "printenv WANTED > seen.txt; printenv UNWANTED >> seen.txt; true"}]
    project = make_project(tmp_path, script=script)
    answer = project.run("--env", "WANTED", WANTED="a-value-to-look-for", UNWANTED="never-seen-here")
    assert answer.code == 0, answer.story
    record = project.record()
    assert project.final_files(record)[b"seen.txt"] == b"a-value-to-look-for\n"
    assert record.environment["WANTED"] == "passed"
    assert "UNWANTED" not in record.environment
    assert "a-value-to-look-for" not in json.dumps(record.environment)


def test_a_variable_with_a_value_is_refused_before_anything_is_written(tmp_path):
    project = make_project(tmp_path, script=FIX)
    answer = project.run("--env", "WANTED=value")
    assert answer.code == 2, answer.story
    assert "name the variable only" in answer.err
    assert not (tmp_path / ".bakeoff").exists()


def test_a_dry_run_says_which_harness_is_missing(tmp_path):
    arms = [{"id": "agent", "runner": "claude", "executable": "/nowhere/claude"}]
    answer = make_project(tmp_path, variants=arms).run("--dry-run")
    assert answer.code == 0, answer.story
    assert "/nowhere/claude" in answer.err


def test_keep_workspaces_says_where_they_are(tmp_path):
    project = make_project(tmp_path, script=FIX)
    assert project.run("--keep-workspaces").code == 0
    (kept,) = (item.detail for item in project.record().findings if item.kind == "workspace_kept")
    try:
        assert (Path(kept) / "app.py").read_text() == FIX[0]["content"]
    finally:
        import shutil

        shutil.rmtree(Path(kept).parent)
