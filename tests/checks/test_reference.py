"""The reference page of checks is what the classes say."""

from __future__ import annotations

import importlib.util
import re

from support.machine import CHECKOUT

from bakeoff.checks.registry import CHECKS


def test_the_page_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("reference", CHECKOUT / "tools" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in module.checks()) + "\n")
    page = (CHECKOUT / "docs" / "reference" / "checks.md").read_text(encoding="utf-8")
    assert page == written, "run `make docs`"


def test_the_page_has_a_part_for_each_check() -> None:
    page = (CHECKOUT / "docs" / "reference" / "checks.md").read_text(encoding="utf-8")
    assert all(f"\n## {kind}\n" in page for kind in CHECKS)
