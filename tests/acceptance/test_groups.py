"""A concurrency group over several runs on one store, by the command line."""

from __future__ import annotations

import json
import signal
from functools import partial
from pathlib import Path

import pytest
from support.bakeoff_run import bakeoff
from support.repositories import write_files
from support.running_bakeoff import running_bakeoff

from bakeoff.store.database import Store
from bakeoff.store.layout import Layout

TASK = "prompt: Use the account.\nconcurrency_group: account\nassertions: [{file_exists: used.txt}]\n"
USES = [{"write": "used.txt"}]
FREE = "prompt: Use nothing.\nassertions: [{file_exists: used.txt}]\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two tasks of which one belongs to a group that takes one trial at a time."""
    root = tmp_path / "project"
    write_files(
        root,
        {
            "pyproject.toml": '[project]\nname = "project"\n',
            "evals/config.yaml": "concurrency_groups: {account: 1}\n",
            "evals/suites/live/tasks/free.yaml": FREE,
            "evals/suites/live/tasks/uses.yaml": TASK,
            "quick.json": json.dumps(USES),
            "hanging.json": json.dumps([*USES, {"hang": True}]),
        },
    )
    return root


def arguments(spec: str, script: str, project: Path) -> list[str]:
    home, file = str(project / ".bakeoff"), f"script=@{project / script}.json"
    return ["run", spec, "--harness", "fake", "--sandbox", "process", "-o", file, "--home", home]


def outcomes(root: Path) -> list[list[tuple[str, str]]]:
    """Task and outcome of every trial, experiment by experiment, the newest first."""
    store = Store.open(Layout(home=root / ".bakeoff"), create=False)
    return [
        [(record.task, record.outcome) for record in store.trials(item.id)]
        for item in store.experiments(limit=9)
    ]


def test_a_run_waits_for_another_with_what_has_to_wait_alone_and_follows_it_after_its_death(
    project: Path,
) -> None:
    locks = project / ".bakeoff" / "locks"
    with running_bakeoff(*arguments("live::uses", "hanging", project), cwd=project) as holder:
        holder.wait_until(partial(_is_at_work, project))
        # The free task goes on; the other one waits, says so, and an interrupt ends the waiting.
        with running_bakeoff(*arguments("live", "quick", project), cwd=project / "evals") as waiting:
            waiting.wait_until(lambda: list(locks.glob("*/ticket-*")))
            waiting.wait_until(lambda: "hold all places of the concurrency group account" in waiting.told)
            waiting.signal(signal.SIGINT)
            answer = waiting.end()
        assert answer.code == 130, answer.story
        assert outcomes(project)[0] == [("free", "pass")]
        holder.signal(signal.SIGKILL)
        holder.process.wait()
    answer = bakeoff(*arguments("live", "quick", project), cwd=project)
    assert answer.code == 0, answer.story
    assert sorted(outcomes(project)[0]) == [("free", "pass"), ("uses", "pass")]


def _is_at_work(project: Path) -> bool:
    """Whether the holder has taken its place, which it does before it makes a workspace."""
    return bool(list((project / ".bakeoff" / "locks").glob("*/slot-0.lock")))
