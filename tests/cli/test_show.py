"""`bakeoff show`: from an experiment down to one check's evidence, the diff and the steps."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.experiments import demo_experiment
from support.homes import a_store
from support.recorded import STREAM_BYTES, recorded_demo
from support.records import a_trial, an_experiment

from bakeoff.cli.main import run
from bakeoff.store.database import Store

EXPERIMENT = demo_experiment().id
FIRST = f"{EXPERIMENT}::demo::month-end::right::1"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return recorded_demo(tmp_path)


@pytest.fixture
def home(store: Store) -> str:
    return str(store.layout.home)


def test_the_latest_experiment_is_shown_without_an_address(
    home: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "--home", home]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith(f"demo · finished · {EXPERIMENT}\n")
    assert "✗ month-end::confident::1  fail\n  check hidden failed: exit code 1, expected 0" in shown.out
    assert shown.err == ""
    assert run(["show", "demo", "--home", home]) == 0
    assert capsys.readouterr().out == shown.out


def test_a_part_of_an_experiment_is_shown_as_a_part(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "latest::slugify", "--home", home]) == 0
    text = capsys.readouterr().out
    assert "3 trials, a part of the experiment" in text
    assert "slugify" in text
    assert "month-end" not in text


def test_one_trial_is_shown_with_everything(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "latest::month-end::right", "--home", home]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"✓ pass  {FIRST}\n")
    for fact in (
        "cost         $0.05 (reported)",
        "tools        3 calls: Bash 1",
        "M src/app.py",
        "A caf\\xe9.txt",
        "A ignored.log (ignored)",
        "All done \\x1b[31m!",
        "artifacts    stream, trajectory",
    ):
        assert fact in text


def test_json_of_an_experiment_and_of_a_trial(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["show", "--json", "--home", home])
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], len(document["experiment"]["trials"])) == ("bakeoff.experiment", 9)
    run(["show", FIRST, "--json", "--home", home])
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["trial"]["line"]["address"]) == ("bakeoff.trial", FIRST)


def test_the_evidence_of_a_check(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    address = "latest::month-end::confident"
    assert run(["show", address, "--check", "hidden", "--home", home]) == 0
    text = capsys.readouterr().out
    assert "Evidence\nFAILED test_dates.py::test_leap_year\nE   assert 28 == 29\n1 failed, 3 passed\n" in text
    run(["show", "latest", "--check", "hidden", "--json", "--home", home])
    document = json.loads(capsys.readouterr().out)
    statuses = [found["verdict"]["status"] for found in document["verdicts"]]
    assert sorted(statuses) == ["failed", "passed", "passed", "passed", "skipped", "skipped", "skipped"]


def test_an_unknown_check_says_which_there_are(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "latest", "--check", "hiden", "--home", home]) == 2
    shown = capsys.readouterr()
    assert "did you mean 'hidden'?" in shown.err
    assert "checks there: untouched, hidden, ruff" in shown.err
    assert shown.out == ""


def test_the_diff_is_the_one_that_the_checks_saw(
    home: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(["show", FIRST, "--diff", "--home", home]) == 0
    diff = capfdbinary.readouterr().out
    assert b"-    return a - b\n+    return a + b\n" in diff
    # Bytes as they are, so that the diff can be applied; ignored files are not part of it.
    assert b"+latin \xe9\n" in diff
    assert b"ignored.log" not in diff


def test_the_diff_can_be_applied(home: str, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "src").mkdir(parents=True)
    (tree / "src" / "app.py").write_text("def add(a, b):\n    return a - b\n")
    diff = subprocess.run(
        [sys.executable, "-m", "bakeoff", "show", FIRST, "--diff", "--home", home],
        check=True,
        capture_output=True,
    ).stdout
    subprocess.run(["git", "init", "-q", "."], cwd=tree, check=True)
    subprocess.run(["git", "apply", "-"], cwd=tree, check=True, input=diff)
    assert (tree / "src" / "app.py").read_text() == "def add(a, b):\n    return a + b\n"


def test_diff_and_stream_as_json(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["show", FIRST, "--diff", "--json", "--home", home])
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["trial"], document["exact"]) == ("bakeoff.diff", FIRST, False)
    assert "+    return a + b\n" in document["text"]
    run(["show", FIRST, "--stream", "--json", "--home", home])
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "bakeoff.stream"


def test_the_stream_comes_as_it_was(home: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["show", FIRST, "--stream", "--home", home]) == 0
    assert capfdbinary.readouterr().out == STREAM_BYTES


class Watched(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_is_not_steered_by_a_stream(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", Watched(raw, encoding="utf-8"))
    assert run(["show", FIRST, "--stream", "--home", home]) == 0
    assert raw.getvalue() == b'{"type":"result"}\n\\xff\\x1b]0;title\\x07\n'


def test_the_trajectory_step_by_step(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", FIRST, "--trajectory", "--home", home]) == 0
    assert capsys.readouterr().out.startswith("1. message\n    I will look.\n2. Bash\n")
    run(["show", FIRST, "--trajectory", "--json", "--home", home])
    document = json.loads(capsys.readouterr().out)
    assert [step["step"] for step in document["steps"]] == ["message", "tool_call"]
    assert document["final_text"] == "All done \x1b[31m!"


@pytest.mark.parametrize("option", ["--diff", "--trajectory", "--stream"])
def test_what_needs_one_trial_lists_the_choices(
    home: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "latest", option, "--home", home]) == 2
    error = capsys.readouterr().err
    assert f"{option} needs one trial, and this address names 9" in error
    assert FIRST in error
    assert "and 4 more" in error


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--diff", "nothing was captured in this trial"),
        ("--trajectory", "no trajectory was kept"),
        ("--stream", "no stream was kept"),
    ],
)
def test_what_was_not_kept_is_said(
    home: str, option: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "latest::restraint::confident", option, "--home", home]) == 2
    assert message in capsys.readouterr().err


def test_options_that_exclude_each_other(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", FIRST, "--diff", "--stream", "--home", home]) == 2
    assert "exclude each other" in capsys.readouterr().err


def test_a_damaged_trajectory_does_not_hide_the_trial(
    store: Store, home: str, capsys: pytest.CaptureFixture[str]
) -> None:
    trial = store.trials(EXPERIMENT)[0]
    (store.layout.artifacts / trial.artifacts["trajectory"]).write_text("garbage")
    assert run(["show", FIRST, "--home", home]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("✓ pass")
    assert "tools        3 calls\n" in shown.out
    assert "cannot be read" in shown.err
    assert run(["show", FIRST, "--trajectory", "--home", home]) == 2


def test_a_missing_artifact_or_archive_is_said(
    store: Store, home: str, capsys: pytest.CaptureFixture[str]
) -> None:
    trial = store.trials(EXPERIMENT)[0]
    (store.layout.artifacts / trial.artifacts["stream"]).unlink()
    assert run(["show", FIRST, "--stream", "--home", home]) == 2
    assert "is recorded, but cannot be read: No such file" in capsys.readouterr().err
    store.layout.archive.rename(store.layout.home / "elsewhere")
    assert run(["show", FIRST, "--diff", "--home", home]) == 2
    assert "is gone, and the diff with it" in capsys.readouterr().err


def test_trees_that_the_archive_lost_are_said(
    tmp_path: Path, store: Store, home: str, capsys: pytest.CaptureFixture[str]
) -> None:
    store.start(an_experiment(id="exp_other", created_at="2026-04-01T10:00:00Z"))
    lost = a_trial(
        id="trial_lost",
        experiment="exp_other",
        baseline_tree="1" * 40,
        final_tree="2" * 40,
        changes=[{"path": "a", "kind": "added"}],
    )
    a_store(tmp_path).record(lost)
    assert run(["show", "trial_lost", "--diff", "--home", home]) == 2
    assert "the diff of trial trial_lost cannot be made" in capsys.readouterr().err


def test_an_unknown_address_says_what_could_be_meant(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "latest::month-ed", "--home", home]) == 2
    assert "did you mean 'month-end'?" in capsys.readouterr().err
    assert run(["show", "--home", f"{home}/nowhere"]) == 2
    assert "nothing is recorded in" in capsys.readouterr().err
