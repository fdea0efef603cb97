"""`bakeoff show` where a trial went wrong: the output of setup, any artifact, and void trials."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.homes import a_store
from support.records import a_trial, a_void_trial, an_experiment

from bakeoff.cli.main import run
from bakeoff.model.trial import VoidReason
from bakeoff.store.artifacts import Artifacts

OUTPUT = "\n".join(f"line {number}" for number in range(30)) + "\n\x1b[2Jno such package\n"


@pytest.fixture
def home(tmp_path: Path) -> str:
    store = a_store(tmp_path)
    experiment = an_experiment()
    store.start(experiment)
    trial = a_void_trial(VoidReason.SETUP_FAILED, detail="setup command 'x' failed\n\n  hint: look at it\n")
    artifacts = Artifacts(layout=store.layout, experiment=experiment.id, trial=trial.id)
    kept = {"setup": artifacts.write("setup", OUTPUT.encode(), redact=bytes)}
    store.record(trial.model_copy(update={"artifacts": kept}))
    return str(store.layout.home)


def test_the_end_of_what_a_failed_setup_printed_is_shown(
    home: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "latest::fix-bug::right::1", "--home", home]) == 0
    text = capsys.readouterr().out
    assert "\n  setup command 'x' failed\n  hint: look at it\n" in text
    assert "\nOutput of setup\n  (19 earlier lines)\n" in text
    assert "\n  \\x1b[2Jno such package\n" in text
    assert "line 3\n" not in text
    assert "--artifact setup" in text


def test_any_artifact_can_be_read(home: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["show", "latest", "--artifact", "setup", "--home", home]) == 0
    assert capfdbinary.readouterr().out == OUTPUT.encode()
    assert run(["show", "latest", "--artifact", "setup", "--json", "--home", home]) == 0
    document = json.loads(capfdbinary.readouterr().out)
    assert (document["schema"], document["artifact"], document["text"]) == (
        "bakeoff.artifact",
        "setup",
        OUTPUT,
    )


def test_an_unknown_artifact_is_refused_with_a_suggestion(
    home: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "latest", "--artifact", "setpu", "--home", home]) == 2
    error = capsys.readouterr().err
    assert "no artifact 'setpu' was kept of this trial; did you mean 'setup'?" in error
    assert "kept were: setup" in error


def test_a_void_trial_has_no_checks_and_one_hint(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "latest", "--check", "nope", "--home", home]) == 2
    assert "this trial is void: no check was evaluated" in capsys.readouterr().err
    assert run(["show", "latest", "--diff", "--home", home]) == 2
    error = capsys.readouterr().err
    assert error.count("hint:") == 1
    assert "setup command 'x' failed: look at it" in error


def test_an_address_that_names_all_of_it_is_no_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = a_store(tmp_path)
    store.start(an_experiment(repeats=2))
    for repeat in (1, 2):
        store.record(a_trial(repeat=repeat))
    assert run(["show", "latest::fix-bug", "--home", str(store.layout.home)]) == 0
    assert "a part of the experiment" not in capsys.readouterr().out
