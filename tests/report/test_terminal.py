"""The text report of an experiment: snapshots, widths, no colour, ASCII, and hostile text.

`BAKEOFF_UPDATE_SNAPSHOTS=1` writes the snapshots anew; read the difference before keeping it.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from support.experiments import demo_experiment, demo_trials
from support.records import a_task, a_trial, a_verdict, an_arm, an_experiment

from bakeoff.model.experiment import ExperimentStatus
from bakeoff.model.trajectory import Denial, Message, Retry, ToolCall, Trajectory
from bakeoff.model.trial import Ending, TrialRecord
from bakeoff.report.screen import Screen
from bakeoff.report.steps_page import render_steps
from bakeoff.report.terminal import print_experiment, render_experiment
from bakeoff.report.trial_page import render_check, render_trial
from bakeoff.report.trial_view import trial_view
from bakeoff.report.view import experiment_view

SNAPSHOTS = Path(__file__).parent / "snapshots"
# Read here: while tests run, the environment is a neutral one.
UPDATE = bool(os.environ.get("BAKEOFF_UPDATE_SNAPSHOTS"))
ANSI = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = "[bold]x[/bold] :smile: \x1b[2J\x1b]0;t\x07 \u202egnp \ud800 a\nb"
TRAJECTORY = Trajectory(
    steps=(
        Message(text="I look first.", kind="reasoning"),
        ToolCall(
            id="1", name="Bash", input={"command": "ls"}, result="\n".join(map(str, range(40))), exit_code=0
        ),
        ToolCall(id="2", name="Edit", input={"path": "tests/x.py"}, denied=True, denial="not allowed"),
        Message(text="Done.\nAll tests pass.", thread="sub-1"),
    ),
    final_text="Done.\nAll tests pass.",
    denials=(Denial(tool="Edit", reason="not allowed"),),
    retries=(Retry(attempt=1, status=429, kind="rate_limit"),),
)


def check_snapshot(name: str, text: str) -> None:
    path = SNAPSHOTS / f"{name}.txt"
    if UPDATE:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def failed_trial() -> TrialRecord:
    return next(trial for trial in demo_trials() if trial.arm == "confident")


@pytest.mark.parametrize("width", [80, 120])
def test_the_report_of_an_experiment(width: int) -> None:
    view = experiment_view(
        demo_experiment(warnings=["suite.yaml:3:1: weight 0"], protections={"network": False}), demo_trials()
    )
    check_snapshot(f"experiment-{width}", render_experiment(view, Screen(width=width)))


def test_the_report_of_an_experiment_in_ascii() -> None:
    text = render_experiment(
        experiment_view(demo_experiment(), demo_trials()), Screen(width=80, unicode=False)
    )
    assert text.isascii()
    check_snapshot("experiment-80-ascii", text)


@pytest.mark.parametrize("width", [80, 120])
def test_the_report_of_many_arms_and_repeats(width: int) -> None:
    arms = [f"claude-sonnet-effort-{effort}" for effort in ("low", "medium", "high", "max")]
    outcomes = ["pass", "fail", "timeout", "not_judged", "known_issue", "unexpected_pass"]
    trials = [
        a_trial(task=task, arm=arm, repeat=repeat, outcome=outcomes[(order + repeat) % 6], order=order)
        for order, (task, arm) in enumerate((task, arm) for task in ("one", "two") for arm in arms)
        for repeat in (1, 2, 3)
    ]
    view = experiment_view(an_experiment(["one", "two"], arms, 3), trials)
    check_snapshot(f"many-arms-{width}", render_experiment(view, Screen(width=width)))


@pytest.mark.parametrize("width", [80, 120])
def test_the_report_of_a_trial(width: int) -> None:
    trial = failed_trial().model_copy(
        update={"weight": 2.0, "metrics": {"seconds": 1.5}, "notes": {"why": "x"}}
    )
    text = render_trial(trial_view(demo_experiment(), trial, TRAJECTORY), Screen(width=width))
    check_snapshot(f"trial-{width}", text)


def test_the_evidence_of_a_check() -> None:
    trial = failed_trial()
    text = render_check(trial, trial.verdicts[1], Screen(width=80), "exp::demo::month-end::confident::1")
    check_snapshot("check-80", text)


def test_the_steps_of_a_trajectory() -> None:
    check_snapshot("steps-80", render_steps(TRAJECTORY, Screen(width=80)))
    assert "told of no step" in render_steps(Trajectory(), Screen())


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_screen(width: int) -> None:
    view = experiment_view(demo_experiment(), demo_trials())
    text = render_experiment(view, Screen(width=width))
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert all(line == line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_no_number_is_lost_or_cut_on_any_screen(width: int) -> None:
    text = render_experiment(experiment_view(demo_experiment(), demo_trials()), Screen(width=width))
    arms = text[text.index("Arms") : text.index("Tasks")]
    unwrapped = " ".join(arms.split())
    for fact in (
        "3/3",
        "100 %",
        "0/2",
        "0–33 %",
        "0.75 (1/2)",
        "5 min 06 s",
        "10.5k (1/2)",
        "$0.05+",
        "1 timeout, 1 void",
    ):
        assert fact in unwrapped


def test_colour_adds_nothing_but_colour() -> None:
    view = experiment_view(demo_experiment(), demo_trials())
    plain = render_experiment(view, Screen(width=100))
    coloured = render_experiment(view, Screen(width=100, colour=True))
    assert "\x1b[31m" in coloured
    uncoloured = [line.rstrip() for line in ANSI.sub("", coloured).splitlines()]
    assert uncoloured == plain.splitlines()


def test_every_outcome_is_told_in_words() -> None:
    outcomes = ["pass", "fail", "timeout", "known_issue", "unexpected_pass", "not_judged"]
    trials = [a_trial(task=outcome, outcome=outcome) for outcome in outcomes]
    text = render_experiment(experiment_view(an_experiment(outcomes), trials), Screen())
    for words in ("✓ pass", "✗ fail", "◷ timeout", "≈ known issue", "! unexpected pass", "? not judged"):
        assert words in text


def test_text_of_agents_and_files_cannot_steer_the_terminal() -> None:
    """Neither control characters nor rich's markup and emoji codes have any effect."""
    trial = a_trial(
        task="t",
        arm="a",
        outcome="fail",
        detail=HOSTILE,
        verdicts=[a_verdict(HOSTILE, "failed", type=HOSTILE, reason=HOSTILE, evidence=HOSTILE)],
        harness=HOSTILE,
        harness_version=HOSTILE,
        model_asked=HOSTILE,
        model_answered=[HOSTILE],
        skills=[HOSTILE],
        tags=[HOSTILE],
        notes={HOSTILE: HOSTILE},
        left_out=[HOSTILE],
        changes=[{"path": HOSTILE, "kind": "added"}],
        findings=[{"kind": HOSTILE, "detail": HOSTILE}],
        artifacts={HOSTILE: "x"},
    )
    experiment = an_experiment(["t"], name=HOSTILE, suite=HOSTILE, status_reason=HOSTILE, warnings=[HOSTILE])
    experiment = experiment.model_copy(
        update={
            "arms": [an_arm("a", model=HOSTILE, placements=[{"name": HOSTILE}])],
            "tasks": [a_task("t", title=HOSTILE)],
        }
    )
    trajectory = Trajectory(
        steps=(
            Message(text=HOSTILE, thread=HOSTILE),
            ToolCall(id="1", name=HOSTILE, input={HOSTILE: HOSTILE}, result=HOSTILE, denial=HOSTILE),
        ),
        final_text=HOSTILE,
        finish_reason=HOSTILE,
        denials=(Denial(tool=HOSTILE, reason=HOSTILE),),
        retries=(Retry(attempt=1, status=None, kind=HOSTILE),),
    )
    screen = Screen(width=120)
    pages = [
        render_experiment(experiment_view(experiment, [trial]), screen),
        render_trial(trial_view(experiment, trial, trajectory), screen),
        render_check(trial, trial.verdicts[0], screen, HOSTILE),
        render_steps(trajectory, screen),
    ]
    for page in pages:
        assert "\\x1b[2J" in page
        assert "[bold]x[/bold] :smile:" in page
        assert not {"\x1b", "\x07", "\u202e", "\ud800"} & set(page)


def test_an_experiment_without_trials_says_what_it_is() -> None:
    running = an_experiment(status=ExperimentStatus.RUNNING, status_reason="")
    text = render_experiment(experiment_view(running, []), Screen())
    assert "demo · running · exp_0a1b2c3d4e5f6a7b8" in text
    assert "0 of 1 trial: 1 task × 1 arm × 1" in text
    assert "planned trials that are not recorded: right 1" in text


def test_many_failures_are_counted_rather_than_all_explained() -> None:
    trials = [
        a_trial(task=f"task-{n}", outcome="fail", detail=f"reason {n}", ending=Ending.COMPLETED, order=n)
        for n in range(50)
    ]
    text = render_experiment(
        experiment_view(an_experiment([f"task-{n}" for n in range(50)]), trials), Screen()
    )
    assert "reason 19" in text
    assert "reason 20\n" not in text
    assert "and 30 more trials that did not pass" in text
    assert "and 10 more checks: --json lists all" in text


def test_a_stream_that_cannot_hold_a_character_gets_it_escaped() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    experiment = an_experiment(name="größe")
    print_experiment(experiment_view(experiment, [a_trial()]), stream)
    assert raw.getvalue().startswith(b"gr\\xf6\\xdfe - finished - exp_0a1b2c3d4e5f6a7b8\n")


def test_a_report_in_a_file_does_not_depend_on_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    def printed() -> bytes:
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, encoding="utf-8")
        print_experiment(experiment_view(demo_experiment(), demo_trials()), stream)
        return raw.getvalue()

    before = printed()
    for name, value in (
        ("FORCE_COLOR", "1"),
        ("TERM", "xterm-256color"),
        ("LC_ALL", "de_DE"),
    ):
        monkeypatch.setenv(name, value)
    assert printed() == before


def test_a_warning_has_its_hint_on_its_own_line() -> None:
    warning = "s.yaml:3:1: warning: '*.lock' matches no file\n\n  hint: nothing\x1b is protected by it\n"
    text = render_experiment(experiment_view(an_experiment(warnings=[warning]), [a_trial()]), Screen())
    assert "! suite: s.yaml:3:1: '*.lock' matches no file\n  hint: nothing\\x1b is protected by it\n" in text


def test_few_findings_are_told_and_many_are_counted() -> None:
    def shown(count: int) -> str:
        findings = [{"kind": "workspace_kept", "detail": f"/kept/{number}"} for number in range(count)]
        view = experiment_view(an_experiment(), [a_trial(findings=findings)])
        return render_experiment(view, Screen())

    assert "! noticed: workspace_kept: /kept/0 (fix-bug::right::1)\n" in shown(1)
    assert "/kept/4" in shown(5)
    many = shown(6)
    assert "/kept/" not in many
    assert "! noticed: workspace_kept, 6 times: see bakeoff show exp_0a1b2c3d4e5f6a7b8::TASK::ARM::K" in many


def test_no_heading_stands_over_nothing() -> None:
    text = render_experiment(experiment_view(an_experiment(), [a_trial()]), Screen())
    assert "Checks that did not always pass" not in text
    assert "\n1 check passed in every trial\n" in text


def test_the_status_is_not_said_twice() -> None:
    experiment = an_experiment(
        status=ExperimentStatus.INTERRUPTED, status_reason="interrupted; 0 of 1 trials are recorded"
    )
    text = render_experiment(experiment_view(experiment, []), Screen())
    assert "\ninterrupted: 0 of 1 trials are recorded\n" in text
