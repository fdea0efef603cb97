"""A broken score command is seen in every report, and never looks like a task without one."""

from __future__ import annotations

from support.records import a_trial, a_verdict, an_experiment

from bakeoff.report.screen import Screen
from bakeoff.report.terminal import render_experiment
from bakeoff.report.trial_page import render_trial
from bakeoff.report.trial_view import trial_view
from bakeoff.report.view import experiment_view

REASON = "the score command exited with 127, not 0"


def test_an_arm_without_any_score_says_unknown_and_why() -> None:
    broken = [a_verdict(score_error=REASON)]
    trials = [a_trial(repeat=number, score=None, verdicts=broken) for number in (1, 2, 3)]
    view = experiment_view(an_experiment(repeats=3), trials)
    assert (view.arms[0].score, view.arms[0].unscored) == (None, 3)
    text = render_experiment(view, Screen(width=120))
    assert f"! score unknown in 3 of 3 trials of right: {REASON}\n" in text
    assert "unknown in 3" in text
    assert "3/3, score unknown" in text
    page = render_trial(trial_view(an_experiment(repeats=3), trials[0]), Screen())
    assert "score        unknown\n" in page


def test_a_score_that_is_known_somewhere_is_shown_with_its_number() -> None:
    trials = [
        a_trial(repeat=1, score=0.5),
        a_trial(repeat=2, score=None, verdicts=[a_verdict(score_error=REASON)]),
    ]
    text = render_experiment(experiment_view(an_experiment(repeats=2), trials), Screen(width=120))
    assert "0.50 (1/2)" in text
    assert f"score unknown in 1 of 2 trials of right: {REASON}" in text


def test_a_trial_without_a_score_command_is_not_called_unknown() -> None:
    view = experiment_view(an_experiment(), [a_trial(score=None)])
    assert view.arms[0].unscored == 0
    assert "score" not in render_experiment(view, Screen(width=120))
