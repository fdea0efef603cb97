"""How long `bakeoff --help` takes: CPU seconds of the whole process, and where they go."""

import os
import re
import subprocess
import sys

RUNS = 15
LIMIT_S = 0.3
HELP = [sys.executable, "-m", "bakeoff", "--help"]


def cpu_seconds() -> float:
    """User and system seconds of one run, as the kernel counts them."""
    process = subprocess.Popen(HELP, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"bakeoff --help ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def slowest_imports(count: int) -> list[tuple[float, str]]:
    """Milliseconds of each module's own code, without what it imports."""
    run = subprocess.run(
        [sys.executable, "-X", "importtime", *HELP[1:]], capture_output=True, text=True, check=True
    )
    lines = re.findall(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)", run.stderr)
    return sorted(((int(own) / 1000, name) for own, name in lines), reverse=True)[:count]


def main() -> None:
    """Print the figures; fail when the limit is broken even at best."""
    times = sorted(cpu_seconds() for _ in range(RUNS))
    print(f"bakeoff --help, CPU of {RUNS} runs: best {times[0]:.3f} s, median {times[RUNS // 2]:.3f} s")
    for milliseconds, name in slowest_imports(8):
        print(f"  {milliseconds:6.1f} ms  {name}")
    if times[0] >= LIMIT_S:
        raise SystemExit(f"over the limit of {LIMIT_S} s")


if __name__ == "__main__":
    main()
