"""Translating records to rows of the tables and back, without loss."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from bakeoff.identity import digest
from bakeoff.model.experiment import ExperimentRecord
from bakeoff.model.trial import STORED, Record, TrialRecord

_CHANGING = ("status", "status_reason", "finished_at", "owner_pid", "owner_host")
"""Fields of an experiment that change after it has started."""

Row = dict[str, Any]


def experiment_row(record: ExperimentRecord) -> Row:
    """The row of an experiment; ValueError when `created_at` is no time."""
    return {
        "id": record.id,
        "name": column_text(record.name),
        "suite": column_text(record.suite),
        "created_us": microseconds(record.created_at),
        "bakeoff_version": column_text(record.bakeoff_version),
        "record": dump(record, leave_out=_CHANGING),
        **state_columns(record),
    }


def state_columns(record: ExperimentRecord) -> Row:
    """The columns of an experiment that change after it has started."""
    state = record.model_dump(mode="python", include=set(_CHANGING))
    return {"status": str(record.status), "state": dump_value(state)}


def experiment_record(record: str, state: str) -> ExperimentRecord:
    """The experiment of two stored columns."""
    return ExperimentRecord.model_validate({**json.loads(record), **json.loads(state)}, context=STORED)


def trial_row(record: TrialRecord) -> Row:
    """The row of a trial; its verdicts have rows of their own."""
    return {
        "id": record.id,
        "experiment": record.experiment,
        "suite": column_text(record.suite),
        "task": column_text(record.task),
        "arm": column_text(record.arm),
        "repeat_number": record.repeat,
        "position": record.order,
        "outcome": str(record.outcome),
        "void_reason": None if record.void_reason is None else str(record.void_reason),
        "ending": str(record.ending),
        "score": record.score,
        "weight": record.weight,
        "agent_s": record.agent_s,
        "cost_usd": record.usage.cost_usd,
        "cost_source": record.usage.cost_source,
        "harness": column_text(record.harness),
        "harness_version": _optional_text(record.harness_version),
        "model_asked": _optional_text(record.model_asked),
        "model_answered": dump_value(record.model_answered),
        **_digest_columns(record),
        "base_commit": record.base_commit,
        "baseline_tree": record.baseline_tree,
        "final_tree": record.final_tree,
        "sandbox": column_text(record.sandbox),
        "bakeoff_version": column_text(record.bakeoff_version),
        "record": dump(record, leave_out=("verdicts",)),
    }


def _digest_columns(record: TrialRecord) -> Row:
    digests = record.digests
    return {
        "task_digest": digests.task,
        "prompt_digest": digests.prompt,
        "checks_digest": digests.checks,
        "contents_digest": digest(digests.contents),
        "setup_digest": digests.setup,
        "placements_digest": digests.placements,
        "options_digest": digests.options,
        "arm_digest": digests.arm,
        "environment_digest": digests.environment,
    }


def verdict_rows(record: TrialRecord) -> list[Row]:
    """One row for each verdict of a trial, in their order."""
    return [
        {
            "trial": record.id,
            "position": position,
            "check_id": column_text(verdict.check),
            "type": column_text(verdict.type),
            "aspect": verdict.aspect,
            "required": verdict.required,
            "status": verdict.status,
            "code": column_text(verdict.code),
            "score": verdict.score,
            "duration_s": verdict.duration_s,
            "record": dump(verdict),
        }
        for position, verdict in enumerate(record.verdicts)
    ]


def trial_record(record: str, verdicts: Iterable[str]) -> TrialRecord:
    """The trial of a stored record and the records of its verdicts, in order."""
    data = {**json.loads(record), "verdicts": [json.loads(verdict) for verdict in verdicts]}
    return TrialRecord.model_validate(data, context=STORED)


def dump(record: Record, *, leave_out: Iterable[str] = ()) -> str:
    """A record as strict JSON in ASCII; NaN and infinity are a ValueError."""
    return dump_value(record.model_dump(mode="python", exclude=set(leave_out)))


def dump_value(value: object) -> str:
    """A plain value as strict JSON in ASCII."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def column_text(text: str) -> str:
    r"""Text that every database takes as a value to select by: NUL and lone surrogates are escaped."""
    if "\0" not in text and text.isascii():
        return text
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode("utf-8")


def _optional_text(text: str | None) -> str | None:
    return None if text is None else column_text(text)


def microseconds(moment: str) -> int:
    """Microseconds since 1970 of a time in ISO 8601; a time without zone is UTC."""
    parsed = datetime.fromisoformat(moment)
    aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    delta = aware - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds
