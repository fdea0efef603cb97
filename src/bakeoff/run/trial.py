"""One trial, start to record: workspace, place, round, grade, record."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bakeoff.checks.judging import judge, metrics_of, score_of
from bakeoff.errors import HostFailed, Interrupted, SetupFailed
from bakeoff.harness.outcome import conclude
from bakeoff.identity import display_path, new_id
from bakeoff.model.suite import Task
from bakeoff.model.trial import TrialRecord, TrialSpec, VoidReason
from bakeoff.run.agent import Round, run_round
from bakeoff.run.byte_code import BYTE_CODE_TOLD, without_byte_code
from bakeoff.run.commands import CheckCommands
from bakeoff.run.draft import CHANGES_KEPT, Draft, record_of
from bakeoff.run.evidence import ArchivedEvidence
from bakeoff.run.grade import grade
from bakeoff.run.keep import keep_round, keep_text
from bakeoff.run.setup import run_setup
from bakeoff.run.surroundings import copy_home, prepare_home
from bakeoff.run.workbench import Workbench
from bakeoff.workspace.capture import Baseline, Capture, capture, changes_since_start, take_baseline
from bakeoff.workspace.create import Workspace, create
from bakeoff.workspace.placements import place
from bakeoff.workspace.remove import keep, leave, remove
from bakeoff.workspace.sealed import Sealed

FILE_CAP = 16 * 1024 * 1024
"""Bytes above which the content of a file is not archived; the record names the file."""

SANDBOX_OWNER = (1000, 1000)
"""User and group that own the files of a workspace as the agent in the sandbox sees them."""


def run_trial(spec: TrialSpec, bench: Workbench) -> TrialRecord | None:
    """Run one trial and record it; None when it was interrupted, or came to its end too late.

    Whatever goes wrong becomes part of the record. A bug in Bakeoff is recorded too, as
    void, and the other trials go on.
    """
    draft = Draft(id=new_id("t"), started_at=datetime.now(UTC))
    try:
        _run(spec, bench, draft)
    except Interrupted:
        return None
    except SetupFailed as failed:
        draft.make_void(VoidReason.SETUP_FAILED, failed.message)
        keep_text("setup", failed.detail, bench, draft)
    except HostFailed as failed:
        draft.make_void(VoidReason.HOST, f"{failed.message} {failed.detail}".strip())
    except OSError as failed:
        draft.make_void(VoidReason.HOST, f"{type(failed).__name__}: {failed}")
    except Exception as bug:
        draft.make_void(VoidReason.BUG, f"a bug in Bakeoff: {type(bug).__name__}: {bug}")
        keep_text("bug", traceback.format_exc(), bench, draft)
    return bench.record(record_of(draft, spec, bench))


def _run(spec: TrialSpec, bench: Workbench, draft: Draft) -> None:
    """Give the trial a workspace, and take it away again whatever happens in it."""
    with draft.watch.time("workspace"):
        sealed = bench.sealed(spec)
        draft.base_commit = sealed.commit
        owner = SANDBOX_OWNER if bench.supervisor.name == "bubblewrap" else None
        _stop_if_interrupted(bench)
        workspace = create(sealed, root=bench.root, owner=owner, prefix=bench.workspace_prefix)
    try:
        _Stages(spec, bench.tasks[spec.task.key], bench, draft, sealed, workspace).run()
    finally:
        with draft.watch.time("remove"):
            if bench.keep_workspaces:
                draft.find("workspace_kept", str(workspace.path))
                keep(workspace)
            elif bench.interrupt.is_set():
                leave(workspace)
            else:
                remove(workspace)


def _stop_if_interrupted(bench: Workbench) -> None:
    """Between stages that take long for large starting files, as long as there is nothing to record."""
    if bench.interrupt.is_set():
        raise Interrupted("interrupted before the agent was launched")


@dataclass(frozen=True, slots=True)
class _Stages:
    """The stages of one trial in its workspace, in order."""

    spec: TrialSpec
    task: Task
    bench: Workbench
    draft: Draft
    sealed: Sealed
    workspace: Workspace

    def run(self) -> None:
        watch = self.draft.watch
        _stop_if_interrupted(self.bench)
        with watch.time("setup"):
            prepare_home(self.workspace.home)
            keep_text("setup", run_setup(self.task, self.bench, self.workspace), self.bench, self.draft)
        _stop_if_interrupted(self.bench)
        with watch.time("place"):
            baseline, pristine_home = self._place()
        with watch.time("agent"):
            played = run_round(self.spec, self.task, self.bench, self.workspace)
        with watch.time("keep"):
            self._conclude(played)
            keep_round(played, self.bench, self.draft)
        with watch.time("capture"):
            captured = self._capture(baseline)
        if self.draft.void is None:
            with watch.time("checks"):
                self._grade(baseline, captured, played, pristine_home)

    def _place(self) -> tuple[Baseline, Path]:
        """Lay placements, take the baseline, and put aside the HOME that setup left."""
        if self.task.setup.must_leave_clean and self.task.setup.commands:
            self._refuse_dirty()
        place(self.workspace, self.sealed, self.bench.arms[self.spec.arm.id].arm.placements)
        baseline = take_baseline(self.workspace, self.sealed, self.bench.archive, file_cap=FILE_CAP)
        self.draft.baseline_tree = baseline.tree
        pristine_home = self.workspace.root / "home-after-setup"
        copy_home(self.workspace.home, pristine_home)
        return baseline, pristine_home

    def _refuse_dirty(self) -> None:
        changed = [
            change for change in changes_since_start(self.workspace, self.sealed) if not change.ignored
        ]
        if changed:
            names = ", ".join(display_path(change.path) for change in changed[:10])
            raise SetupFailed(f"setup left the tree dirty: {names}")

    def _conclude(self, played: Round) -> None:
        """What the agent's part amounts to, from how it ended and what the harness told."""
        draft, end = self.draft, played.end
        conclusion = conclude(end, played.trajectory)
        draft.trajectory, draft.environment = played.trajectory, played.environment
        draft.ending, draft.detail = conclusion.ending, conclusion.detail
        draft.exit_code, draft.signal, draft.agent_s = end.exit_code, end.signal, end.duration_s
        if conclusion.void is not None:
            draft.make_void(conclusion.void, conclusion.detail)
        for command in end.left_behind:
            draft.find("left_behind", f"still alive when the agent ended, then ended: {command}")
        if end.dropped_bytes:
            draft.find("output_dropped", f"{end.dropped_bytes} bytes of output beyond the cap")
        if played.unread_lines:
            draft.find("lines_not_read", f"{played.unread_lines} lines of output after the first million")
        for name in played.environment.missing:
            draft.find("variable_missing", f"{name} was to be passed through but is not set")

    def _capture(self, baseline: Baseline) -> Capture:
        draft = self.draft
        captured = capture(self.workspace, baseline, self.sealed, self.bench.archive, file_cap=FILE_CAP)
        trees = {"baseline": baseline.tree, "final": captured.tree}
        self.bench.archive.keep(draft.id, trees, aside=[blob for _, blob in captured.aside])
        draft.final_tree = captured.tree
        draft.changes = captured.changes
        draft.diff_paths = frozenset(captured.diff_paths)
        draft.left_out = [f"{display_path(path)}: {reason}" for path, reason in captured.left_out]
        for kind, detail in captured.findings:
            draft.find(kind, detail)
        if len(captured.changes) > CHANGES_KEPT:
            draft.find("changes_not_listed", f"{len(captured.changes) - CHANGES_KEPT} changed paths more")
        return captured

    def _grade(self, baseline: Baseline, captured: Capture, played: Round, pristine_home: Path) -> None:
        """Judge the evidence; what the checks find is the outcome."""
        draft, task = self.draft, self.task
        evidence = ArchivedEvidence(
            changes=captured.changes,
            trajectory=played.trajectory,
            harness=self.spec.arm.harness,
            archive=self.bench.archive,
            baseline_tree=baseline.tree,
            final_tree=captured.tree,
            diff_paths=captured.diff_paths,
            left_out=dict(captured.left_out),
            unread=captured.unread,
            marks=captured.marks,
            workspace=played.workspace,
            losses=played.losses,
        )
        commands = CheckCommands(
            bench=self.bench,
            workspace=self.workspace,
            task=task,
            evidence=evidence,
            base_commit=self.sealed.commit,
            pristine_home=pristine_home,
        )
        with without_byte_code(captured.byte_code, self.workspace) as set_aside:
            # Both or neither: grading may end with the host's failure or an interrupt.
            draft.checks, draft.verdicts = task.checks, grade(task.checks, evidence, commands)
        for path in set_aside[:BYTE_CODE_TOLD]:
            draft.find("byte_code_set_aside", f"a compiled module that no check saw: {display_path(path)}")
        judgement = judge(draft.verdicts, task.checks, draft.ending, task)
        draft.outcome = judgement.outcome
        draft.detail = judgement.detail
        draft.score = score_of(draft.verdicts, task.checks, judgement.outcome)
        draft.metrics = metrics_of(draft.verdicts, task.checks)
        for dest in commands.replaced:
            draft.find("replaced_by_injection", f"something lay at {dest} where a check's file goes")
