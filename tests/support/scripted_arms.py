"""A program that runs a suite under scripted agents that it does not name itself.

ablate tasks have no words for them; and what a suite names, an agent could find there. Usage:
`python scripted_arms.py SETTINGS.json` in the project; the file is removed when it was read.
The rest is what `bakeoff run` does.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bakeoff.cli.run import run_and_report
from bakeoff.dialects.load import load
from bakeoff.model.suite import Arm
from bakeoff.plan.order import make_order
from bakeoff.plan.select import Selection
from bakeoff.store.layout import HOME_NAME, Layout


def scripted_command(
    settings: Path,
    arms: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    spec: str,
    sandbox: str,
    jobs: int = 1,
    pass_env: Sequence[str] = (),
) -> list[str]:
    """The command that runs the tasks of `spec` with these agents as arms."""
    given = {"arms": arms, "spec": spec, "sandbox": sandbox, "jobs": jobs, "pass_env": list(pass_env)}
    settings.write_text(json.dumps(given))
    return [sys.executable, __file__, str(settings)]


def main() -> int:
    """Read what to do, and do it."""
    file = Path(sys.argv[1])
    settings = json.loads(file.read_text())
    file.unlink()
    arms = tuple(
        Arm(id=name, harness="fake", options={"script": script}) for name, script in settings["arms"].items()
    )
    suite = dataclasses.replace(load(settings["spec"], cwd=Path.cwd()), arms=arms, known_arms=arms)
    order = make_order(
        suite,
        Selection(),
        repeats=1,
        jobs=settings["jobs"],
        seed=0,
        sandbox=settings["sandbox"],
        auth="key",
        pass_env=tuple(settings["pass_env"]),
        name="scripted",
        keep_workspaces=False,
        layout=Layout(home=Path.cwd() / HOME_NAME),
    )
    return run_and_report(order, as_json=False, fail_on="never")


if __name__ == "__main__":
    sys.exit(main())
