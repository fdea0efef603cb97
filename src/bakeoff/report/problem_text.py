"""Taking apart the text of a problem: the sentence, and the hint that stands on a line of its own."""

from __future__ import annotations

_HINT = "\n\n  hint: "
_WARNING = "warning: "


def message_and_hint(text: str) -> tuple[str, str]:
    """The message and the hint of a problem that was written out; the hint is empty without one."""
    message, _, hint = text.strip().partition(_HINT)
    return message.strip(), hint.strip()


def without_severity(message: str) -> str:
    """The message of a warning without that word, for places that say it already."""
    if message.startswith(_WARNING):
        return message.removeprefix(_WARNING)
    return message.replace(f": {_WARNING}", ": ", 1)
