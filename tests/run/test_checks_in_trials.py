"""Files, tools, skills and refusals in real trials: from a script through the archive to the report."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.bakeoff_run import make_project

from bakeoff.checks.registry import CHECKS
from bakeoff.dialects.load import load
from bakeoff.model.suite import Arm, Limits, OnTimeout
from bakeoff.model.trial import Outcome, Progress, TrialRecord
from bakeoff.plan.order import make_order
from bakeoff.plan.select import Selection
from bakeoff.report.json import trial_json
from bakeoff.report.screen import Screen
from bakeoff.report.terminal import render_experiment
from bakeoff.report.trial_page import render_trial
from bakeoff.report.trial_view import trial_view
from bakeoff.report.view import experiment_view
from bakeoff.run.experiment import Result, run_experiment
from bakeoff.store.layout import Layout
from bakeoff.strategy.fixed import Fixed

FILES = """
mkdir -p dist node_modules/pad; echo '## 2.1.0' > dist/notes.md; echo x > node_modules/pad/index.js
ln -s dist/notes.md latest; ln -s "$PWD/dist/notes.md" absolute; ln -s /etc/passwd secret; ln -s gone dangling
truncate -s 20M big.bin
"""
CHECKED: dict[str, tuple[str, dict[str, object]]] = {
    "notes": ("file_exists", {"path": "dist/notes.md"}),
    "latest": ("file_contains", {"path": "latest", "pattern": r"^## 2\.\d\.0$", "regex": True}),
    "absolute": ("file_contains", {"path": "absolute", "pattern": "2.1.0"}),
    "secret": ("file_exists", {"path": "secret"}),
    "dangling": ("file_exists", {"path": "dangling"}),
    "package": ("file_exists", {"path": "node_modules/pad/index.js"}),
    "package-text": ("file_contains", {"path": "node_modules/pad/index.js", "pattern": "x"}),
    "big": ("file_exists", {"path": "big.bin"}),
    "big-text": ("file_contains", {"path": "big.bin", "pattern": "x"}),
    "fetch": ("tool_called", {"name": "WebFetch"}),
    "no-fetch": ("tool_not_called", {"name": "WebFetch"}),
    "once": ("tool_count", {"name": "Bash", "exactly": 1}),
    "first": ("first_skill", {"skill": "greet"}),
    "greet": ("skill_invoked", {"skill": "greet"}),
    "no-deploy": ("skill_not_invoked", {"skill": "deploy"}),
    "allowed": ("no_permission_errors", {}),
    "codex": ("tool_called", {"name": "command_execution", "providers": ("codex_cli",)}),
    "known": ("file_exists", {"path": "never.txt", "known_issue": "waits for a fix"}),
    "mended": ("file_exists", {"path": "dist/notes.md", "known_issue": "was mended"}),
}
SCRIPTS: dict[str, list[dict[str, object]]] = {
    "whole": [
        {"run": FILES},
        {"skill": "tools:greet", "thread": "helper"},
        {"denied": "Skill", "loads": "deploy", "reason": "not in the list"},
        {"tool": "WebFetch", "thread": "helper"},
    ],
    "named": [{"injected_skill": "greet"}, {"tool": "Read", "loads": "deploy"}],
    "unreadable": [{"run": FILES}, {"raw": "{no json"}],
    "crashed": [{"run": FILES}, {"skill": "greet"}, {"exit": 3}],
    "late": [{"run": FILES}, {"hang": True}],
}
LOST = {"fetch", "no-fetch", "once", "first", "greet", "no-deploy", "allowed"}


class Silent:
    """A reporter that shows nothing."""

    def start(self, progress: Progress) -> None:
        """Nothing to show."""

    def update(self, record: TrialRecord, progress: Progress) -> None:
        """Nothing to show."""

    def wait(self, groups: Sequence[str]) -> None:
        """Nothing to show."""


def run(root: Path, scripts: Sequence[str], *, timeout_s: float) -> Result:
    """One task with all of the checks, under one arm for each script."""
    suite = load("suite.yaml", cwd=make_project(root).root)
    checks = tuple(CHECKS[kind](id=name, **fields) for name, (kind, fields) in CHECKED.items())
    limits = Limits(timeout_s=timeout_s)
    task = dataclasses.replace(suite.tasks[0], checks=checks, limits=limits, on_timeout=OnTimeout.TIMEOUT)
    arms = [Arm(id=name, harness="fake", options={"script": SCRIPTS[name]}) for name in scripts]
    order = make_order(
        dataclasses.replace(suite, tasks=(task,), arms=tuple(arms), known_arms=()),
        Selection(),
        repeats=1,
        jobs=2,
        seed=0,
        sandbox="process",
        auth="key",
        pass_env=(),
        name="checks",
        keep_workspaces=False,
        layout=Layout(home=root / ".bakeoff"),
    )
    return run_experiment(order, Fixed(specs=order.specs), Silent())


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Every script but the one that never ends."""
    scripts = [name for name in SCRIPTS if name != "late"]
    return run(tmp_path_factory.mktemp("checks"), scripts, timeout_s=60)


def statuses(result: Result, arm: str) -> dict[str, str]:
    (record,) = (each for each in result.records if each.arm == arm)
    return {verdict.check: verdict.status for verdict in record.verdicts}


def test_a_whole_transcript_and_tree_decide_every_check(result: Result) -> None:
    found = statuses(result, "whole")
    wrong = {name: status for name, status in found.items() if status != "passed"}
    assert wrong == {
        "secret": "failed",
        "dangling": "failed",
        "package-text": "error",
        "big-text": "error",
        "no-fetch": "failed",
        "allowed": "failed",
        "codex": "skipped",
        "known": "failed",
    }


def test_a_skill_that_the_prompt_names_or_another_tool_loads_was_used(result: Result) -> None:
    found = statuses(result, "named")
    assert (found["first"], found["greet"], found["no-deploy"]) == ("passed", "passed", "failed")
    assert (found["fetch"], found["once"], found["allowed"]) == ("failed", "failed", "passed")


def test_lines_that_could_not_be_read_leave_open_what_was_not_seen(result: Result) -> None:
    found = statuses(result, "unreadable")
    assert {name for name in LOST if found[name] == "error"} == LOST
    assert (found["notes"], found["latest"]) == ("passed", "passed")


def test_a_crash_leaves_open_what_came_not_yet(result: Result) -> None:
    crashed = statuses(result, "crashed")
    assert (crashed["first"], crashed["greet"]) == ("passed", "passed")
    assert {name for name in LOST if crashed[name] == "error"} == LOST - {"first", "greet"}


def test_so_does_the_time_limit(tmp_path: Path) -> None:
    late = run(tmp_path, ["late"], timeout_s=3)
    assert {name for name in LOST if statuses(late, "late")[name] == "error"} == LOST
    (record,) = late.records
    assert record.outcome is Outcome.TIMEOUT
    (reason,) = (verdict.reason for verdict in record.verdicts if verdict.check == "no-fetch")
    assert reason.startswith("whether WebFetch was called is not known: ")
    assert reason.endswith("the time limit cut the transcript off")


def test_reports_mark_what_does_not_decide(result: Result) -> None:
    (record,) = (each for each in result.records if each.arm == "whole")
    view = trial_view(result.experiment, record)
    page = render_trial(view, Screen(width=120))
    assert "failed  known (file_exists) [KNOWN-FAIL]" in page
    assert "passed  mended (file_exists) [UNEXPECTED-PASS]" in page
    assert "skipped  codex (tool_called) [SKIPPED]" in page
    assert json.loads(trial_json(view))["trial"]["marks"] == {
        "codex": "SKIPPED",
        "known": "KNOWN-FAIL",
        "mended": "UNEXPECTED-PASS",
    }
    coloured = render_trial(view, Screen(width=120, colour=True))
    assert "\x1b[2m- skipped  codex (tool_called) [SKIPPED]\x1b[0m" in coloured
    table = render_experiment(experiment_view(result.experiment, result.records), Screen(width=400))
    text = " ".join(table.split())
    assert "whole 0/1 (1 [KNOWN-FAIL])" in text
    assert "whole 1/1 (1 [UNEXPECTED-PASS])" in text
    assert "whole 0/1 (1 [SKIPPED])" in text
