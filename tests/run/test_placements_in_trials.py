"""Placements are laid before the agent, are not its change, and count by content."""

import dataclasses
from pathlib import Path

import pytest
from support.bakeoff_run import make_project

from bakeoff.dialects.load import load
from bakeoff.model.suite import Arm, Placement, PlacementKind
from bakeoff.plan.order import make_order
from bakeoff.plan.select import Selection
from bakeoff.run.experiment import run_experiment
from bakeoff.store.layout import Layout
from bakeoff.strategy.fixed import Fixed

LOOK = [
    {
        "run": "cat CLAUDE.md notes/extra.md > seen.txt 2>&1; git status --porcelain >> seen.txt; git log --oneline | wc -l >> seen.txt"
    }
]


class Silent:
    """A reporter that shows nothing."""

    def start(self, progress):
        """Nothing to show."""

    def update(self, record, progress):
        """Nothing to show."""

    def wait(self, groups):
        """Nothing to show."""


def instructions(source: Path | None, target: str = "CLAUDE.md") -> Placement:
    return Placement(kind=PlacementKind.INSTRUCTIONS, name="rules", target=target, source=source)


def run(root: Path, placements, change=lambda: None):
    suite = load("suite.yaml", cwd=root)
    arm = Arm(id="agent", harness="fake", options={"script": LOOK}, placements=tuple(placements))
    suite = dataclasses.replace(suite, arms=(arm,), known_arms=())
    order = make_order(
        suite,
        Selection(),
        repeats=1,
        jobs=1,
        seed=0,
        sandbox="process",
        auth="key",
        pass_env=(),
        name="placements",
        keep_workspaces=False,
        layout=Layout(home=root / ".bakeoff"),
    )
    change()
    return run_experiment(order, Fixed(specs=order.specs), Silent()).records[0]


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.md").write_text("placed rules\n")
    (tmp_path / "extra.md").write_text("placed extra\n")
    return make_project(tmp_path, files={"app.py": "x = 1\n", "CLAUDE.md": "the base's own\n"})


def test_over_a_tracked_path_and_beside_the_tracked_ones(project):
    record = run(
        project.root,
        [instructions(project.root / "rules.md"), instructions(project.root / "extra.md", "notes/extra.md")],
    )
    assert record.outcome == "pass"
    seen = project.final_files(record)[b"seen.txt"].decode()
    # git shows the agent's own new file, and nothing that was laid down.
    assert seen.split("\n") == ["placed rules", "placed extra", "?? seen.txt", "1", ""]
    assert [change.path for change in record.changes] == ["seen.txt"]


def test_nothing_in_the_place_of_the_bases_own_file(project):
    record = run(project.root, [instructions(None)])
    assert b"No such file" in project.final_files(record)[b"seen.txt"]
    assert b"CLAUDE.md" not in project.final_files(record)
    assert [change.path for change in record.changes] == ["seen.txt"]


def test_the_digest_follows_the_content_and_not_the_path(project):
    (project.root / "other.md").write_text("placed rules\n")
    first = run(project.root, [instructions(project.root / "rules.md")])
    same = run(project.root, [instructions(project.root / "other.md")])
    (project.root / "other.md").write_text("different rules\n")
    different = run(project.root, [instructions(project.root / "other.md")])
    assert first.digests.placements == same.digests.placements != different.digests.placements
    assert first.digests.arm == same.digests.arm != different.digests.arm
    assert first.digests.task == different.digests.task
