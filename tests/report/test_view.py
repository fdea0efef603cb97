"""What every report says of an experiment and of a trial."""

from __future__ import annotations

import random

import pytest
from support.experiments import ARMS, TASKS, demo_experiment, demo_trials
from support.records import a_task, a_trial, a_verdict, a_void_trial, an_experiment

from bakeoff.model.experiment import ExperimentStatus
from bakeoff.model.trajectory import Denial, Message, ToolCall, Trajectory
from bakeoff.model.trial import Ending, Finding
from bakeoff.report.screen import Screen
from bakeoff.report.trial_page import render_trial
from bakeoff.report.trial_view import trial_view
from bakeoff.report.view import ABANDONED, ExperimentView, experiment_view


@pytest.fixture
def view() -> ExperimentView:
    return experiment_view(demo_experiment(), demo_trials())


def test_arms_are_told_in_the_order_of_the_experiment(view: ExperimentView) -> None:
    assert [arm.id for arm in view.arms] == list(ARMS)
    right, confident, editor = view.arms
    assert (right.rate.passed, right.rate.judged, right.outcomes) == (3, 3, {"pass": 3})
    assert (confident.rate.passed, confident.rate.judged) == (0, 2)
    assert confident.outcomes == {"fail": 1, "timeout": 1, "void": 1}
    assert (confident.void_reasons, confident.endings) == ({"rate_limit": 1}, {"timeout": 1})
    assert confident.placements == ("CLAUDE.md",)
    assert (editor.denials, right.denials, confident.denials) == (6, 0, 0)
    assert (confident.spending.usd, confident.spending.unpriced) == (0.05, 2)


def test_every_task_has_a_cell_for_every_arm(view: ExperimentView) -> None:
    assert [task.id for task in view.tasks] == list(TASKS)
    assert all([cell.arm for cell in task.cells] == list(ARMS) for task in view.tasks)
    cell = view.tasks[0].cells[1]
    assert (cell.passed, cell.judged, cell.outcomes) == (0, 1, {"fail": 1})
    assert cell.score
    assert cell.score.value == 0.75


def test_style_is_told_apart_from_correctness(view: ExperimentView) -> None:
    assert {check.check for check in view.checks} == {"untouched", "hidden"}
    assert {check.check for check in view.style_checks} == {"ruff"}
    ruff = view.style_checks[0]
    assert ruff.statuses == {"right": {"passed": 1}, "confident": {"failed": 1}}
    assert ruff.everywhere is None
    hidden = next(check for check in view.checks if check.check == "hidden")
    assert hidden.statuses["test-editor"] == {"skipped": 1}


def test_the_view_does_not_depend_on_the_order_in_which_trials_finished(view: ExperimentView) -> None:
    shuffled = demo_trials()
    random.Random(7).shuffle(shuffled)
    assert experiment_view(demo_experiment(), shuffled) == view


def test_trials_are_read_by_task_and_arm_whatever_the_plan_mixed() -> None:
    mixed = [trial.model_copy(update={"order": order}) for order, trial in enumerate(reversed(demo_trials()))]
    view = experiment_view(demo_experiment(), mixed)
    assert [(line.task, line.arm) for line in view.trials] == [(task, arm) for task in TASKS for arm in ARMS]
    assert [check.task for check in view.checks] == [task for task in TASKS for _ in range(2)]
    assert all(
        list(check.statuses) == [arm for arm in ARMS if arm in check.statuses] for check in view.checks
    )


def test_a_part_of_an_experiment_shows_only_what_it_has() -> None:
    part = [trial for trial in demo_trials() if trial.task == "slugify" and trial.arm != "right"]
    view = experiment_view(demo_experiment(), part, whole=False)
    assert [arm.id for arm in view.arms] == ["confident", "test-editor"]
    assert [task.id for task in view.tasks] == ["slugify"]
    assert (view.planned, view.recorded) == (2, 2)
    assert not any("not recorded" in caution for caution in view.cautions)


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (["pass", "pass"], "every trial passes"),
        (["fail", "timeout", "known_issue"], "every trial fails"),
        (["pass", "fail"], None),
        # Void says nothing, and one trial is no pattern.
        (["pass", "void"], None),
        (["pass", "pass", "void", "not_judged"], "every trial passes"),
        ([], None),
    ],
)
def test_tasks_that_cannot_tell_arms_apart_are_flagged(outcomes: list[str], expected: str | None) -> None:
    trials = [
        a_void_trial(repeat=number) if outcome == "void" else a_trial(repeat=number, outcome=outcome)
        for number, outcome in enumerate(outcomes, 1)
    ]
    assert experiment_view(an_experiment(repeats=4), trials).tasks[0].degenerate == expected


def test_an_experiment_whose_process_is_gone_does_not_say_that_it_runs() -> None:
    running = an_experiment(status=ExperimentStatus.RUNNING)
    assert experiment_view(running, [], abandoned=True).status == ABANDONED
    assert experiment_view(running, []).status == "running"
    assert experiment_view(an_experiment(), [], abandoned=True).status == "finished"


def test_missing_protections_of_any_trial_are_told() -> None:
    trials = [a_trial(protections={"network": False, "store hidden": True})]
    view = experiment_view(an_experiment(protections={"pid namespace": False}), trials)
    assert view.protections_missing == ("network", "pid namespace")


def test_findings_are_counted_by_kind() -> None:
    found = [Finding(kind="leftover", detail="x"), Finding(kind="tampering", detail="y")]
    trials = [a_trial(findings=found), a_trial(repeat=2, findings=found[:1])]
    assert experiment_view(an_experiment(), trials).findings == {"leftover": 2, "tampering": 1}


def test_a_trial_is_told_with_what_its_trajectory_knows() -> None:
    trajectory = Trajectory(
        steps=(
            Message(text="hm"),
            ToolCall(id="1", name="Read"),
            ToolCall(id="2", name="Bash"),
            ToolCall(id="3", name="Bash"),
        ),
        final_text="done",
        denials=(Denial(tool="Bash", reason="mode"),),
    )
    trial = a_trial(
        ending=Ending.TURN_LIMIT, verdicts=[a_verdict(), a_verdict("ruff", aspect="style")], exit_code=1
    )
    view = trial_view(an_experiment(), trial, trajectory)
    assert view.tools == {"Bash": 2, "Read": 1}
    assert (view.final_text, view.denied) == ("done", trajectory.denials)
    assert [verdict.check for verdict in view.verdicts] == ["hidden"]
    assert [verdict.check for verdict in view.style_verdicts] == ["ruff"]
    assert view.line.address == "exp_0a1b2c3d4e5f6a7b8::demo::fix-bug::right::1"
    assert view.prompt == "Do fix-bug."


def test_a_trial_without_a_trajectory_does_not_pretend_to_know() -> None:
    view = trial_view(an_experiment(["other"]), a_trial(skills=None))
    assert (view.tools, view.denied, view.retried, view.skills) == (None, None, None, None)
    assert (view.prompt, view.title) == (None, "fix-bug")


def test_the_commit_of_the_source_and_that_of_the_workspace_are_told_apart() -> None:
    experiment = an_experiment().model_copy(update={"tasks": [a_task(base_commit="a" * 40)]})
    view = trial_view(experiment, a_trial(base_commit="b" * 40))
    assert (view.source_commit, view.base_commit) == ("a" * 40, "b" * 40)
    page = render_trial(view, Screen())
    assert "starts from  " + "a" * 40 in page
    assert "workspace    commit " + "b" * 40 in page


def test_the_title_of_a_task_is_shown() -> None:
    experiment = an_experiment().model_copy(update={"tasks": [a_task(title="Fix the bug")]})
    assert trial_view(experiment, a_trial()).title == "Fix the bug"
    assert experiment_view(experiment, [a_trial()]).tasks[0].title == "Fix the bug"
