"""Programs that tests start as processes of their own: they open a store and record trials in it.

Arguments: home, name of this worker, number of trials. Prints each trial's id once it is stored.
"""

from __future__ import annotations

import sys
from pathlib import Path

from support.records import a_trial, an_experiment

from bakeoff.store.database import Store
from bakeoff.store.layout import Layout


def work(home: Path, name: str, count: int) -> None:
    """Record `count` trials of an experiment of this worker's own."""
    store = Store.open(Layout(home=home), create=True)
    experiment = an_experiment(id=f"exp_{name}")
    store.start(experiment)
    for number in range(count):
        trial = a_trial(id=f"trial_{name}_{number}", experiment=experiment.id, repeat=number + 1)
        store.record(trial)
        print(trial.id, flush=True)


if __name__ == "__main__":
    work(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
