"""Which harnesses there are, by name."""

from __future__ import annotations

from collections.abc import Mapping

from bakeoff.errors import UserError
from bakeoff.harness.claude_code.adapter import ClaudeCode
from bakeoff.harness.fake.adapter import Fake
from bakeoff.harness.generic.adapter import Generic
from bakeoff.harness.option_fields import did_you_mean
from bakeoff.harness.protocol import Harness

HARNESSES: Mapping[str, Harness] = {
    "claude_code": ClaudeCode(),
    "fake": Fake(),
    "generic": Generic(),
}

NOT_YET = ("codex_cli", "copilot_cli", "opencode")
"""Harnesses that files may name and that cannot be run yet."""

_OTHER_NAMES = {"claude": "claude_code", "codex": "codex_cli", "copilot": "copilot_cli"}


def full_name(name: str) -> str:
    """The adapter's own name for one by which files or people call it: `claude` is `claude_code`."""
    return _OTHER_NAMES.get(name, name)


def get(name: str) -> Harness:
    """The adapter called `name`.

    Raises UserError when there is none, with the nearest name, and when it cannot be run yet.
    """
    if name in HARNESSES:
        return HARNESSES[name]
    here = f"harnesses that can be run: {', '.join(sorted(HARNESSES))}"
    if name in NOT_YET:
        raise UserError(f"harness {name!r} is not supported yet", hint=here)
    if name in _OTHER_NAMES:
        raise UserError(f"there is no harness {name!r}", hint=f"did you mean {_OTHER_NAMES[name]!r}?")
    near = did_you_mean(name, [*HARNESSES, *NOT_YET, *_OTHER_NAMES]).removeprefix("; ")
    raise UserError(f"there is no harness {name!r}", hint=near or here)
