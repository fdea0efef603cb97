"""What holds for every test: isolation, marks for what a test needs, and nothing left running."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support import leftovers, machine
from support.environment import enter, isolated, make_home

# Made-up inputs may take their time: a test must not fail because the machine is busy.
settings.register_profile(
    "busy", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy")

_SESSION = uuid.uuid4().hex
_STARTED_WITH = dict(os.environ)
_SEEN_AFTER: dict[int, str] = {}

pytest_plugins = ["support.skipped"]


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory below which all temporary directories of this test process lie."""
    return tmp_path_factory.getbasetemp()


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left_running(scratch: Path) -> Iterator[None]:
    """Every process that a test started has ended when the tests are over."""
    yield
    left = leftovers.wait_until_gone(_SESSION, scratch)
    leftovers.end(left)
    lines = [
        f"{item.pid} {item.command} (seen after {_SEEN_AFTER.get(item.pid, 'the end')})" for item in left
    ]
    assert not left, "tests left processes running:\n" + "\n".join(lines)


@pytest.fixture(autouse=True)
def isolation(
    tmp_path_factory: pytest.TempPathFactory, scratch: Path, request: pytest.FixtureRequest
) -> Iterator[None]:
    """A private HOME, a neutral environment, no credentials; see `support.environment`."""
    home = make_home(tmp_path_factory.mktemp("home"))
    before = enter(isolated(_STARTED_WITH, home) | {leftovers.MARK: _SESSION})
    directory = Path.cwd()
    yield
    os.chdir(directory)
    enter(before)
    for item in leftovers.still_running(_SESSION, scratch):
        _SEEN_AFTER.setdefault(item.pid, request.node.nodeid)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose mark asks for what is not here; fail it where that is required."""
    for mark in machine.NEEDS:
        if item.get_closest_marker(mark) is None:
            continue
        problem = machine.unmet_need(mark)
        if problem and machine.is_required(mark):
            pytest.fail(f"{mark} is required here, but {problem}", pytrace=False)
        if problem:
            pytest.skip(f"{mark}: {problem}")


@pytest.fixture
def home() -> Path:
    """The private HOME of this test."""
    return Path(os.environ["HOME"])


@pytest.fixture(scope="session")
def claude() -> Path:
    """The real Claude Code program; only for tests marked `real_cli`."""
    program = machine.claude_executable()
    assert program is not None, "mark the test real_cli"
    return program
