"""Adding up what an agent tells of tokens and money, without ever telling too little.

A sum with one part unknown is unknown: an amount that is too small is a wrong number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bakeoff.harness.generic.protocol import UsageTold
from bakeoff.model.trajectory import Provenance, Usage

_KEYS = {
    "input": "input_tokens",
    "cache_read": "cached_input_tokens",
    "cache_write": "cache_write_tokens",
    "output": "output_tokens",
    "reasoning": "reasoning_output_tokens",
}
_EXPECTED = frozenset({"input", "output"})
"""What every model call has: an event without it leaves the sum unknown."""

_MOST_MODELS = 200


@dataclass(slots=True)
class _Sum:
    """Numbers of one model, or of all that were told without one."""

    tokens: dict[str, int | None] = field(default_factory=dict)
    cost: float | None = None
    uncertain_cost: bool = False

    def add(self, event: UsageTold) -> None:
        told = event.model_fields_set
        for name, key in _KEYS.items():
            number: int | None = getattr(event, key)
            if number is None:
                if name in _EXPECTED or key in told:
                    self.tokens[name] = None
            elif name not in self.tokens:
                self.tokens[name] = number
            else:
                before = self.tokens[name]
                self.tokens[name] = None if before is None else before + number
        if event.cost_usd is None:
            self.uncertain_cost = True
        else:
            self.cost = (self.cost or 0.0) + event.cost_usd


@dataclass(slots=True)
class Account:
    """Tokens, money and model calls of one launch."""

    _sums: dict[str | None, _Sum] = field(default_factory=dict)
    _calls: int | None = None
    _turns: int | None = None
    _calls_uncertain: bool = False
    _added: bool = False
    _final_cost: float | None = None
    _final_cost_told: bool = False

    def take(self, event: UsageTold) -> None:
        """Add the usage of one call, or let the total so far take the place of all before."""
        model = event.model if event.model in self._sums or len(self._sums) < _MOST_MODELS else None
        if event.scope == "call":
            self._added = True
            self._count(event)
        else:
            if model is None:
                self._sums.clear()
            else:
                self._sums.pop(model, None)
            self._calls, self._calls_uncertain = event.calls, event.calls is None or model is not None
            self._turns = None
        self._sums.setdefault(model, _Sum()).add(event)

    def _count(self, event: UsageTold) -> None:
        calls = 1 if event.calls is None else event.calls
        if not self._calls_uncertain:
            self._calls = (self._calls or 0) + calls
        if event.thread is None:
            self._turns = (self._turns or 0) + calls

    def take_final_cost(self, usd: float | None) -> None:
        """The price of the whole session, as the last word tells it; None: told and not to be believed."""
        self._final_cost, self._final_cost_told = usd, True

    @property
    def usage(self) -> Usage:
        """Tokens of the whole session."""
        together: dict[str, int | None] = {}
        for item in self._sums.values():
            for name, number in item.tokens.items():
                before = together.get(name, 0)
                together[name] = None if before is None or number is None else before + number
        return Usage(**together)

    @property
    def usage_source(self) -> Provenance:
        """Where the tokens come from: told as they are, or added up."""
        if all(number is None for item in self._sums.values() for number in item.tokens.values()):
            return Provenance.UNKNOWN
        return Provenance.DERIVED if self._added else Provenance.REPORTED

    @property
    def by_model(self) -> Mapping[str, Usage]:
        """Tokens by model, of what was told with one."""
        return {model: Usage(**item.tokens) for model, item in self._sums.items() if model is not None}

    @property
    def models(self) -> tuple[str, ...]:
        """The models that something was told of, in order."""
        return tuple(model for model in self._sums if model is not None)

    @property
    def cost_usd(self) -> float | None:
        """US dollars of the whole session; None as soon as the price of one part is unknown."""
        if self._final_cost_told:
            return self._final_cost
        sums = list(self._sums.values())
        if not sums or any(item.uncertain_cost for item in sums):
            return None
        return round(sum(item.cost or 0.0 for item in sums), 12)

    @property
    def model_calls(self) -> int | None:
        """Model calls of all threads."""
        return None if self._calls_uncertain else self._calls

    @property
    def turns(self) -> int | None:
        """Model calls of the agent itself."""
        return self._turns if self.model_calls is not None else None
