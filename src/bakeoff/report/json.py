"""Reports as strict JSON for programs: a schema id, a version, and keys that stay.

A document is one object whose `schema` says what it is and whose `version` is raised when a
key changes its meaning or goes away; new keys may come at any time. It is ASCII, without
NaN or infinity; what is unknown is null.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bakeoff.identity import plain
from bakeoff.model.storable import escape_surrogates

if TYPE_CHECKING:
    from bakeoff.model.trajectory import Trajectory
    from bakeoff.model.trial import TrialRecord, VerdictRecord
    from bakeoff.report.list_page import ExperimentLine
    from bakeoff.report.trial_view import TrialView
    from bakeoff.report.view import ExperimentView

VERSION = 1


def experiment_json(view: ExperimentView) -> str:
    """An experiment: the view that every report shows, with a line for each trial."""
    return _document("bakeoff.experiment", {"experiment": view})


def trial_json(view: TrialView) -> str:
    """One trial with all its verdicts and their evidence."""
    return _document("bakeoff.trial", {"trial": view})


def list_json(lines: Sequence[ExperimentLine], *, more: int) -> str:
    """The list of experiments, newest first; `more` is how many older ones are left out."""
    return _document("bakeoff.experiments", {"experiments": lines, "more": more})


def verdicts_json(found: Sequence[tuple[str, TrialRecord, VerdictRecord]]) -> str:
    """The verdicts of one check: with each the address and the outcome of its trial."""
    verdicts = [
        {"trial": address, "outcome": trial.outcome, "verdict": verdict} for address, trial, verdict in found
    ]
    return _document("bakeoff.verdicts", {"verdicts": verdicts})


def trajectory_json(address: str, trajectory: Trajectory) -> str:
    """What the agent did in one trial; each step says by its `step` what it is."""
    from bakeoff.store.trajectory_file import dump_trajectory

    whole, *steps = [json.loads(line) for line in dump_trajectory(trajectory).splitlines()]
    del whole["schema"], whole["version"]
    return _document("bakeoff.trajectory", {"trial": address, "steps": steps, **whole})


def text_json(schema: str, address: str, content: bytes, **facts: str) -> str:
    r"""Bytes that belong to a trial, as text: bytes that are not UTF-8 are written `\xNN`.

    `exact` says whether there were none, so that the text is the bytes. `facts` stand beside it.
    """
    text = content.decode("utf-8", "backslashreplace")
    exact = text.encode("utf-8", "surrogatepass") == content
    return _document(schema, {"trial": address, **facts, "text": text, "exact": exact})


def _document(schema: str, content: dict[str, object]) -> str:
    document = plain({"schema": schema, "version": VERSION, **content})
    return json.dumps(_escaped(document), indent=2, ensure_ascii=True, allow_nan=False)


def _escaped(value: object) -> object:
    """The same with lone surrogates written out: strict readers refuse them."""
    if isinstance(value, str):
        return escape_surrogates(value)
    if isinstance(value, dict):
        return {escape_surrogates(key): _escaped(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_escaped(item) for item in value]
    return value
