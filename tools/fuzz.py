"""Runs the fuzzing tests again and again with new inputs: `FUZZ_SECONDS=600 python tools/fuzz.py`.

Ends with 0 when the time is over and nothing was found. A find ends it at once, with the input
and the seed that makes it again. Memory is bounded, and an input that takes too long is a find.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess  # noqa: TID251 - a program for developers
import sys
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
TESTS = (
    "tests/dialects/test_fuzz.py",
    "tests/dialects/test_fuzz_projects.py",
    "tests/harness/test_fuzz_streams.py",
)
EXAMPLES = "200"
"""Inputs for each test in a round."""

MOST_MEMORY = 3 << 30
"""Bytes of address space of the process that reads the inputs."""


def main() -> int:
    """Rounds until the time is over or something was found."""
    seconds = float(os.environ.get("FUZZ_SECONDS", "600"))
    until = time.monotonic() + seconds
    rounds = 0
    while time.monotonic() < until:
        rounds += 1
        seed = random.randrange(1 << 32)  # noqa: S311 - for variety, not for secrets
        print(f"round {rounds}, seed {seed}, {until - time.monotonic():.0f} s left", flush=True)
        if _found(seed, until):
            print(f"found: FUZZ_EXAMPLES={EXAMPLES} pytest --hypothesis-seed={seed} {' '.join(TESTS)}")
            return 1
    print(f"nothing found in {rounds} rounds of {EXAMPLES} inputs for each test, the last one cut short")
    return 0


def _found(seed: int, until: float) -> bool:
    """One round; whether it found something before the time was over."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "-p", "no:cacheprovider"]
    process = subprocess.Popen(
        [*command, f"--hypothesis-seed={seed}", "--timeout=0", *TESTS],
        cwd=CHECKOUT,
        env=os.environ | {"FUZZ_EXAMPLES": EXAMPLES},
        preexec_fn=_bound_memory,  # noqa: PLW1509 - this program has one thread
    )
    try:
        return process.wait(max(0.0, until - time.monotonic())) != 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        process.terminate()
        process.wait()


def _bound_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


if __name__ == "__main__":
    sys.exit(main())
