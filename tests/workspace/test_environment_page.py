"""The page about environments names what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from bakeoff.process.supervise import InnerPaths
from bakeoff.workspace.caches import setup_caches
from bakeoff.workspace.environment import ALLOWED, Inheritance, agent_environment, check_environment
from bakeoff.workspace.toolchains import CHOSEN, MANAGERS

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "environment.md"
PATHS = InnerPaths(workspace="/w", home="/h", tmp="/t")


def named() -> set[str]:
    return {word.partition("=")[0] for word in re.findall(r"`([^`\s]+)`", PAGE.read_text(encoding="utf-8"))}


def test_every_inherited_variable_is_named() -> None:
    assert {name for name in ALLOWED if name.upper() == name or "proxy" not in name} <= named()


def test_every_variable_of_bakeoff_is_named() -> None:
    inheritance = Inheritance(parent={}, path=())
    for environment in (
        agent_environment(inheritance, PATHS),
        check_environment(inheritance, PATHS, pycache="/p"),
    ):
        assert set(environment.values) <= named()


def test_the_values_that_are_named_are_the_values() -> None:
    values = check_environment(Inheritance(parent={}, path=()), PATHS, pycache="/p").values
    told = dict(re.findall(r"`([A-Z_]+)=([^`]+)`", PAGE.read_text(encoding="utf-8")))
    assert told
    assert {name: values[name] for name in told} == told


def test_variables_of_toolchains_and_some_caches_are_named() -> None:
    assert {*MANAGERS, *CHOSEN, "RUSTUP_HOME"} <= named()
    assert len(named() & set(setup_caches("/c"))) >= 3
