"""The demo is what a newcomer sees first: it must say who passes, who fails, and why."""

import json
import subprocess

import pytest
from support.bakeoff_run import Project, bakeoff

from bakeoff.model.trial import TrialRecord


@pytest.fixture(params=["process", pytest.param("bubblewrap", marks=pytest.mark.sandbox)])
def sandbox(request):
    return request.param


def test_the_right_agent_passes_and_the_others_fail_for_the_right_reason(tmp_path, sandbox):
    answer = bakeoff("demo", "--json", "--sandbox", sandbox, cwd=tmp_path)
    assert answer.code == 0, answer.story
    assert json.loads(answer.out)["experiment"]["outcomes"] == {"pass": 3, "fail": 6}
    by_arm: dict[str, list[TrialRecord]] = {}
    for trial in Project(tmp_path).records():
        by_arm.setdefault(trial.arm, []).append(trial)
    assert [trial.outcome for trial in by_arm["right"]] == ["pass"] * 3
    assert [trial.outcome for trial in by_arm["confident"]] == ["fail"] * 3
    assert [trial.outcome for trial in by_arm["test-editor"]] == ["fail"] * 3
    for trial in by_arm["test-editor"]:
        verdicts = {verdict.check: verdict.status for verdict in trial.verdicts}
        assert verdicts == {"protected_paths": "failed", "verification": "skipped"}
    partial = next(trial for trial in by_arm["confident"] if trial.task == "csv-report")
    assert partial.score == 0.75
    assert partial.metrics == {"cases_held": 6, "cases": 8}


def test_the_table_tells_a_person_what_happened_and_where_to_look(tmp_path):
    answer = bakeoff("demo", "--sandbox", "process", cwd=tmp_path)
    assert answer.code == 0, answer.story
    for words in ("right", "confident", "test-editor", "3/3", "protected_paths", "bakeoff show"):
        assert words in answer.out
    shown = bakeoff("show", "latest::demo::month-end::confident::1", cwd=tmp_path)
    assert shown.code == 0, shown.story
    assert "AssertionError" in shown.out


def test_the_commands_that_it_prints_work(tmp_path):
    answer = bakeoff("demo", "--sandbox", "process", "--home", "my store", cwd=tmp_path, PATH="/usr/bin:/bin")
    assert answer.code == 0, answer.story
    commands = [line.strip().split("  ")[0] for line in answer.out.splitlines() if " show" in line[:200]]
    printed = [command for command in commands if command.endswith(("--home 'my store'",))]
    assert len(printed) == 3, answer.out
    for command in printed:
        end = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, check=False)
        assert end.returncode == 0, (command, end.stderr)
