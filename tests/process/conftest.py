"""Each test with a `rig` runs under both supervisors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.supervising import Rig, rig_for


@pytest.fixture(params=["process", pytest.param("bubblewrap", marks=pytest.mark.sandbox)])
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Rig]:
    with rig_for(request.param, tmp_path) as made:
        yield made


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Rig]:
    """Only for tests marked `sandbox`."""
    with rig_for("bubblewrap", tmp_path) as made:
        yield made
