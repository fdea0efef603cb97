"""How numbers and facts are said in every report, so that two reports never differ."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from bakeoff.model.trial import Outcome

UNKNOWN = "unknown"

_OUTCOMES: Mapping[str, str] = {
    Outcome.PASS: "pass",
    Outcome.FAIL: "fail",
    Outcome.TIMEOUT: "timeout",
    Outcome.KNOWN_ISSUE: "known issue",
    Outcome.UNEXPECTED_PASS: "unexpected pass",
    Outcome.NOT_JUDGED: "not judged",
    Outcome.VOID: "void",
}


def outcome_words(outcome: str, void_reason: str | None = None) -> str:
    """An outcome as people read it: `void (rate limit)`."""
    words = _OUTCOMES.get(outcome, outcome.replace("_", " "))
    return f"{words} ({void_reason.replace('_', ' ')})" if void_reason else words


def counts(numbers: Mapping[str, int]) -> str:
    """Counts by outcome or reason in the order given, without zeros: `7 pass, 2 fail`."""
    return ", ".join(f"{count} {outcome_words(word)}" for word, count in numbers.items() if count)


def percent(share: float | None) -> str:
    """A share in whole per cent; only an exact 0 or 1 is shown as 0 % or 100 %."""
    if share is None:
        return UNKNOWN
    if 0 < share < 0.01:
        return "<1 %"
    if 0.99 < share < 1:
        return ">99 %"
    return f"{share * 100:.0f} %"


def money(usd: float | None) -> str:
    """US dollars: cents, but never fewer than two significant digits (`$0.054`)."""
    if usd is None:
        return UNKNOWN
    if usd == 0 or abs(usd) >= 0.0995:
        return f"${usd:,.2f}"
    return f"${usd:.2g}" if abs(usd) >= 0.0001 else "<$0.0001"


def exact_money(usd: float | None) -> str:
    """US dollars with every digit that was recorded, and at least cents."""
    if usd is None:
        return UNKNOWN
    whole, _, fraction = f"{usd:.10f}".partition(".")
    return f"${whole}.{fraction.rstrip('0').ljust(2, '0')}"


def spent(usd: float | None, unpriced: int) -> str:
    """What trials cost together: `$1.20+` when some of them have no known price."""
    if usd is None:
        return UNKNOWN if unpriced else "-"
    return money(usd) + ("+" if unpriced else "")


def seconds(duration: float | None) -> str:
    """A duration: `0.52 s`, `12.5 s`, `2 min 05 s`, `1 h 04 min`."""
    if duration is None:
        return UNKNOWN
    if duration < 1:
        return f"{duration:.2f} s"
    if duration < 59.95:
        return f"{duration:.1f} s"
    whole = round(duration)
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60:02d} s"
    minutes = round(duration / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min"


def tokens(count: float | None) -> str:
    """A number of tokens, three significant digits: `950`, `10.5k`, `1.23M`."""
    if count is None:
        return UNKNOWN
    if count < 999.5:
        return f"{count:.0f}"
    if count < 999_500:
        return f"{_three_digits(count / 1_000)}k"
    return f"{_three_digits(count / 1_000_000)}M"


def _three_digits(number: float) -> str:
    if number < 9.995:
        return f"{number:.2f}"
    return f"{number:.1f}" if number < 99.95 else f"{number:.0f}"


def moment(iso: str | None) -> str:
    """A time of the record in minutes: `2026-03-01 10:05 UTC`."""
    if iso is None:
        return UNKNOWN
    parsed = datetime.fromisoformat(iso)
    in_utc = parsed.astimezone(UTC) if parsed.tzinfo else parsed
    return f"{in_utc:%Y-%m-%d %H:%M} UTC"


def plural(count: int, word: str) -> str:
    """`1 trial`, `2 trials`."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def known_of(known: int, trials: int) -> str:
    """How many trials a number stands on, where that is not all of them: ` (2/5)`."""
    return "" if known in {0, trials} else f" ({known}/{trials})"
