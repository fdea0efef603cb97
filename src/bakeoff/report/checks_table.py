"""The checks of an experiment that did not always pass, style and lint apart from correctness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bakeoff.report.clean import clean_line
from bakeoff.report.marks import SKIPPED
from bakeoff.report.screen import Page, Screen
from bakeoff.report.wording import plural

if TYPE_CHECKING:
    from bakeoff.report.check_view import CheckView

_LISTED = 40


def draw_checks(
    page: Page, screen: Screen, title: str, checks: Sequence[CheckView], *, noun: str = "check"
) -> None:
    """The checks that failed somewhere; nothing at all when there are no checks of that kind."""
    if not checks:
        return
    shown = [check for check in checks if check.everywhere != "passed" or check.marks]
    if shown:
        page.heading(title)
        table = page.table(("task", "left"), ("check", "left"), ("passed", "left"))
        for check in shown[:_LISTED]:
            name = clean_line(check.check) + ("" if check.required else " (optional)")
            table.add_row(clean_line(check.task), name, screen.own(_by_arm(check)))
        page.console.print(table)
    if len(shown) > _LISTED:
        page.paragraph(f"and {plural(len(shown) - _LISTED, 'more check')}: --json lists all", style="dim")
    if len(shown) < len(checks):
        if not shown:
            page.console.print()
        rest = f"other {noun}" if shown else noun
        page.paragraph(f"{plural(len(checks) - len(shown), rest)} passed in every trial", style="dim")


def _by_arm(check: CheckView) -> str:
    """How often a check passed under each arm, and what it was otherwise when not failed."""
    parts = []
    for arm, statuses in check.statuses.items():
        told = f"{clean_line(arm)} {statuses.get('passed', 0)}/{sum(statuses.values())}"
        marks = check.marks.get(arm, {})
        stopped = statuses.get("skipped", 0) - marks.get(SKIPPED, 0)
        besides = [f"{statuses['error']} error"] if statuses.get("error") else []
        besides += [f"{stopped} skipped"] if stopped else []
        besides += [f"{count} [{mark}]" for mark, count in marks.items()]
        parts.append(told + (f" ({', '.join(besides)})" if besides else ""))
    return " · ".join(parts)
