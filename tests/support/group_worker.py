"""Programs that tests start as processes of their own: they run trials of one concurrency group.

Arguments: directory of lock files, cap, workers, number of trials, file to log to. For each trial a line
with `+` is appended when it starts and one with `-` when it ends. With 0 trials it takes a
place, logs `+`, and keeps it until it is killed.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from support.scheduling import in_group, make_specs, record_for, schedule

from bakeoff.model.trial import TrialRecord, TrialSpec
from bakeoff.run.groups import Groups

GROUP = "live account"


def work(locks: Path, cap: int, jobs: int, trials: int, log: Path) -> None:
    """Run the trials, or hold a place for ever."""
    # Each line is one write to a file opened for appending: the lines of all processes have one order.
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    groups = Groups(locks, {GROUP: cap})

    def run_trial(spec: TrialSpec) -> TrialRecord:
        os.write(file, f"+ {os.getpid()}\n".encode())
        time.sleep(0.01)
        os.write(file, f"- {os.getpid()}\n".encode())
        return record_for(spec)

    if trials == 0:
        leave = groups.enter(in_group(make_specs(1)[0], GROUP).task)
        assert leave is not None
        os.write(file, f"+ {os.getpid()}\n".encode())
        time.sleep(600)
    schedule(
        [in_group(spec, GROUP) for spec in make_specs(trials)], run_trial, jobs=jobs, limiter=groups
    ).run()


if __name__ == "__main__":
    cap, jobs, trials = (int(number) for number in sys.argv[2:5])
    work(Path(sys.argv[1]), cap, jobs, trials, Path(sys.argv[5]))
