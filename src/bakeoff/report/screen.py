"""What a text report is drawn on: its width, whether it has colour, and which characters it can show."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from bakeoff.model.check import Status
from bakeoff.model.trial import Outcome
from bakeoff.report.program import NAME, program

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

PLAIN_WIDTH = 100
"""Columns where neither COLUMNS nor a terminal says how many there are."""

TIMES = "×"  # noqa: RUF001 - the multiplication sign is meant
TO = "–"  # noqa: RUF001 - the dash of a range is meant

_NARROWEST = 40

_SYMBOLS: Mapping[str, tuple[str, str, str]] = {
    Outcome.PASS: ("✓", "+", "green"),
    Outcome.UNEXPECTED_PASS: ("!", "!", "cyan"),
    Outcome.FAIL: ("✗", "x", "red"),
    Outcome.TIMEOUT: ("◷", "t", "magenta"),
    Outcome.KNOWN_ISSUE: ("≈", "~", "yellow"),
    Outcome.NOT_JUDGED: ("?", "?", "yellow"),
    Outcome.VOID: ("∅", "o", "yellow"),
    Status.PASSED: ("✓", "+", "green"),
    Status.FAILED: ("✗", "x", "red"),
    Status.ERROR: ("!", "!", "red"),
    Status.SKIPPED: ("-", "-", "yellow"),
}
"""Outcome or status: its sign, the sign in ASCII, and its colour. Words always stand beside them."""

_ASCII = str.maketrans({"·": "-", TIMES: "x", TO: "-"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """Where a text report goes.

    Attributes:
        width: columns.
        colour: colour and bold may be used; nothing is said by them alone.
        unicode: characters beyond ASCII may be used in what Bakeoff itself writes.
        program: how the reader starts Bakeoff, for the commands that a report names.
    """

    width: int = PLAIN_WIDTH
    colour: bool = False
    unicode: bool = True
    program: str = NAME

    def sign(self, word: str) -> str:
        """The one-character sign of an outcome or status."""
        full, simple, _ = _SYMBOLS.get(word, ("?", "?", ""))
        return full if self.unicode else simple

    def own(self, text: str) -> str:
        """Text of Bakeoff's own in characters that the screen can show."""
        return text if self.unicode else text.translate(_ASCII)

    def signed(self, word: str, text: str) -> Text:
        """The sign of an outcome or status and a text beside it, in its colour."""
        from rich.text import Text

        return Text(f"{self.sign(word)} {text}", style=_SYMBOLS.get(word, ("", "", ""))[2])


class Page:
    """A text report in the making; text is laid out for the screen and taken out as one string."""

    def __init__(self, screen: Screen) -> None:
        from rich.console import Console

        self._buffer = io.StringIO()
        self._screen = screen
        # An empty environment: what is drawn depends on the screen only.
        self.console: Console = Console(
            file=self._buffer,
            width=screen.width,
            force_terminal=screen.colour,
            color_system="standard" if screen.colour else None,
            no_color=not screen.colour,
            markup=False,
            emoji=False,
            highlight=False,
            legacy_windows=False,
            _environ={},
        )

    def heading(self, text: str) -> None:
        """A heading after an empty line."""
        self.console.print()
        self.console.print(self._screen.own(text), style="bold")

    def paragraph(self, text: str | Text, *, indent: int = 0, style: str | None = None) -> None:
        """Text wrapped at the width of the screen."""
        from rich.padding import Padding

        self.console.print(Padding(text, (0, 0, 0, indent)), style=style)

    def block(self, text: str, *, indent: int = 0) -> None:
        """Lines as they are, neither wrapped nor cut."""
        for line in text.splitlines():
            self.console.print(" " * indent + line, soft_wrap=True)

    def table(self, *columns: tuple[str, str]) -> Table:
        """A table without lines; each column has a title and is justified left or right."""
        from rich.table import Table

        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
        for title, justify in columns:
            table.add_column(title, justify="right" if justify == "right" else "left", overflow="fold")
        return table

    def text(self) -> str:
        """The report; no line ends in spaces unless colour hides them."""
        drawn = self._buffer.getvalue()
        if self._screen.colour:
            return drawn
        return "".join(f"{line.rstrip()}\n" for line in drawn.splitlines())


def screen_for(stream: TextIO, environ: Mapping[str, str]) -> Screen:
    """The screen behind a stream: as wide as COLUMNS or the terminal says; plain where nobody watches."""
    watched = stream.isatty()
    told = _told_width(environ)
    return Screen(
        width=told or (_terminal_width(stream) if watched else PLAIN_WIDTH),
        colour=watched and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb",
        # A stream in memory has no encoding and takes everything.
        unicode=(stream.encoding or "utf-8").lower().replace("-", "").startswith("utf"),
        program=program(environ),
    )


def _told_width(environ: Mapping[str, str]) -> int | None:
    """What COLUMNS says; None when it says nothing that can be a width."""
    told = environ.get("COLUMNS", "")
    if not (told.isascii() and told.isdigit()) or not int(told):
        return None
    return max(int(told), _NARROWEST)


def _terminal_width(stream: TextIO) -> int:
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except OSError:
        return PLAIN_WIDTH
    # Zero is what a terminal says that does not know.
    return max(columns, _NARROWEST) if columns else PLAIN_WIDTH


def write(stream: TextIO, text: str) -> None:
    """Write text; characters that the stream cannot hold are escaped, never an error."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()
