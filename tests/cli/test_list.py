"""`bakeoff list`: the experiments, newest first, for people and for programs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support.experiments import demo_experiment, demo_trials
from support.homes import a_store
from support.recorded import recorded_demo
from support.records import a_trial, an_experiment

from bakeoff.cli.main import run
from bakeoff.model.experiment import ExperimentStatus
from bakeoff.store.owner import this_host

ADDRESS = demo_experiment().id


def test_an_experiment_is_told_with_outcomes_and_cost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = recorded_demo(tmp_path)
    assert run(["list", "--home", str(store.layout.home)]) == 0
    assert capsys.readouterr().out == (
        f"{ADDRESS} · 2026-03-01 09:59 UTC · finished · cost $0.35+\n"
        "  demo · 3 tasks · 3 arms: right, confident, test-editor\n"
        "  3 pass, 4 fail, 1 timeout, 1 void\n"
    )


def test_the_newest_comes_first_and_the_limit_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = a_store(tmp_path)
    for day in (2, 1, 3):
        store.start(an_experiment(id=f"exp_{day}", created_at=f"2026-03-0{day}T10:00:00Z"))
    home = str(store.layout.home)
    run(["list", "--home", home, "--limit", "2"])
    text = capsys.readouterr().out
    assert text.index("exp_3") < text.index("exp_2")
    assert "exp_1" not in text
    assert "and 1 older" in text
    run(["list", "--home", home, "--limit", "2", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["version"], document["more"]) == ("bakeoff.experiments", 1, 1)
    assert [item["id"] for item in document["experiments"]] == ["exp_3", "exp_2"]


def test_json_holds_every_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = recorded_demo(tmp_path)
    run(["list", "--home", str(store.layout.home), "--json"])
    found = json.loads(capsys.readouterr().out)["experiments"][0]
    costs = [trial.usage.cost_usd for trial in demo_trials() if trial.usage.cost_usd is not None]
    assert found["spending"]["usd"] == pytest.approx(sum(costs))
    assert found["spending"]["unpriced"] == 2
    assert found["outcomes"] == {"pass": 3, "fail": 4, "timeout": 1, "void": 1}
    assert (found["planned"], found["recorded"], found["tasks"]) == (9, 9, 3)
    assert found["arms"] == ["right", "confident", "test-editor"]


def test_an_unfinished_experiment_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = a_store(tmp_path)
    gone = os.spawnlp(os.P_NOWAIT, "true", "true")
    os.waitpid(gone, 0)
    store.start(
        an_experiment(
            repeats=3,
            status=ExperimentStatus.RUNNING,
            owner_pid=gone,
            owner_host=this_host(),
            name="größer\x1b[2J",
        )
    )
    store.record(a_trial())
    run(["list", "--home", str(store.layout.home)])
    text = capsys.readouterr().out
    assert "abandoned" in text
    assert "1 pass, 2 of 3 not recorded" in text
    assert "größer\\x1b[2J · suite demo" in text


def test_a_project_without_experiments_has_an_empty_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["list"]) == 0
    shown = capsys.readouterr()
    assert (shown.out, "nothing is recorded yet" in shown.err) == ("", True)
    assert run(["list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["experiments"] == []
    assert list(tmp_path.iterdir()) == []


def test_the_store_of_the_project_is_found_from_below(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = recorded_demo(tmp_path)
    monkeypatch.setenv("BAKEOFF_HOME", str(store.layout.home))
    monkeypatch.chdir(tmp_path)
    assert run(["list"]) == 0
    assert ADDRESS in capsys.readouterr().out


def test_a_wrong_home_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "--home", str(tmp_path / "nowhere")]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "nothing is recorded in" in shown.err


def test_nothing_recorded_is_said_once_and_costs_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = a_store(tmp_path)
    store.start(an_experiment(repeats=3))
    run(["list", "--home", str(store.layout.home)])
    text = capsys.readouterr().out
    assert "\n  none of 3 trials recorded\n" in text
    assert "cost" not in text
