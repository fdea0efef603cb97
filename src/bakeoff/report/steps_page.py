"""A trajectory as text: what the agent wrote and did, in order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bakeoff.model.trajectory import Message, Step, ToolCall
from bakeoff.report.clean import clean, clean_line
from bakeoff.report.screen import Page, Screen

if TYPE_CHECKING:
    from bakeoff.model.trajectory import Trajectory

_RESULT_LINES = 20
_INPUT_CHARACTERS = 400


def render_steps(trajectory: Trajectory, screen: Screen) -> str:
    """Every step; long results are cut in the middle, which JSON never does."""
    page = Page(screen)
    if not trajectory.steps:
        page.paragraph("the harness told of no step", style="dim")
    for number, step in enumerate(trajectory.steps, 1):
        thread = f" [{clean_line(step.thread)}]" if step.thread else ""
        page.console.print(clean_line(f"{number}. {_title(step)}") + thread, style="bold")
        page.block(_body(step), indent=4)
    ended = trajectory.finish_reason or (str(trajectory.finish) if trajectory.finish else "it did not say")
    page.paragraph(f"how the harness says it ended: {clean_line(ended)}", style="dim")
    return page.text()


def _title(step: Step) -> str:
    if isinstance(step, Message):
        return "reasoning" if step.kind == "reasoning" else "message"
    state = " (refused)" if step.denied else " (error)" if step.is_error else ""
    return f"{step.name}{state}"


def _body(step: Step) -> str:
    if isinstance(step, Message):
        return clean(step.text)
    lines = [_input(step)]
    if step.denial:
        lines.append(f"refused: {clean_line(step.denial)}")
    if step.exit_code is not None:
        lines.append(f"exit code {step.exit_code}")
    lines.append("(no result was seen)" if step.result is None else _shortened(clean(step.result)))
    return "\n".join(lines)


def _input(step: ToolCall) -> str:
    text = json.dumps(dict(step.input), ensure_ascii=False)
    return clean_line(text, limit=_INPUT_CHARACTERS)


def _shortened(text: str) -> str:
    lines = text.split("\n")
    if len(lines) <= _RESULT_LINES:
        return text
    half = _RESULT_LINES // 2
    cut = len(lines) - 2 * half
    return "\n".join([*lines[:half], f"({cut} lines left out)", *lines[-half:]])
