"""The setup of the published ablate example: run once with a network, then offline from the cache.

`python -m support.published_setup STORE` runs the example with a scripted agent that changes
nothing, so that Bakeoff's cache in that store holds every package that the setup needs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from examples.ablate import build_ablate_example
from support.machine import SETUP_STORE


def copy_cache(store: Path) -> None:
    """Give a new store the packages."""
    shutil.copytree(SETUP_STORE / "cache", store / "cache", symlinks=True)


def warm(store: Path) -> None:
    """Run the setup; exits with an error when the trial got no further than that."""
    with tempfile.TemporaryDirectory(prefix="published-") as folder:
        example = build_ablate_example(Path(folder))
        command = [
            "run",
            str(example.spec),
            "--harness",
            "fake",
            "--home",
            str(store.resolve()),
            "--fail-on",
            "void",
        ]
        argv = [sys.executable, "-m", "bakeoff", *command]
        run = subprocess.run(
            argv, env=os.environ | {"NO_COLOR": "1"}, capture_output=True, text=True, check=False
        )
    if run.returncode:
        raise SystemExit(f"the setup did not work (exit code {run.returncode}):\n{run.stdout}\n{run.stderr}")


if __name__ == "__main__":
    warm(Path(sys.argv[1]))
