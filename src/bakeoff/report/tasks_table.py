"""The tasks of an experiment under each arm, as a matrix where it fits and as a list where not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bakeoff.model.trial import Outcome
from bakeoff.report.clean import clean_line
from bakeoff.report.screen import Page, Screen
from bakeoff.report.wording import UNKNOWN, counts, known_of, outcome_words

if TYPE_CHECKING:
    from rich.text import Text

    from bakeoff.report.task_view import CellView, TaskView

_NAME_WIDTH = 28


def draw_tasks(page: Page, screen: Screen, tasks: Sequence[TaskView]) -> None:
    """The outcomes of every task under every arm."""
    if not tasks:
        return
    page.heading("Tasks")
    rows = [(task, [_cell(screen, cell) for cell in task.cells]) for task in tasks]
    arms = [clean_line(cell.arm) for cell in tasks[0].cells]
    if _fits(arms, rows, screen.width):
        table = page.table(("task", "left"), *((arm, "left") for arm in arms))
        for task, cells in rows:
            table.add_row(_task_name(task), *cells)
    else:
        table = page.table(("task", "left"), ("arm", "left"), ("result", "left"))
        for task, cells in rows:
            for number, (arm, cell) in enumerate(zip(arms, cells, strict=True)):
                table.add_row("" if number else _task_name(task), arm, cell)
    page.console.print(table)
    _degenerate(page, tasks)


def _task_name(task: TaskView) -> str:
    name = clean_line(task.id)
    return name if task.weight == 1.0 else f"{name} (weight {task.weight:g})"


def _fits(arms: Sequence[str], rows: Sequence[tuple[TaskView, list[Text]]], width: int) -> bool:
    """Whether a column for each arm leaves every column enough room."""
    needed = min(max(len(_task_name(task)) for task, _ in rows), _NAME_WIDTH) + 2
    for position, arm in enumerate(arms):
        longest = max(cells[position].cell_len for _, cells in rows)
        needed += max(len(arm), min(longest, _NAME_WIDTH)) + 2
    return needed <= width


def _cell(screen: Screen, cell: CellView) -> Text:
    from rich.text import Text

    if not cell.recorded:
        return Text("not run", style="dim")
    score = ""
    if cell.score:
        score = f", score {cell.score.value:.2f}{known_of(cell.score.known, cell.score.trials)}"
    elif cell.unscored:
        score = f", score {UNKNOWN}"
    if cell.recorded == 1:
        outcome = next(iter(cell.outcomes))
        reason = next(iter(cell.void_reasons), None)
        ended = next((f", {item.replace('_', ' ')}" for item in cell.endings if item != outcome), "")
        return screen.signed(outcome, f"{outcome_words(outcome, reason)}{score}{ended}")
    return screen.signed(_overall(cell), f"{cell.passed}/{cell.judged}{score}{_rest(cell)}")


def _overall(cell: CellView) -> str:
    if not cell.judged:
        return next(iter(cell.outcomes))
    if cell.passed == cell.judged:
        return Outcome.PASS
    return Outcome.KNOWN_ISSUE if cell.passed else Outcome.FAIL


def _rest(cell: CellView) -> str:
    usual = {str(Outcome.PASS), str(Outcome.FAIL)}
    words = counts({word: count for word, count in cell.outcomes.items() if word not in usual})
    return f", {words}" if words else ""


def _degenerate(page: Page, tasks: Sequence[TaskView]) -> None:
    for words in ("every trial passes", "every trial fails"):
        names = [clean_line(task.id) for task in tasks if task.degenerate == words]
        if names:
            page.paragraph(f"{words}, so no arm stands out: {', '.join(names)}", style="dim")
