"""Tokens and money: from the final totals where they were told, else from single model calls.

Totals of `modelUsage` and `total_cost_usd` are those of the whole session on every result
line, subagents included: the last one counts and nothing is added up. The `usage` of a
result line covers one turn of the main thread, or in old versions one call, so it counts
only where there is nothing better. On the line of a content block the output tokens are,
since 2.1, those at the start of the message and not the final ones. In a session that is
continued by a second launch, its totals go on from those of the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from bakeoff.harness.json_line import amount, count, fields, label
from bakeoff.model.trajectory import Provenance, Usage

_FINAL_ON_EACH_LINE_BEFORE = (2, 1)
"""Versions before this one print the final usage of a message on each of its lines."""

_UNKNOWN_BASIS = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was used, with where it comes from."""

    usage: Usage = Usage()
    usage_source: Provenance = Provenance.UNKNOWN
    by_model: Mapping[str, Usage] = field(default_factory=dict)
    cost_usd: float | None = None
    cost_source: Provenance = Provenance.UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class _CallUsage:
    """The usage of one model call, and whether its output is final."""

    usage: Usage
    model: str | None
    final: bool


@dataclass(slots=True)
class Meter:
    """Collects usage and cost."""

    _calls: dict[str, _CallUsage] = field(default_factory=dict)
    _result: Mapping[str, object] | None = None
    _session_state: Mapping[str, object] | None = None
    _old: bool = False

    def on_version(self, version: str | None) -> None:
        """The version that the first line named; old ones named none."""
        match = re.match(r"(\d+)\.(\d+)", version or "0.0")
        numbers = (int(match[1]), int(match[2])) if match else _FINAL_ON_EACH_LINE_BEFORE
        self._old = numbers < _FINAL_ON_EACH_LINE_BEFORE

    def on_answer(self, message: Mapping[str, object]) -> None:
        """A line of a model's message: the last one of each id counts."""
        final = self._old or label(message.get("stop_reason")) is not None
        self._keep(label(message.get("id")), message.get("usage"), label(message.get("model")), final=final)

    def on_message_end(self, message_id: str | None, usage: object) -> None:
        """The end of a message, told by a partial message event: its usage is final."""
        known = self._calls.get(message_id or "")
        self._keep(message_id, usage, known.model if known else None, final=True)

    def on_result(self, event: Mapping[str, object]) -> None:
        """A result line."""
        self._result = event

    def on_session_answer(self, message: Mapping[str, object]) -> None:
        """A message in a session file, where usage is final; only for calls that the stream showed."""
        message_id = label(message.get("id"))
        if message_id in self._calls:
            self._keep(message_id, message.get("usage"), label(message.get("model")), final=True)

    def on_session_state(self, row: Mapping[str, object]) -> None:
        """The totals that the harness leaves in its session file, also when it is ended."""
        self._session_state = row

    def reading(self, *, result_is_last: bool) -> Reading:
        """What was used; the totals of a result line count only if nothing followed it."""
        if self._result is not None and result_is_last:
            return self._from_result(self._result)
        if self._session_state is not None:
            return self._from_state(self._session_state)
        return self._from_calls()

    @property
    def models_by_totals(self) -> tuple[str, ...]:
        """The models that the last totals name, for output that has no messages."""
        totals = fields((self._result or {}).get("modelUsage"))
        return tuple(name for name, used in totals.items() if count(fields(used).get("outputTokens")))

    def _keep(self, message_id: str | None, told: object, model: str | None, *, final: bool) -> None:
        usage = fields(told)
        known = self._calls.get(message_id or "")
        if message_id is None or (known is not None and known.final and not final):
            return
        self._calls[message_id] = _CallUsage(usage=_usage_of_call(usage), model=model, final=final)

    def _from_result(self, event: Mapping[str, object]) -> Reading:
        cost = amount(event.get("total_cost_usd"))
        totals = event.get("modelUsage")
        by_model = _by_model(totals)
        source = Provenance.REPORTED
        if by_model:
            usage = _added(by_model.values())
        elif isinstance(totals, dict) or self._single_call(event):
            # No model was charged, or there was one call only: then the two totals agree.
            usage = _usage_of_call(fields(event.get("usage")))
        else:
            sums = self._from_calls()
            usage, source, by_model = sums.usage, sums.usage_source, dict(sums.by_model)
        if usage == Usage():
            source = Provenance.UNKNOWN
        guessed = any(fields(used).get("costBasis") == _UNKNOWN_BASIS for used in fields(totals).values())
        return Reading(
            usage=usage,
            usage_source=source,
            by_model=by_model,
            cost_usd=cost,
            cost_source=_cost_source(cost, guessed=guessed),
        )

    def _single_call(self, event: Mapping[str, object]) -> bool:
        return len(self._calls) == 1 or (not self._calls and count(event.get("num_turns")) == 1)

    def _from_state(self, row: Mapping[str, object]) -> Reading:
        by_model = _by_model(row.get("modelUsage"))
        cost = amount(row.get("totalCostUSD"))
        if not cost and not any(map(_counts_something, by_model.values())):
            # It counts calls that came to their end. A session that was ended in its first call says 0,
            # whatever that call used.
            return self._from_calls()
        return Reading(
            usage=_added(by_model.values()) if by_model else Usage(),
            usage_source=Provenance.REPORTED if by_model else Provenance.UNKNOWN,
            by_model=by_model,
            cost_usd=cost,
            cost_source=_cost_source(cost, guessed=row.get("hasUnknownModelCost") is True),
        )

    def _from_calls(self) -> Reading:
        if not self._calls:
            return Reading()
        by_model: dict[str, list[Usage]] = {}
        for call in self._calls.values():
            usage = call.usage if call.final else replace(call.usage, output=None)
            by_model.setdefault(call.model or "unknown", []).append(usage)
        sums = {name: _added(usages) for name, usages in by_model.items()}
        return Reading(usage=_added(sums.values()), usage_source=Provenance.DERIVED, by_model=sums)


def _cost_source(cost: float | None, *, guessed: bool) -> Provenance:
    if cost is None:
        return Provenance.UNKNOWN
    return Provenance.ESTIMATED if guessed else Provenance.REPORTED


def _usage_of_call(usage: Mapping[str, object]) -> Usage:
    return Usage(
        input=count(usage.get("input_tokens")),
        cache_read=count(usage.get("cache_read_input_tokens")),
        cache_write=count(usage.get("cache_creation_input_tokens")),
        output=count(usage.get("output_tokens")),
        reasoning=count(fields(usage.get("output_tokens_details")).get("thinking_tokens")),
    )


def _counts_something(usage: Usage) -> bool:
    return any((usage.input, usage.cache_read, usage.cache_write, usage.output, usage.reasoning))


def _by_model(totals: object) -> dict[str, Usage]:
    return {
        name: Usage(
            input=count(used.get("inputTokens")),
            cache_read=count(used.get("cacheReadInputTokens")),
            cache_write=count(used.get("cacheCreationInputTokens")),
            output=count(used.get("outputTokens")),
            reasoning=count(used.get("thinkingTokens")),
        )
        for name, told in fields(totals).items()
        if (used := fields(told))
    }


def _added(usages: Iterable[Usage]) -> Usage:
    """The sum of each kind of token; unknown as soon as one of the parts is."""
    parts = list(usages)
    return Usage(
        input=_sum([part.input for part in parts]),
        cache_read=_sum([part.cache_read for part in parts]),
        cache_write=_sum([part.cache_write for part in parts]),
        output=_sum([part.output for part in parts]),
        reasoning=_sum([part.reasoning for part in parts]),
    )


def _sum(numbers: list[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known and len(known) == len(numbers) else None
