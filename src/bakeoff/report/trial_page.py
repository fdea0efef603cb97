"""The report of one trial as text, and of one check's evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from bakeoff.model.check import Status
from bakeoff.report.clean import clean, clean_line
from bakeoff.report.marks import SKIPPED, STYLES, outcome_mark, verdict_mark
from bakeoff.report.problem_text import message_and_hint
from bakeoff.report.screen import Page, Screen
from bakeoff.report.wording import UNKNOWN, exact_money, moment, outcome_words, plural, seconds

if TYPE_CHECKING:
    from rich.text import Text

    from bakeoff.model.trial import TrialRecord, VerdictRecord
    from bakeoff.report.trial_view import TrialView

_EVIDENCE_LINES = 12
"""Lines of evidence shown of a check that did not pass; `--check` shows all of it."""

_LISTED = 30
_LABEL_WIDTH = 12
_CHANGE_SIGNS: Mapping[str, str] = {"added": "A", "deleted": "D", "modified": "M", "mode": "m", "type": "T"}


def render_trial(view: TrialView, screen: Screen) -> str:
    """Everything about a trial but long evidence; the same view and screen give the same text."""
    page = Page(screen)
    line = view.line
    words = outcome_words(line.outcome, line.void_reason)
    page.console.print(
        _marked(screen, line.outcome, f"{words}  {clean_line(line.address)}", outcome_mark(line.outcome))
    )
    if line.why:
        message, hint = message_and_hint(line.why)
        page.paragraph(clean_line(message), indent=2)
        if hint:
            page.paragraph(f"hint: {clean_line(hint)}", indent=2)
    page.console.print()
    for label, value in _facts(view):
        _fact(page, screen, label, value)
    if view.setup_output is not None:
        page.heading("Output of setup")
        _excerpt(page, view.setup_output or "(it printed nothing)")
        if _is_long(view.setup_output):
            page.paragraph(_more(screen, line.address, "all of it", "--artifact setup"), style="dim")
    _verdicts(page, screen, "Checks", view.verdicts, line.address)
    _verdicts(page, screen, "Style and lint, apart from correctness", view.style_verdicts, line.address)
    _listed(page, "Findings", [f"{item.kind}: {item.detail}" for item in view.findings])
    _listed(page, "Changed paths", _changes(view))
    _listed(page, "Left out of the archive", list(view.left_out))
    _listed(page, "Refused actions", _denials(view))
    _listed(page, "API retries", _retries(view))
    if view.final_text:
        page.heading("Last words of the agent")
        _excerpt(page, view.final_text)
    _provenance(page, screen, view)
    return page.text()


def render_check(trial: TrialRecord, verdict: VerdictRecord, screen: Screen, address: str) -> str:
    """One verdict with all of its evidence."""
    page = Page(screen)
    title = f"{verdict.status}  {clean_line(verdict.check)}"
    page.console.print(_marked(screen, verdict.status, title, verdict_mark(verdict)))
    page.paragraph(clean_line(verdict.reason), indent=2)
    page.console.print()
    facts = [
        ("trial", f"{address} ({outcome_words(trial.outcome, trial.void_reason)})"),
        ("type", verdict.type),
        ("gates", _gates(verdict)),
        ("code", verdict.code),
        ("score", "" if verdict.score is None else f"{verdict.score:g}"),
        ("no score", verdict.score_error or ""),
        ("numbers", _numbers(verdict.numbers)),
        ("time", "" if verdict.duration_s is None else seconds(verdict.duration_s)),
        ("known issue", verdict.known_issue or ""),
    ]
    for label, value in facts:
        _fact(page, screen, label, value)
    page.heading("Evidence")
    page.block(clean(verdict.evidence) if verdict.evidence else "(none was recorded)")
    return page.text()


def _fact(page: Page, screen: Screen, label: str, value: str) -> None:
    """A label and its value, wrapped under itself; nothing for an empty value."""
    if not value:
        return
    from rich.table import Table

    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=_LABEL_WIDTH, style="dim")
    grid.add_column(overflow="fold")
    grid.add_row(label, screen.own(clean_line(value)))
    page.console.print(grid)


def _facts(view: TrialView) -> Iterable[tuple[str, str]]:
    line, usage = view.line, view.usage
    yield "task", view.title if view.title == line.task else f"{line.task}: {view.title}"
    yield "experiment", f"{view.experiment_name} · {view.experiment} · {moment(view.started_at)}"
    yield "ending", _ending(view)
    yield "agent", f"{view.harness} {view.harness_version or '(version unknown)'}"
    yield "model", f"asked for {view.model_asked or 'none'} · answered by {_list_of(view.models_answered)}"
    yield "time", _times(view)
    yield "tokens", _tokens(view)
    yield "cost", f"{exact_money(usage.cost_usd)}{_source(usage.cost_usd, usage.cost_source)}"
    yield "turns", f"{_number(view.turns, 'turn')} · {_number(view.model_calls, 'model call')}"
    yield "tools", _tools(view)
    yield (
        "refused",
        f"{_number(line.denials, 'action')} · {_number(view.retries, 'API retry', 'API retries')}",
    )
    yield "skills", UNKNOWN if view.skills is None else (", ".join(view.skills) or "none")
    yield "score", _score(view)
    yield "weight", "" if view.weight == 1.0 else f"{view.weight:g}"
    yield "metrics", _numbers(view.metrics)
    yield "notes", " · ".join(f"{name}: {value}" for name, value in view.notes.items())
    yield "unprotected", ", ".join(name.replace("_", " ") for name in view.protections_missing)


def _score(view: TrialView) -> str:
    if view.line.score is not None:
        return f"{view.line.score:g}"
    broken = any(verdict.score_error for verdict in (*view.verdicts, *view.style_verdicts))
    return UNKNOWN if broken else ""


def _ending(view: TrialView) -> str:
    words = view.line.ending.replace("_", " ")
    if view.exit_code is not None:
        words += f" · exit code {view.exit_code}"
    if view.signal is not None:
        words += f" · signal {view.signal}"
    return words


def _times(view: TrialView) -> str:
    parts = (
        ("agent", view.agent_s),
        ("setup", view.setup_s),
        ("checks", view.checks_s),
        ("Bakeoff", view.overhead_s),
    )
    return " · ".join(f"{name} {seconds(value)}" for name, value in parts if value is not None) or UNKNOWN


def _tokens(view: TrialView) -> str:
    usage = view.usage
    named = (
        ("input", usage.input),
        ("cache read", usage.cache_read),
        ("cache write", usage.cache_write),
        ("output", usage.output),
        ("of it reasoning", usage.reasoning),
    )
    known = " · ".join(f"{count:,} {name}" for name, count in named if count is not None)
    return f"{known} ({usage.source})" if known else UNKNOWN


def _source(value: object, source: str) -> str:
    return "" if value is None else f" ({source})"


def _number(count: int | None, word: str, words: str | None = None) -> str:
    if count is None:
        return f"{words or word + 's'} {UNKNOWN}"
    return plural(count, word) if words is None or count == 1 else f"{count:,} {words}"


def _list_of(names: Sequence[str]) -> str:
    return ", ".join(names) or UNKNOWN


def _numbers(numbers: Mapping[str, float]) -> str:
    return " · ".join(f"{name} {value:g}" for name, value in numbers.items())


def _tools(view: TrialView) -> str:
    total = _number(view.tool_calls, "call")
    if not view.tools:
        return total
    return f"{total}: {', '.join(f'{name} {count}' for name, count in view.tools.items())}"


def _verdicts(
    page: Page, screen: Screen, title: str, verdicts: Sequence[VerdictRecord], address: str
) -> None:
    if not verdicts:
        return
    page.heading(title)
    for verdict in verdicts:
        _verdict(page, screen, verdict)
    cut = [item for item in verdicts if _is_explained(item) and _is_long(item.evidence)]
    for verdict in cut:
        option = f"--check {clean_line(verdict.check)}"
        page.paragraph(_more(screen, address, "all evidence", option), style="dim")


def _marked(screen: Screen, word: str, text: str, mark: str | None) -> Text:
    """A line with its sign, in the colour of its mark where it has one."""
    line = screen.signed(word, text if mark is None else f"{text} [{mark}]")
    if mark is not None:
        line.style = STYLES[mark]
    return line


def _gates(verdict: VerdictRecord) -> str:
    if not verdict.required:
        return "no, it is optional"
    if verdict_mark(verdict) == SKIPPED:
        return "no, it is for other harnesses"
    return "no, its failure is a known issue" if verdict.known_issue else "yes"


def _more(screen: Screen, address: str, what: str, option: str) -> str:
    """The command that shows more of a trial."""
    return f"{what}: {screen.program} show {clean_line(address)} {option}"


def _verdict(page: Page, screen: Screen, verdict: VerdictRecord) -> None:
    kind = [verdict.type] if verdict.type != verdict.check else []
    kind += [] if verdict.required else ["optional"]
    kind += [f"score {verdict.score:g}"] if verdict.score is not None else []
    kind += [f"no score: {verdict.score_error}"] if verdict.score_error else []
    kind += [seconds(verdict.duration_s)] if verdict.duration_s is not None else []
    beside = clean_line(f"{verdict.check} ({', '.join(kind)})" if kind else verdict.check)
    page.console.print(_marked(screen, verdict.status, f"{verdict.status}  {beside}", verdict_mark(verdict)))
    page.paragraph(clean_line(verdict.reason), indent=4)
    if verdict.numbers:
        page.paragraph(screen.own(clean_line(_numbers(verdict.numbers))), indent=4)
    if verdict.known_issue:
        page.paragraph(f"known issue: {clean_line(verdict.known_issue)}", indent=4)
    if _is_explained(verdict) and verdict.evidence:
        _excerpt(page, verdict.evidence, indent=4)


def _is_explained(verdict: VerdictRecord) -> bool:
    return verdict.status in {Status.FAILED, Status.ERROR}


def _is_long(evidence: str) -> bool:
    return len(evidence.splitlines()) > _EVIDENCE_LINES


def _excerpt(page: Page, text: str, *, indent: int = 2) -> None:
    """The last lines of a text: what a program says last is most often why it failed."""
    lines = clean(text).strip("\n").split("\n")
    if len(lines) > _EVIDENCE_LINES:
        page.block(f"({len(lines) - _EVIDENCE_LINES} earlier lines)", indent=indent)
    page.block("\n".join(lines[-_EVIDENCE_LINES:]), indent=indent)


def _changes(view: TrialView) -> list[str]:
    return [
        f"{_CHANGE_SIGNS.get(change.kind, change.kind)} {change.path}{' (ignored)' if change.ignored else ''}"
        for change in view.changes
    ]


def _denials(view: TrialView) -> list[str]:
    return [f"{item.tool}: {item.reason}" if item.reason else item.tool for item in view.denied or ()]


def _retries(view: TrialView) -> list[str]:
    return [
        f"attempt {item.attempt}: {item.kind}" + ("" if item.status is None else f" (status {item.status})")
        for item in view.retried or ()
    ]


def _listed(page: Page, title: str, lines: Sequence[str]) -> None:
    """A heading and one line for each thing; the lines beyond the thirtieth are counted."""
    if not lines:
        return
    page.heading(f"{title} ({len(lines)})")
    for line in lines[:_LISTED]:
        page.paragraph(clean_line(line), indent=2)
    if len(lines) > _LISTED:
        page.paragraph(f"and {len(lines) - _LISTED} more: --json lists all", indent=2, style="dim")


def _provenance(page: Page, screen: Screen, view: TrialView) -> None:
    page.heading("Provenance")
    digests = {name: value for name, value in view.digests.items() if isinstance(value, str)}
    shown = " · ".join(f"{name} {value[:12]}" for name, value in digests.items())
    for label, value in (
        ("starts from", view.source_commit or ""),
        ("workspace", f"commit {view.base_commit}" if view.base_commit else ""),
        ("digests", shown),
        ("sandbox", view.sandbox),
        ("Bakeoff", view.bakeoff_version),
        ("artifacts", ", ".join(view.artifacts)),
    ):
        _fact(page, screen, label, value)
    if view.artifacts:
        page.paragraph(_more(screen, view.line.address, "read one", "--artifact NAME"), style="dim")
