"""Says loudly, at the end of a run, which tests did not run here and how to run them."""

from __future__ import annotations

from collections import Counter

import pytest
from support import machine

_WORKER_KEY = "bakeoff_left_out"
_left_out: Counter[str] = Counter()


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count what `-m` left out, by mark; runs where tests are collected."""
    for item in items:
        marks = [mark for mark in (*machine.NEEDS, "slow") if item.get_closest_marker(mark)]
        _left_out[marks[0] if marks else "other"] += 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the counts of a worker process to the process that prints the summary."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_WORKER_KEY] = dict(_left_out)


class _FromWorkers:
    """Receives what worker processes counted; all of them leave out the same tests."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        counts = getattr(node, "workeroutput", {}).get(_WORKER_KEY, {})
        _left_out.clear()
        _left_out.update(counts)


def pytest_configure(config: pytest.Config) -> None:
    """Listen to worker processes when there are any."""
    if config.pluginmanager.has_plugin("dsession") or config.pluginmanager.has_plugin("xdist"):
        config.pluginmanager.register(_FromWorkers(), "bakeoff-from-workers")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line for each reason why tests did not run."""
    skipped: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        skipped[reason.removeprefix("Skipped: ")] += 1
    if not skipped and not _left_out:
        return
    terminalreporter.section("NOT RUN HERE", sep="!", yellow=True)
    for reason, count in sorted(skipped.items()):
        terminalreporter.write_line(f"{count:4} skipped: {reason}")
    for mark, count in sorted(_left_out.items()):
        terminalreporter.write_line(f"{count:4} left out: {mark} (`make test-all` runs them)")
