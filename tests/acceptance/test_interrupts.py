"""Ctrl-C and its relatives: nothing new starts, what has finished is recorded, nothing is left."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from support.bakeoff_run import Project, command_of
from support.running_bakeoff import running_bakeoff, workspaces_that_stay
from support.suites import RIGHT, WORKS, make_suite
from support.supervising import marked
from support.supervisor_kinds import in_both

from bakeoff.model.experiment import ExperimentStatus
from bakeoff.store.database import Store

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are found in /proc")

PROMISE_S = 3.0
"""A run is promised to end so soon; checked by the slow test, which looks at the best of several runs."""

UNDER_LOAD_S = 15.0
"""What every run is held to, whatever else the machine does: far less than to wait for a trial."""

CTRL_C = (signal.SIGINT, True)
"""How the end is asked for: a signal, and whether the whole process group gets it, as from a terminal."""

WAYS = [
    pytest.param("bubblewrap", *CTRL_C, marks=pytest.mark.sandbox, id="bubblewrap-ctrl-c"),
    pytest.param("process", *CTRL_C, id="process-ctrl-c"),
    pytest.param("process", signal.SIGTERM, False, id="process-terminate"),
    pytest.param("process", signal.SIGHUP, True, id="process-hang-up"),
]


def some_quick_some_hanging(root: Path, mark: str) -> Project:
    """Two tasks of which one hangs in the agent, and an endless supply of trials."""
    hang = f"setsid sh -c 'trap \"\" TERM; sleep 301; : {mark}' & while :; do sleep 0.2; done; : {mark}"
    return make_suite(
        root,
        tasks={
            "quick": {"verification": {"command": WORKS}},
            "hanging": {"setup": {"commands": ["touch hang"]}},
        },
        files={"app.py": "", ".gitignore": "hang\n"},
        arms={"agent": [{"write": "app.py", "content": RIGHT}, {"run": f"test -e hang || exit 0; {hang}"}]},
    )


@pytest.mark.parametrize(("sandbox", "number", "group"), WAYS)
def test_a_run_ends_soon_and_leaves_nothing(
    tmp_path: Path, sandbox: str, number: signal.Signals, group: bool
) -> None:
    mark, temporary = f"interrupted-{uuid4().hex}", tmp_path / "temporary"
    temporary.mkdir()
    project = some_quick_some_hanging(tmp_path / "project", mark)
    arguments = ["run", "suite.yaml", "-k", "40", "-j", "3", "--sandbox", sandbox]
    with running_bakeoff(*arguments, cwd=project.root, env={"TMPDIR": str(temporary)}) as running:
        # All three workers hang in the end; before that some quick trials had their turn.
        running.wait_until(lambda: len(marked(mark)) >= 6)
        running.wait_until(lambda: "pass" in running.told)
        started = time.monotonic()
        running.signal(number, group=group)
        answer = running.end()
        took_s = time.monotonic() - started
    assert answer.code == 130, answer.story
    assert took_s < UNDER_LOAD_S
    assert marked(mark) == {}
    assert workspaces_that_stay(temporary) == []
    assert [path.name for path in temporary.iterdir() if path.name.startswith("bakeoff")] == []
    assert "interrupted" in answer.err

    store = Store.open(project.layout, create=False)
    (experiment,) = store.experiments()
    assert experiment.status is ExperimentStatus.INTERRUPTED
    records = store.trials(experiment.id)
    assert {record.task for record in records} == {"quick"}
    assert {record.outcome for record in records} == {"pass"}
    assert f"{len(records)} of 80 trials" in experiment.status_reason
    assert answer.err.count("pass  ") == len(records), "what was shown as finished is what is recorded"


@in_both
def test_a_run_ends_also_while_setups_and_checks_are_going_on(tmp_path: Path, sandbox: str) -> None:
    mark, temporary = f"interrupted-{uuid4().hex}", tmp_path / "temporary"
    temporary.mkdir()
    hang = f"trap '' INT TERM; (trap '' TERM; sleep 302; : {mark}) & while :; do sleep 0.2; done; : {mark}"
    project = make_suite(
        tmp_path / "project",
        tasks={"setup": {"setup": {"commands": [hang]}}, "check": {"verification": {"command": hang}}},
        arms={"idle": {"behavior": "noop", "run_command": False}},
    )
    arguments = ["run", "suite.yaml", "-j", "2", "--sandbox", sandbox]
    with running_bakeoff(*arguments, cwd=project.root, env={"TMPDIR": str(temporary)}) as running:
        running.wait_until(lambda: len(marked(mark)) >= 4)
        started = time.monotonic()
        running.signal(signal.SIGINT, group=True)
        answer = running.end()
        took_s = time.monotonic() - started
    assert answer.code == 130, answer.story
    assert took_s < UNDER_LOAD_S
    assert marked(mark) == {}
    assert workspaces_that_stay(temporary) == []
    assert project.records() == []


def slow_git(directory: Path, command: str, started: Path) -> Mapping[str, str]:
    """A PATH on which git dawdles before one of its commands, and leaves a file when it does."""
    real = shutil.which("git")
    directory.mkdir()
    wrapper = directory / "git"
    wrapper.write_text(
        f'#!/bin/sh\ncase " $* " in *" {command} "*) touch {started}; sleep 1;; esac\nexec {real} "$@"\n'
    )
    wrapper.chmod(0o755)
    return {"PATH": f"{directory}:{os.environ['PATH']}"}


def test_ctrl_c_does_not_end_the_git_that_looks_at_a_finished_agent(tmp_path: Path) -> None:
    """A terminal signals every process of the group; a trial must not become void by that."""
    started = tmp_path / "started"
    project = make_suite(
        tmp_path / "project",
        tasks={"task": {}},
        files={".gitignore": "*.log\n"},
        arms={"agent": [{"write": "new.txt"}]},
    )
    env = slow_git(tmp_path / "bin", "check-ignore", started)
    with running_bakeoff("run", "suite.yaml", "--sandbox", "process", cwd=project.root, env=env) as running:
        running.wait_until(started.exists)
        running.signal(signal.SIGINT, group=True)
        answer = running.end()
    assert answer.code == 130, answer.story
    assert [record.outcome for record in project.records() if record.outcome == "void"] == []


def test_a_run_ends_while_a_harness_is_asked_for_its_version(tmp_path: Path) -> None:
    mark = f"asked-{uuid4().hex}"
    program = tmp_path / "claude"
    program.write_text(f"#!/bin/sh\nwhile :; do sleep 0.2; done; : {mark}\n")
    program.chmod(0o755)
    project = make_suite(
        tmp_path / "project",
        tasks={"task": {}},
        arms={"claude": {"runner": "claude", "executable": str(program)}},
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        with running_bakeoff("run", "suite.yaml", cwd=project.root) as running:
            running.wait_until(lambda: marked(str(program)))
            started = time.monotonic()
            running.signal(number)
            answer = running.end()
            took_s = time.monotonic() - started
        assert answer.code == 130, answer.story
        assert took_s < UNDER_LOAD_S
        assert marked(str(program)) == {}
        assert not project.layout.database.exists()


def test_the_first_five_trials_all_void_stop_the_experiment(tmp_path: Path) -> None:
    broken = {"setup": {"commands": ["echo no such mirror >&2; exit 7"]}}
    project = make_suite(
        tmp_path / "project",
        tasks={f"task-{number}": broken for number in range(4)},
        arms={"idle": {"behavior": "noop"}},
    )
    answer = project.run("-k", "10", "-j", "2", "--sandbox", "process")
    records = project.records()
    # The one that ran beside the fifth is recorded as well.
    assert 5 <= len(records) <= 6
    assert {record.void_reason for record in records} == {"setup_failed"}
    assert answer.code == 4, answer.story
    assert "the first 5 trials were all void" in answer.err
    (experiment,) = Store.open(project.layout, create=False).experiments()
    assert experiment.status is ExperimentStatus.STOPPED
    assert "exited with 7" in experiment.status_reason


def test_a_terminal_that_is_closed_is_an_interrupt_and_no_bug(tmp_path: Path) -> None:
    mark = f"hanging-{uuid4().hex}"
    project = make_suite(
        tmp_path / "project",
        tasks={"task": {}},
        arms={"agent": [{"run": f"while :; do sleep 0.2; done; : {mark}"}]},
    )
    ours, theirs = pty.openpty()
    started = subprocess.Popen(
        # setsid takes the terminal as its own, which is what makes its end known.
        ["setsid", "--ctty", "--wait", *command_of(["run", "suite.yaml", "--sandbox", "process"])],
        cwd=project.root,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    try:
        until = time.monotonic() + 60
        while not marked(mark) and time.monotonic() < until:
            time.sleep(0.05)
        os.close(ours)
        assert started.wait(30) == 130
    finally:
        started.kill()
        started.wait()
    assert marked(mark) == {}
    assert list(tmp_path.glob("bakeoff*.log")) == []
    (experiment,) = Store.open(project.layout, create=False).experiments()
    assert experiment.status is ExperimentStatus.INTERRUPTED


def test_a_reader_that_goes_away_does_not_turn_a_failure_into_success(tmp_path: Path) -> None:
    project = make_suite(
        tmp_path / "project",
        tasks={"task": {"verification": {"command": "exit 9"}}},
        arms={"idle": {"behavior": "noop", "run_command": False}},
    )
    started = subprocess.Popen(
        command_of(["run", "suite.yaml", "--sandbox", "process"]),
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert started.stdout is not None
    started.stdout.close()
    assert started.wait(60) == 1


def are_running(mark: str, number: int) -> bool:
    return len(marked(mark)) >= number


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("files", [1, 6_000])
def test_a_run_ends_within_three_seconds_however_large_its_workspaces_are(tmp_path: Path, files: int) -> None:
    mark, temporary = f"large-{uuid4().hex}", tmp_path / "temporary"
    temporary.mkdir()
    project = make_suite(
        tmp_path / "project",
        tasks={"task": {}},
        files={f"{number // 100}/{number}.py": f"x = {number}\n" for number in range(files)},
        arms={"agent": [{"run": f"sleep 301; : {mark}"}]},
    )
    arguments = ["run", "suite.yaml", "-k", "3", "-j", "3", "--sandbox", "process"]
    took_s = []
    # In the first, trials are stopped while they are made ready; in the others all are at work.
    for agents in (1, 3, 3, 3):
        with running_bakeoff(*arguments, cwd=project.root, env={"TMPDIR": str(temporary)}) as running:
            running.wait_until(partial(are_running, mark, agents), patience_s=300)
            started = time.monotonic()
            running.signal(signal.SIGINT, group=True)
            answer = running.end()
            took_s.append(time.monotonic() - started)
        assert answer.code == 130, answer.story
        assert marked(mark) == {}
        assert workspaces_that_stay(temporary) == []
    assert min(took_s) < PROMISE_S, took_s
    assert max(took_s) < UNDER_LOAD_S, took_s


@pytest.mark.slow
@pytest.mark.timeout(600)
@in_both
def test_thirty_trials_at_once_are_all_recorded_again_and_again(tmp_path: Path, sandbox: str) -> None:
    project = make_suite(
        tmp_path / "project",
        tasks={"task": {"verification": {"command": WORKS}}},
        arms={"agent": [{"write": "app.py", "content": RIGHT}, {"run": "(setsid sleep 303 &)"}]},
    )
    for _ in range(5):
        answer = project.run("-k", "30", "-j", "8", "--sandbox", sandbox)
        assert answer.code == 0, answer.story
        records = project.records()
        assert [record.repeat for record in records] == list(range(1, 31))
        assert {record.outcome for record in records} == {"pass"}
        assert len({record.final_tree for record in records}) == 1


def test_many_ctrl_c_at_any_moment_give_the_exit_code_of_one(tmp_path: Path) -> None:
    project = make_suite(
        tmp_path / "project",
        tasks={"task": {}},
        arms={"agent": [{"run": "while :; do sleep 0.2; done"}]},
    )
    for delay_s in (0.0, 0.05, 0.2):
        with running_bakeoff("run", "suite.yaml", "--sandbox", "process", cwd=project.root) as running:
            running.wait_until(lambda: "suite: 1 trial" in running.told)
            for _ in range(40):
                if running.process.poll() is not None:
                    break
                running.signal(signal.SIGINT)
                time.sleep(delay_s)
            answer = running.end()
        assert answer.code == 130, answer.story
        assert "Traceback" not in answer.err
        assert "bug" not in answer.err
    assert {each.status for each in Store.open(project.layout, create=False).experiments()} == {
        ExperimentStatus.INTERRUPTED
    }


def test_a_second_ctrl_c_is_no_bug_and_leaves_nothing_either(tmp_path: Path) -> None:
    mark, temporary = f"interrupted-{uuid4().hex}", tmp_path / "temporary"
    temporary.mkdir()
    project = some_quick_some_hanging(tmp_path / "project", mark)
    arguments = ["run", "suite.yaml", "--tasks", "hanging", "--sandbox", "process"]
    with running_bakeoff(*arguments, cwd=project.root, env={"TMPDIR": str(temporary)}) as running:
        running.wait_until(lambda: len(marked(mark)) >= 2)
        running.signal(signal.SIGINT)
        time.sleep(0.2)
        running.signal(signal.SIGINT)
        answer = running.end()
    assert answer.code == 130, answer.story
    assert marked(mark) == {}
    assert workspaces_that_stay(temporary) == []
    (experiment,) = Store.open(project.layout, create=False).experiments()
    assert experiment.status is ExperimentStatus.INTERRUPTED
