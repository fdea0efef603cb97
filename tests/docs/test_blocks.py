"""Every command and file that the pages for users show really works."""

import os
import sys
from pathlib import Path

import pytest
from support.documents import PageWrongError, blocks_of, commands_of, run_page
from support.machine import CHECKOUT

PAGES = sorted(
    path
    for path in (
        CHECKOUT / "README.md",
        CHECKOUT / "docs" / "getting-started.md",
        *(CHECKOUT / "docs" / "guides").glob("*.md"),
    )
    if path.exists()
)
CI = (CHECKOUT / ".ci" / "run").read_text() + (CHECKOUT / "Makefile").read_text()


def page_id(page):
    return str(page.relative_to(CHECKOUT))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_what_a_page_shows_works(page, tmp_path):
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    run_page(page, tmp_path, os.environ | {"PATH": path})


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_what_is_left_to_ci_is_done_there(page):
    for block in blocks_of(page):
        if block.attributes.get("runs", "ci") != "ci":
            raise PageWrongError(f"{block.place}: runs=ci is the only other place")
        if "runs" in block.attributes:
            for command in commands_of(block):
                assert command.text in CI, f"{page}:{command.line}: not in .ci/run: {command.text}"


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_what_cannot_be_run_says_why(page):
    for block in blocks_of(page):
        if "needs" in block.attributes:
            assert len(block.attributes["needs"]) > 5, block.place
