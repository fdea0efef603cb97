"""A store in a temporary directory, for tests."""

from __future__ import annotations

from pathlib import Path

from bakeoff.store.database import Store
from bakeoff.store.layout import Layout


def a_layout(tmp_path: Path) -> Layout:
    """The paths of a store that does not exist yet."""
    return Layout(home=tmp_path / "home")


def a_store(tmp_path: Path, *, patience_s: float = 20.0) -> Store:
    """A new store, or the one that is there."""
    return Store.open(a_layout(tmp_path), create=True, patience_s=patience_s)
