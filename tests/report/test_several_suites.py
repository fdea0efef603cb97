"""Tasks of the same id in two suites are two tasks in every number and every name."""

from __future__ import annotations

from support.records import a_trial, over

from bakeoff.model.experiment import PlannedTrial
from bakeoff.report.view import experiment_view


def test_tasks_of_the_same_id_are_told_apart() -> None:
    suites = ("greet", "release")
    planned = [PlannedTrial(suite=suite, task="hello", arm="fake", repeat=1) for suite in suites]
    experiment = over(planned, suite="shop")
    outcomes = {"greet": "pass", "release": "fail"}
    trials = [
        a_trial(**trial.model_dump(), order=order, id=f"t{order}", outcome=outcomes[trial.suite or ""])
        for order, trial in enumerate(planned)
    ]

    view = experiment_view(experiment, trials)

    assert [(task.id, task.cells[0].passed, task.cells[0].judged) for task in view.tasks] == [
        ("greet::hello", 1, 1),
        ("release::hello", 0, 1),
    ]
    assert [(line.suite, line.task, line.address) for line in view.trials] == [
        (suite, f"{suite}::hello", f"{trials[0].experiment}::{suite}::hello::fake::1") for suite in suites
    ]
    assert {check.task for check in view.checks} == {"greet::hello", "release::hello"}
    # Two tasks, each with its own contents, are no task that changed.
    assert not any("different contents" in caution for caution in view.cautions)

    alone = experiment_view(experiment, trials[:1], whole=False)
    assert [task.id for task in alone.tasks] == ["greet::hello"]


def test_one_suite_needs_no_name() -> None:
    planned = [PlannedTrial(suite="greet", task="hello", arm="fake", repeat=1)]
    experiment = over(planned, suite="greet")

    view = experiment_view(experiment, [a_trial(**planned[0].model_dump(), outcome="pass")])

    assert [task.id for task in view.tasks] == ["hello"]
    assert view.trials[0].task == "hello"
