"""`bakeoff convert` as a command, and the outcomes of what it makes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from examples.agent_exam import build_agent_exam_example
from support.bakeoff_run import Project, bakeoff
from support.repositories import write_files

TASK = "id: t\nname: T\nrepo: {path: start}\nprompt: x\nverification: {command: 'test -f a'}\n"


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A Harness Lab suite."""
    return write_files(tmp_path, {"suite.yaml": "name: s\ntasks: [t.yaml]\n", "t.yaml": TASK, "start/a": ""})


def test_it_prints_or_writes_and_overwrites_nothing_unasked(lab: Path) -> None:
    printed = bakeoff("convert", "suite.yaml", cwd=lab)
    assert printed.code == 0, printed.story
    assert printed.out.startswith("bakeoff: 0\nsuite: s\n")
    assert "folder: start\n" in printed.out
    (lab / "out").mkdir()

    written = bakeoff("convert", "suite.yaml", "--output", "out/s.yaml", cwd=lab)

    assert (written.code, written.out) == (0, "")
    assert "bakeoff: out/s.yaml: 1 task of" in written.err
    text = (lab / "out" / "s.yaml").read_text()
    assert text == printed.out.replace("folder: start\n", "folder: ../start\n")
    assert os.listdir(lab / "out") == ["s.yaml"]
    again = bakeoff("convert", "out/s.yaml", "--output", "out/s.yaml", cwd=lab)
    assert again.code == 2
    assert "out/s.yaml exists already" in again.err
    forced = bakeoff("convert", "out/s.yaml", "-o", "out/s.yaml", "--force", cwd=lab)
    assert forced.code == 0, forced.story
    assert (lab / "out" / "s.yaml").read_text() == text


def test_what_is_wrong_leaves_no_file(lab: Path) -> None:
    (lab / "t.yaml").write_text(f"{TASK}fault_of: t\n")
    refused = bakeoff("convert", "suite.yaml", "-o", "s.yaml", cwd=lab)
    assert refused.code == 2
    nowhere = bakeoff("convert", "demo", "-o", "no/s.yaml", cwd=lab)
    assert nowhere.code == 2
    assert "is not a directory" in nowhere.err
    assert not (lab / "s.yaml").exists()


def outcomes(project: Project) -> dict[str, tuple[object, ...]]:
    """What came out of each trial of the newest experiment, and the digest of its task."""
    return {
        f"{record.suite}::{record.task}::{record.arm}": (
            record.outcome,
            record.score,
            [(verdict.check, verdict.status) for verdict in record.verdicts],
            record.digests.task,
        )
        for record in project.records()
    }


@pytest.mark.timeout(300)
def test_a_converted_suite_has_the_same_outcomes(tmp_path: Path) -> None:
    exam = build_agent_exam_example(tmp_path / "exam")
    specs = {"demo": ("demo", ()), "exam": (str(exam.spec), ("--harness", "fake", "-o", "behavior=noop"))}
    for name, (spec, options) in specs.items():
        found: list[dict[str, tuple[object, ...]]] = []
        target = tmp_path / f"{name}.yaml"
        made = bakeoff("convert", spec, "-o", target, cwd=tmp_path)
        assert made.code == 0, made.story
        for source in (spec, str(target)):
            home = tmp_path / name / str(len(found)) / ".bakeoff"
            done = bakeoff("run", source, "--home", home, *options, "--fail-on", "never", cwd=tmp_path)
            assert done.code == 0, done.story
            found.append(outcomes(Project(home.parent)))
        assert found[0] == found[1]
        assert found[0]
