"""The arms of an experiment as a table: how often each passed, and what it took."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bakeoff.model.trial import Ending, Outcome
from bakeoff.report.clean import clean_line
from bakeoff.report.screen import TO, Page, Screen
from bakeoff.report.wording import UNKNOWN, counts, known_of, percent, plural, seconds, spent, tokens

if TYPE_CHECKING:
    from bakeoff.report.arm_view import ArmView

_MOVED_FIRST = ("besides", "bounds", "tokens", "score")
"""Columns that leave a table that is too wide, in this order."""

_Column = tuple[str, str, Callable[["ArmView"], str]]
"""Title, justification, and what stands there for an arm."""


def draw_arms(page: Page, screen: Screen, arms: Sequence[ArmView]) -> None:
    """The table, what its numbers mean, and a line about each arm.

    What does not fit into the width of the screen stands in the lines below the table:
    no number is ever cut or folded.
    """
    page.heading("Arms")
    shown, besides = _columns(screen, arms), []
    for title in _MOVED_FIRST:
        if _width(shown, arms) > screen.width:
            besides += [column for column in shown if column[0] == title]
            shown = [column for column in shown if column[0] != title]
    if _width(shown, arms) > screen.width:
        shown, besides = [], shown[1:] + besides
    if shown:
        table = page.table(*((title, justify) for title, justify, _ in shown))
        for arm in arms:
            table.add_row(*(value(arm) for _, _, value in shown))
        page.console.print(table)
    for line in _legend(arms):
        page.paragraph(screen.own(line), style="dim")
    for arm in arms:
        page.paragraph(screen.own(" · ".join([_agent(arm), *_beside(arm, besides)])))


def _width(columns: Sequence[_Column], arms: Sequence[ArmView]) -> int:
    """Columns of the screen that a table needs to show everything on one line each."""
    from rich.cells import cell_len

    return sum(
        max(cell_len(text) for text in (title, *(value(arm) for arm in arms))) + 2
        for title, _, value in columns
    )


def _beside(arm: ArmView, columns: Sequence[_Column]) -> list[str]:
    """What stands in these columns for an arm, as words; nothing where nothing is to be said."""
    told = [(title, value(arm)) for title, _, value in columns]
    return [f"{title} {text}".strip() for title, text in told if text not in {"", "-"}]


def _columns(screen: Screen, arms: Sequence[ArmView]) -> list[_Column]:
    """The columns that have something to say."""
    columns: list[_Column] = [
        ("arm", "left", lambda arm: clean_line(arm.id)),
        ("passed", "right", lambda arm: f"{arm.rate.passed}/{arm.rate.judged}"),
        ("", "left", lambda arm: _rate_words(arm, screen)),
    ]
    if any(_others(arm) for arm in arms):
        columns.append(("besides", "left", _others))
    if any(arm.void_reasons for arm in arms):
        columns.append(("bounds", "left", lambda arm: _bounds(arm, screen)))
    if any(arm.score or arm.unscored for arm in arms):
        columns.append(("score", "right", _score))
    return [
        *columns,
        (
            "time",
            "right",
            lambda arm: seconds(arm.agent_s.value) + known_of(arm.agent_s.known, arm.agent_s.trials),
        ),
        (
            "tokens",
            "right",
            lambda arm: tokens(arm.tokens.value) + known_of(arm.tokens.known, arm.tokens.trials),
        ),
        ("cost", "right", lambda arm: spent(arm.spending.usd, arm.spending.unpriced)),
    ]


def _legend(arms: Sequence[ArmView]) -> list[str]:
    more = ", + because some have no known price" if any(_costs_more(arm) for arm in arms) else ""
    lines = [f"time and tokens: median of a trial; cost: sum of all trials{more}"]
    if any(arm.void_reasons for arm in arms):
        lines.append("void trials count in no rate; bounds: the rate if all of them had failed, or passed")
    if any(arm.rate.interval for arm in arms):
        lines.append("in brackets: 95 % interval (Wilson) of the rate over tasks, in per cent")
    return lines


def _costs_more(arm: ArmView) -> bool:
    return arm.spending.usd is not None and arm.spending.unpriced > 0


def _others(arm: ArmView) -> str:
    """Outcomes besides pass and fail."""
    usual = {str(Outcome.PASS), str(Outcome.FAIL)}
    return counts({word: count for word, count in arm.outcomes.items() if word not in usual})


def _score(arm: ArmView) -> str:
    if arm.score:
        return f"{arm.score.value:.2f}{known_of(arm.score.known, arm.score.trials)}"
    return f"{UNKNOWN} in {arm.unscored}" if arm.unscored else "-"


def _rate_words(arm: ArmView, screen: Screen) -> str:
    words = percent(arm.rate.value) if arm.rate.judged else "-"
    if arm.rate.weighted:
        words += " by weight"
    if arm.rate.interval:
        low, high = arm.rate.interval
        words += screen.own(f" ({low * 100:.0f}{TO}{high * 100:.0f})")
    return words


def _bounds(arm: ArmView, screen: Screen) -> str:
    if arm.rate.if_void_failed is None or arm.rate.if_void_passed is None:
        return "-"
    low, high = arm.rate.if_void_failed, arm.rate.if_void_passed
    return screen.own(f"{low * 100:.0f}{TO}{high * 100:.0f} %")


def _agent(arm: ArmView) -> str:
    parts = [
        f"{clean_line(arm.id)}: {arm.harness} {'/'.join(map(clean_line, arm.harness_versions))}".rstrip()
    ]
    if arm.model:
        parts.append(f"model {clean_line(arm.model)}")
    if arm.models_answered and list(arm.models_answered) != [arm.model]:
        parts.append(f"answered by {', '.join(map(clean_line, arm.models_answered))}")
    if arm.placements:
        parts.append(f"with {', '.join(map(clean_line, arm.placements))}")
    return " · ".join([*parts, *_noticed(arm)])


def _noticed(arm: ArmView) -> list[str]:
    """What happened in the trials of an arm besides their outcomes."""
    words = [f"{count} void: {reason.replace('_', ' ')}" for reason, count in arm.void_reasons.items()]
    words += [
        f"{count} ended: {ending.replace('_', ' ')}"
        for ending, count in arm.endings.items()
        if ending != Ending.TIMEOUT or count != arm.outcomes.get(Outcome.TIMEOUT, 0)
    ]
    words += [f"{plural(arm.denials, 'action')} refused"] if arm.denials else []
    words += [f"{plural(arm.retries, 'API call')} retried"] if arm.retries else []
    return words
