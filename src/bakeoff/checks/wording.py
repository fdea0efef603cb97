"""How checks put what they found into words: short lists, places and evidence of bounded size."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.identity import display_path
from bakeoff.model.check import Change

EVIDENCE_CHARACTERS = 32 * 1024


def clipped(text: str, most: int = EVIDENCE_CHARACTERS) -> str:
    """`text` without its middle when it is longer than a verdict's evidence may be."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


def listed(names: Sequence[str], most: int = 5) -> str:
    """The first few names for a sentence, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def told(change: Change) -> str:
    """A change as a line of evidence: what happened, the path, and whether it is ignored."""
    return f"{change.kind.value:<9}{display_path(change.path)}{'  (ignored)' if change.ignored else ''}"


def plainly(text: str, most: int = 80) -> str:
    """A name or text of the agent's on one line, with nothing in it that cannot be seen."""
    parts = text.encode("utf-8", "surrogatepass").split(b"\\")
    line = "\\".join(map(display_path, parts))
    return line if len(line) <= most else f"{line[:most]}..."
