"""Whatever an agent, a setup or a check leaves running has ended before the next thing begins."""

from __future__ import annotations

import functools
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from support.bakeoff_run import Project, bakeoff, command_of
from support.running_bakeoff import (
    RunningBakeoff,
    left_workspaces,
    running_bakeoff,
    seconds_until_gone,
)
from support.suites import RIGHT, START, WORKS, make_suite
from support.supervising import marked
from support.supervisor_kinds import in_both

from bakeoff.model.experiment import ExperimentStatus
from bakeoff.model.trial import TrialRecord
from bakeoff.store.database import Store
from bakeoff.store.owner import is_abandoned

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are found in /proc")

LIMIT_S = 8
_SOLVE_LATER = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while os.path.exists("/proc/" + sys.argv[2]):
    time.sleep(0.02)
time.sleep(1)
until = time.monotonic() + 30
while time.monotonic() < until:
    with open("app.py", "w") as file:
        file.write("def add(a, b): return a + b")
    time.sleep(0.1)
"""


def deaf_child(mark: str) -> str:
    """Starts a session of its own that outlives the agent, and solves the task a second later.

    It is deaf to SIGTERM, and holds the pipe through which the agent talks to Bakeoff.
    """
    return f"setsid python3 -c '{_SOLVE_LATER}' {mark} $PPID > /proc/$PPID/fd/1 2>&1 &"


def holder(mark: str) -> str:
    """Starts a child that is deaf to SIGTERM and holds its parent's output."""
    return f"setsid sh -c 'trap \"\" TERM; sleep 301; : {mark}' & "


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What came of agents that end in different ways, and who lived beside whom.

    Attributes:
        records: by the id of the arm or task.
        beside_checks: command lines of an agent's processes that were alive while a check ran.
        checks: whether checks were seen at all.
        left: what was alive when the command had ended.
    """

    records: dict[str, TrialRecord]
    beside_checks: list[str]
    checks: bool
    left: dict[int, str]


def watched(project: Project, sandbox: str, *, agents: str, checks: str) -> tuple[list[str], bool]:
    """Run a suite and look at all processes from outside until it is over."""
    beside: list[str] = []
    seen = False
    arguments = ["run", "suite.yaml", "-j", "5", "--sandbox", sandbox, "--fail-on", "never"]
    with running_bakeoff(*arguments, cwd=project.root) as running:
        while running.process.poll() is None:
            # In this order: a check that was there before an agent's child was seen ran beside it.
            there = marked(checks)
            beside += marked(agents).values() if there else ()
            seen |= bool(there)
            time.sleep(0.05)
        answer = running.end()
    assert answer.code == 0, answer.story
    return beside, seen


Run = Callable[[str], Seen]


@pytest.fixture(scope="module")
def agents_end(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One task under agents that end in different ways; run once for each supervisor."""
    done: dict[str, Seen] = {}

    def run(sandbox: str) -> Seen:
        if sandbox not in done:
            done[sandbox] = _run_agents(tmp_path_factory.mktemp(sandbox) / "project", sandbox)
        return done[sandbox]

    return run


def _run_agents(root: Path, sandbox: str) -> Seen:
    agents, checks = f"agent-{uuid4().hex}", f"check-{uuid4().hex}"
    # Only the check of this one agent's own trial carries the mark that is looked for beside it.
    editor = f"{agents}-editor"
    project = make_suite(
        root,
        tasks={
            "task": {
                "limits": {"agent_timeout_seconds": LIMIT_S},
                "verification": {
                    "command": f"python3 -c 'import time; time.sleep(2.5)' $(cat mark); {WORKS}",
                },
            }
        },
        files={**START, "mark": ""},
        arms={
            "editor": [{"write": "mark", "content": checks}, {"run": deaf_child(editor)}, {"text": "Done."}],
            "solver": [{"run": deaf_child(f"{agents}-solver")}, {"write": "app.py", "content": RIGHT}],
            "deaf": [{"run": holder(f"{agents}-deaf") + "trap '' TERM; sleep 302; sleep 303"}],
            "timeout": {"behavior": "timeout"},
            "crash": {"behavior": "crash"},
        },
    )
    beside, seen = watched(project, sandbox, agents=editor, checks=checks)
    return Seen(
        records={record.arm: record for record in project.records()},
        beside_checks=beside,
        checks=seen,
        left=marked(agents) | marked(checks),
    )


@in_both
def test_a_child_that_edits_the_solution_during_grading_does_not_win(agents_end: Run, sandbox: str) -> None:
    record = agents_end(sandbox).records["editor"]
    assert (record.outcome, record.ending) == ("fail", "completed")
    assert any(finding.kind == "left_behind" for finding in record.findings), "the child was never alive"
    assert [change.path for change in record.changes] == ["mark"]


@in_both
def test_no_process_of_the_trial_lives_when_the_first_check_starts(agents_end: Run, sandbox: str) -> None:
    seen = agents_end(sandbox)
    assert seen.checks, "no check was ever seen"
    assert seen.beside_checks == []
    assert seen.left == {}


@in_both
def test_a_child_that_holds_the_pipe_does_not_turn_success_into_a_timeout(
    agents_end: Run, sandbox: str
) -> None:
    record = agents_end(sandbox).records["solver"]
    assert (record.outcome, record.ending) == ("pass", "completed")
    assert record.agent_s is not None
    assert record.agent_s < LIMIT_S


@in_both
def test_a_time_limit_ends_everything_and_what_was_there_is_judged(agents_end: Run, sandbox: str) -> None:
    for arm in ("deaf", "timeout"):
        record = agents_end(sandbox).records[arm]
        assert (record.outcome, record.ending) == ("fail", "timeout"), arm
        assert [verdict.status for verdict in record.verdicts] == ["failed"]
        assert record.agent_s is not None
        assert LIMIT_S <= record.agent_s < LIMIT_S + 15


@in_both
def test_a_crash_is_told_at_once_and_judged(agents_end: Run, sandbox: str) -> None:
    record = agents_end(sandbox).records["crash"]
    assert (record.outcome, record.ending, record.exit_code) == ("fail", "crashed", 70)
    assert record.agent_s is not None
    assert record.agent_s < LIMIT_S


@pytest.fixture(scope="module")
def others_end(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Setups and checks that leave something running; run once for each supervisor."""
    done: dict[str, Seen] = {}

    def run(sandbox: str) -> Seen:
        if sandbox not in done:
            done[sandbox] = _run_others(tmp_path_factory.mktemp(sandbox) / "project", sandbox)
        return done[sandbox]

    return run


def _run_others(root: Path, sandbox: str) -> Seen:
    mark = f"other-{uuid4().hex}"
    project = make_suite(
        root,
        tasks={
            "busy-check": {"verification": {"command": holder(mark) + "exit 0"}},
            "slow-check": {"verification": {"command": holder(mark) + "sleep 304", "timeout_seconds": 1}},
            "slow-score": {
                "verification": {
                    "command": "true",
                    "score_command": holder(mark) + "sleep 305",
                    "timeout_seconds": 1,
                }
            },
            "busy-setup": {"setup": {"commands": [holder(mark) + "exit 0"]}},
            "slow-setup": {"setup": {"commands": [holder(mark) + "sleep 306"], "timeout_seconds": 1}},
        },
        arms={"idle": {"behavior": "noop", "run_command": False}},
    )
    watched(project, sandbox, agents=mark, checks=mark)
    return Seen(
        records={record.task: record for record in project.records()},
        beside_checks=[],
        checks=True,
        left=marked(mark),
    )


@in_both
def test_a_check_that_leaves_a_child_behind_is_judged_by_its_own_exit(others_end: Run, sandbox: str) -> None:
    record = others_end(sandbox).records["busy-check"]
    assert record.outcome == "pass"
    assert record.checks_s is not None
    assert record.checks_s < 100


@in_both
def test_a_check_beyond_its_limit_fails_and_says_so(others_end: Run, sandbox: str) -> None:
    record = others_end(sandbox).records["slow-check"]
    assert record.outcome == "fail"
    assert [(verdict.status, verdict.code) for verdict in record.verdicts] == [("failed", "timeout")]
    scored = others_end(sandbox).records["slow-score"]
    assert (scored.outcome, scored.score) == ("pass", None)
    assert "did not end within 1 s" in (scored.verdicts[0].score_error or "")


@in_both
def test_setup_that_leaves_a_child_behind_goes_on_without_it(others_end: Run, sandbox: str) -> None:
    assert others_end(sandbox).records["busy-setup"].outcome == "pass"
    record = others_end(sandbox).records["slow-setup"]
    assert (record.outcome, record.void_reason) == ("void", "setup_failed")
    assert "did not end within 1 s" in record.detail


@in_both
def test_nothing_that_setups_and_checks_started_is_left(others_end: Run, sandbox: str) -> None:
    assert others_end(sandbox).left == {}


def hanging_trials(root: Path, mark: str) -> Project:
    """A suite whose three trials hang in setup, in the agent and in a check, each with a deaf child."""

    def hang(place: str) -> str:
        return holder(f"{mark}-{place}") + f"while :; do sleep 0.2; done; : {mark}-{place}"

    return make_suite(
        root,
        tasks={
            "in-setup": {"setup": {"commands": [hang("setup")]}},
            "in-agent": {"setup": {"commands": ["touch hang"]}},
            "in-check": {"verification": {"command": hang("check")}},
        },
        files={**START, ".gitignore": "hang\n"},
        arms={"agent": [{"run": f"test -e hang || exit 0; {hang('agent')}"}]},
    )


def start_hanging(project: Project, mark: str, sandbox: str, temporary: Path) -> RunningBakeoff:
    """Start it, and wait until all three of its trials hang."""
    temporary.mkdir()
    command = command_of(["run", "suite.yaml", "-j", "3", "--sandbox", sandbox])
    running = RunningBakeoff(command, cwd=project.root, env={"TMPDIR": str(temporary)})
    try:
        for place in ("setup", "agent", "check"):
            # The shell that hangs, and the child that is deaf.
            running.wait_until(functools.partial(_has_two, f"{mark}-{place}"))
    except BaseException:
        running.stop()
        raise
    return running


def _has_two(mark: str) -> bool:
    return len(marked(mark)) >= 2


@in_both
def test_nothing_lives_after_bakeoff_was_killed_outright(tmp_path: Path, sandbox: str) -> None:
    mark, temporary = f"hanging-{uuid4().hex}", tmp_path / "temporary"
    project = hanging_trials(tmp_path / "project", mark)
    running = start_hanging(project, mark, sandbox, temporary)
    running.signal(signal.SIGKILL)
    running.process.wait()
    assert seconds_until_gone(mark, patience_s=30) < 20

    assert left_workspaces(temporary), "no workspace was there to be left"
    killed = Store.open(project.layout, create=False).experiments()[0]
    assert (killed.status, is_abandoned(killed)) == (ExperimentStatus.RUNNING, True)

    following = make_suite(tmp_path / "next", tasks={"task": {}}, arms={"idle": {"behavior": "noop"}})
    answer = following.run(*("--sandbox", sandbox, "--home", str(project.layout.home)), TMPDIR=str(temporary))
    assert answer.code == 0, answer.story
    assert left_workspaces(temporary) == []
    assert [path.name for path in temporary.iterdir() if path.name.startswith("bakeoff-")] == []
    listed = bakeoff("list", "--home", project.layout.home, cwd=tmp_path)
    assert listed.code == 0, listed.story
    assert killed.id in listed.out
