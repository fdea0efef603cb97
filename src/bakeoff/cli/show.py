"""`bakeoff show`: an experiment, a trial, the evidence of a check, a diff, or what the agent did."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bakeoff.cli.store import home_option, open_store
from bakeoff.errors import UserError

if TYPE_CHECKING:
    from bakeoff.model.trajectory import Trajectory
    from bakeoff.model.trial import TrialRecord, VerdictRecord
    from bakeoff.report.screen import Screen
    from bakeoff.store.layout import Layout
    from bakeoff.store.selector import Selection

_SHOWN_ADDRESSES = 5


@click.command(short_help="Show an experiment, a trial, a check's evidence or a diff.")
@click.argument("address", default="latest")
@click.option("--check", metavar="ID", help="All evidence of this check.")
@click.option("--diff", is_flag=True, help="What the agent changed, as a unified diff.")
@click.option("--trajectory", is_flag=True, help="What the agent wrote and did, step by step.")
@click.option("--stream", is_flag=True, help="What the harness printed, as it came (secrets replaced).")
@click.option(
    "--artifact", metavar="NAME", help="A file that was kept of the trial, such as setup or stderr."
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@home_option
def command(
    address: str,
    check: str | None,
    diff: bool,
    trajectory: bool,
    stream: bool,
    artifact: str | None,
    as_json: bool,
    home: Path | None,
) -> None:
    """Show what is recorded at ADDRESS.

    ADDRESS is experiment::suite::task[::case]::arm::k, from the right as little of it as you like:
    `latest` or `prev`, the id or the name of an experiment, `latest::TASK`,
    `latest::TASK::ARM::2`, or the id of a trial; the suite may be left out. Unique
    beginnings of ids will do.
    """
    if sum((check is not None, diff, trajectory, stream, artifact is not None)) > 1:
        raise click.UsageError("--check, --diff, --trajectory, --stream and --artifact exclude each other")
    store = open_store(home)
    selection = store.resolve(address)
    if check is not None:
        _show_check(selection, check, as_json=as_json)
    elif diff:
        _show_diff(_single(selection, "--diff"), store.layout, as_json=as_json)
    elif trajectory:
        _show_trajectory(_single(selection, "--trajectory"), store.layout, as_json=as_json)
    elif stream:
        _show_stream(_single(selection, "--stream"), store.layout, as_json=as_json)
    elif artifact is not None:
        _show_artifact(_single(selection, "--artifact"), artifact, store.layout, as_json=as_json)
    elif selection.single:
        _show_trial(selection, store.layout, as_json=as_json)
    else:
        _show_experiment(selection, as_json=as_json)


def _single(selection: Selection, option: str) -> TrialRecord:
    """The one trial that an address names."""
    if len(selection.trials) == 1:
        return selection.trials[0]
    from bakeoff.store.selector import trial_address

    if not selection.trials:
        raise UserError(f"{option} needs a trial, and none is recorded there yet")
    addresses = [trial_address(trial) for trial in selection.trials[:_SHOWN_ADDRESSES]]
    rest = len(selection.trials) - len(addresses)
    shown = "\n        ".join([*addresses, *([f"and {rest} more"] if rest else [])])
    raise UserError(
        f"{option} needs one trial, and this address names {len(selection.trials)}",
        hint=f"one of\n        {shown}",
    )


def _show_experiment(selection: Selection, *, as_json: bool) -> None:
    from bakeoff.report.json import experiment_json
    from bakeoff.report.terminal import render_experiment
    from bakeoff.report.view import experiment_view
    from bakeoff.store.owner import is_abandoned
    from bakeoff.store.selector import planned_in

    experiment = selection.experiment
    place = selection.place
    whole = len(planned_in(place, experiment)) == len(experiment.planned)
    view = experiment_view(experiment, selection.trials, whole=whole, abandoned=is_abandoned(experiment))
    if as_json:
        click.echo(experiment_json(view))
    else:
        _print(lambda screen: render_experiment(view, screen))


def _show_trial(selection: Selection, layout: Layout, *, as_json: bool) -> None:
    from bakeoff.report.json import trial_json
    from bakeoff.report.trial_page import render_trial
    from bakeoff.report.trial_view import trial_view

    trial = selection.trials[0]
    trajectory = _trajectory_if_readable(trial, layout)
    setup = _setup_if_readable(trial, layout)
    view = trial_view(selection.experiment, trial, trajectory, setup_output=setup)
    if as_json:
        click.echo(trial_json(view))
    else:
        _print(lambda screen: render_trial(view, screen))


def _show_check(selection: Selection, check: str, *, as_json: bool) -> None:
    from bakeoff.report.json import verdicts_json
    from bakeoff.report.trial_page import render_check
    from bakeoff.store.selector import trial_address

    found = [
        (trial_address(trial), trial, verdict)
        for trial in selection.trials
        for verdict in trial.verdicts
        if verdict.check == check
    ]
    if not found:
        raise _no_such_check(selection, check)
    if as_json:
        click.echo(verdicts_json(found))
        return

    def draw(screen: Screen) -> str:
        return "\n".join(render_check(trial, verdict, screen, address) for address, trial, verdict in found)

    _print(draw)


def _no_such_check(selection: Selection, check: str) -> UserError:
    if all(trial.outcome == "void" for trial in selection.trials) and selection.trials:
        noun = "this trial is" if len(selection.trials) == 1 else "these trials are"
        return UserError(
            f"{noun} void: no check was evaluated",
            hint="`show` without --check tells why",
        )
    verdicts: list[VerdictRecord] = [verdict for trial in selection.trials for verdict in trial.verdicts]
    known = list(dict.fromkeys(verdict.check for verdict in verdicts))
    hint = f"checks there: {', '.join(known)}" if known else "no check was evaluated there"
    return UserError(f"no check {check!r} was evaluated in these trials{_meant(check, known)}", hint=hint)


def _meant(word: str, known: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _show_diff(trial: TrialRecord, layout: Layout, *, as_json: bool) -> None:
    if trial.baseline_tree is None or trial.final_tree is None:
        from bakeoff.report.problem_text import message_and_hint

        # The detail may hold a hint of its own, and one is enough.
        detail = ": ".join(part for part in message_and_hint(trial.detail) if part)
        raise UserError("nothing was captured in this trial, so there is no diff", hint=detail)
    diff = _diff(trial, trial.baseline_tree, trial.final_tree, layout)
    unknown = [change.path for change in trial.changes if not change.in_diff and not change.ignored]
    for path in unknown:
        click.echo(f"not in the diff, as its content is not archived: {path}", err=True)
    if not diff and not unknown:
        click.echo("the agent changed nothing that counts", err=True)
    _print_bytes(diff, "bakeoff.diff", trial, as_json=as_json)


def _diff(trial: TrialRecord, baseline: str, final: str, layout: Layout) -> bytes:
    """The diff that the checks saw: of the changes that count and whose content is archived."""
    from bakeoff.errors import HostFailed
    from bakeoff.identity import raw_path
    from bakeoff.store.archive import Archive

    if not layout.archive.is_dir():
        raise UserError(f"the archive {layout.archive} is gone, and the diff with it")
    paths = [raw_path(change.path) for change in trial.changes if change.in_diff and not change.ignored]
    try:
        return Archive(layout.archive).diff(baseline, final, paths)
    except HostFailed as error:
        raise UserError(f"the diff of trial {trial.id} cannot be made: {error}", hint=error.detail) from error


def _show_stream(trial: TrialRecord, layout: Layout, *, as_json: bool) -> None:
    from bakeoff.store.artifacts import STREAM

    content = _artifact(trial, STREAM, layout)
    if content is None:
        raise UserError("no stream was kept of this trial", hint=_kept(trial))
    _print_bytes(content, "bakeoff.stream", trial, as_json=as_json)


def _show_artifact(trial: TrialRecord, name: str, layout: Layout, *, as_json: bool) -> None:
    content = _artifact(trial, name, layout)
    if content is None:
        meant = _meant(name, list(trial.artifacts))
        raise UserError(f"no artifact {name!r} was kept of this trial{meant}", hint=_kept(trial))
    _print_bytes(content, "bakeoff.artifact", trial, as_json=as_json, artifact=name)


def _show_trajectory(trial: TrialRecord, layout: Layout, *, as_json: bool) -> None:
    from bakeoff.report.json import trajectory_json
    from bakeoff.report.steps_page import render_steps
    from bakeoff.store.selector import trial_address

    trajectory = _trajectory_of(trial, layout)
    if trajectory is None:
        raise UserError("no trajectory was kept of this trial", hint=_kept(trial))
    if as_json:
        click.echo(trajectory_json(trial_address(trial), trajectory))
    else:
        _print(lambda screen: render_steps(trajectory, screen))


def _trajectory_if_readable(trial: TrialRecord, layout: Layout) -> Trajectory | None:
    """The trajectory, without which a trial can still be shown: what is wrong with it is said."""
    try:
        return _trajectory_of(trial, layout)
    except UserError as error:
        click.echo(f"bakeoff: {error}", err=True)
        return None


def _setup_if_readable(trial: TrialRecord, layout: Layout) -> str | None:
    """What setup printed where it failed; None for other trials, and when it cannot be read."""
    if trial.void_reason != "setup_failed":
        return None
    try:
        content = _artifact(trial, "setup", layout)
    except UserError as error:
        click.echo(f"bakeoff: {error}", err=True)
        return None
    return None if content is None else content.decode("utf-8", "backslashreplace")


def _trajectory_of(trial: TrialRecord, layout: Layout) -> Trajectory | None:
    """The trial's trajectory; None when none was kept, UserError when it cannot be read."""
    from bakeoff.store.artifacts import TRAJECTORY
    from bakeoff.store.trajectory_file import UnreadableTrajectory, parse_trajectory

    content = _artifact(trial, TRAJECTORY, layout)
    if content is None:
        return None
    try:
        return parse_trajectory(content)
    except UnreadableTrajectory as error:
        raise UserError(
            f"the stored trajectory of trial {trial.id} cannot be read: {error}",
            hint="--stream shows what the harness printed",
        ) from error


def _artifact(trial: TrialRecord, kind: str, layout: Layout) -> bytes | None:
    """The content of an artifact; None when the record names none."""
    from bakeoff.store.artifacts import open_artifact

    path = trial.artifacts.get(kind)
    if path is None:
        return None
    try:
        with open_artifact(layout, path) as file:
            return file.read()
    except OSError as error:
        raise UserError(
            f"the {kind} of trial {trial.id} is recorded, but cannot be read: {error.strerror or error}",
            hint=f"it should be in {layout.artifacts / path}",
        ) from error


def _kept(trial: TrialRecord) -> str:
    return f"kept were: {', '.join(trial.artifacts)}" if trial.artifacts else "nothing was kept of it"


def _print(draw: Callable[[Screen], str]) -> None:
    from bakeoff.report.screen import screen_for, write

    write(sys.stdout, draw(screen_for(sys.stdout, os.environ)))


def _print_bytes(content: bytes, schema: str, trial: TrialRecord, *, as_json: bool, **facts: str) -> None:
    """Bytes as they are, for programs; made harmless where a person reads them."""
    from bakeoff.report.clean import clean
    from bakeoff.report.json import text_json
    from bakeoff.report.screen import write
    from bakeoff.store.selector import trial_address

    if as_json:
        click.echo(text_json(schema, trial_address(trial), content, **facts))
    elif sys.stdout.isatty():
        write(sys.stdout, clean(content.decode("utf-8", "backslashreplace")))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
