"""The published examples, played three ways: as asked, not at all, and with one thing wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from examples.ablate import build_ablate_every_field, build_ablate_example, local_setup
from examples.agent_exam import (
    build_agent_exam_example,
    build_agent_exam_later_example,
    build_agent_exam_trigger_example,
)
from examples.example import Example, as_shell
from examples.harness_lab import (
    build_experiment_example,
    build_harness_lab_example,
    build_improve_example,
    build_later_fields_example,
    build_safety_example,
    build_variant_example,
)
from support.bakeoff_run import bakeoff

from bakeoff.dialects.load import load
from bakeoff.model.suite import Arm
from bakeoff.model.trial import TrialRecord
from bakeoff.plan.arms import ready_arms
from bakeoff.plan.order import Order
from bakeoff.process.start import SupervisorKind
from bakeoff.run.experiment import run_experiment
from bakeoff.store.layout import Layout
from bakeoff.strategy.fixed import Fixed


class Silent:
    """A reporter that shows nothing."""

    def start(self, progress):
        """Nothing to show."""

    def update(self, record, progress):
        """Nothing to show."""

    def wait(self, groups):
        """Nothing to show."""


def scripted(name: str, edit) -> Arm:
    script = [{"text": "I am done."}] if edit is None else [{"run": as_shell(edit)}, {"text": "I am done."}]
    return Arm(id=name, harness="fake", options={"script": script})


def play(example: Example, home: Path, sandbox: SupervisorKind) -> dict[str, TrialRecord]:
    """The example's task under one arm for each way to play it; records by arm."""
    suite = load(str(example.spec), cwd=home)
    arms = [scripted("solves", example.solution), scripted("idles", None)]
    arms += [scripted(f"breaks-{check}", edit) for check, edit in example.breaking.items()]
    order = Order(
        suite=suite,
        tasks=tuple(task for task in suite.tasks if task.id == example.task),
        arms=ready_arms(arms, {}, suite.tasks),
        repeats=1,
        jobs=2,
        seed=0,
        sandbox=sandbox,
        auth="key",
        pass_env=(),
        name="examples",
        keep_workspaces=False,
        layout=Layout(home=home / "store"),
    )
    result = run_experiment(order, Fixed(specs=order.specs), Silent())
    assert len(result.records) == len(arms)
    return {record.arm: record for record in result.records}


def build_ablate_offline(root: Path) -> Example:
    return build_ablate_example(root, setup=local_setup(Path(sys.executable).parent))


def build_harness_lab_in_git(root: Path) -> Example:
    return build_harness_lab_example(root, in_git=True)


RUN_TODAY = [
    build_ablate_offline,
    build_ablate_every_field,
    build_agent_exam_example,
    build_harness_lab_example,
    build_harness_lab_in_git,
]
REFUSED = [
    build_agent_exam_later_example,
    build_agent_exam_trigger_example,
    build_variant_example,
    build_improve_example,
    build_safety_example,
    build_later_fields_example,
]
ALL = [*RUN_TODAY, build_experiment_example, *REFUSED]


def told(record: TrialRecord) -> str:
    verdicts = "\n".join(
        f"  {item.check}: {item.status}: {item.reason}\n{item.evidence}" for item in record.verdicts
    )
    return f"{record.outcome} {record.void_reason}: {record.detail}\n{verdicts}"


@pytest.mark.parametrize("build", ALL)
def test_it_validates(build, tmp_path):
    example = build(tmp_path / "example")
    answer = bakeoff("validate", example.spec, cwd=tmp_path)
    assert answer.code == 0, answer.story


@pytest.mark.parametrize("build", RUN_TODAY)
def test_doing_what_is_asked_passes_nothing_fails_and_one_break_flips_one_verdict(build, tmp_path):
    example = build(tmp_path / "example")
    # pytest and ruff of the tests' own environment cannot be seen in the sandbox.
    records = play(example, tmp_path, "process" if build is build_ablate_offline else "auto")
    assert records["solves"].outcome == "pass", told(records["solves"])
    right = {verdict.check: verdict.status for verdict in records["solves"].verdicts}

    idle = records["idles"]
    assert idle.outcome == "fail", told(idle)
    failed = [verdict.check for verdict in idle.verdicts if verdict.required and verdict.status != "passed"]
    assert failed
    assert failed[0] in idle.detail

    assert example.breaking
    for check in example.breaking:
        record = records[f"breaks-{check}"]
        statuses = {verdict.check: verdict.status for verdict in record.verdicts}
        changed = {name for name, status in statuses.items() if status != right[name]}
        skipped = {verdict.check for verdict in record.verdicts if verdict.code == "stopped"}
        assert changed - skipped == {check}, told(record)
        required = next(verdict.required for verdict in record.verdicts if verdict.check == check)
        assert record.outcome == ("fail" if required else "pass"), told(record)


@pytest.mark.parametrize("build", REFUSED)
def test_what_cannot_be_run_yet_is_refused_with_field_and_line(build, tmp_path):
    example = build(tmp_path / "example")
    answer = bakeoff("run", example.spec, cwd=tmp_path)
    assert answer.code == 2, answer.story
    assert example.unsupported
    for field in example.unsupported:
        line = next(
            (line for line in answer.err.splitlines() if f": {field} is not supported yet" in line), None
        )
        assert line is not None, answer.story
        place = line.removeprefix("bakeoff: ").split(": ")[0]
        assert place.rsplit(":", 2)[1].isdigit(), line
    assert not (tmp_path / ".bakeoff").exists()


def test_an_experiment_file_runs_what_it_says(tmp_path):
    example = build_experiment_example(tmp_path / "example")
    suite = load(str(example.spec), cwd=tmp_path)
    answer = bakeoff("run", example.spec, "--dry-run", cwd=tmp_path)
    if suite.unsupported:
        assert answer.code == 2
    else:
        assert answer.code == 0, answer.story
        counted = [(len(suite.tasks), "task"), (len(suite.arms), "arm")]
        shape = [f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counted]
        assert " × ".join([*shape, str(suite.repeats)]) in answer.out
