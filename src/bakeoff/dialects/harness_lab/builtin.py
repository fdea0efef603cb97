"""The variants that exist without being written anywhere."""

from __future__ import annotations

from pathlib import Path

from bakeoff.dialects.nodes import Mapping, Sequence
from bakeoff.dialects.problems import Problems
from bakeoff.dialects.yaml import parse_yaml

FALLBACK = "fake-reference"
"""What runs when neither command line nor experiment nor suite selects anything."""

_FILE = Path("<built-in variants>")
_TEXT = """\
- {id: fake-reference, runner: fake, behavior: solve}
- {id: fake-noop, runner: fake, behavior: noop}
- {id: codex-default, runner: codex}
- {id: claude-default, runner: claude}
"""


def builtin_variants() -> tuple[Mapping, ...]:
    """The built-in variants as if a suite had written them."""
    root = parse_yaml(_TEXT, _FILE, Problems(cwd=Path("/")))
    assert isinstance(root, Sequence)
    return tuple(item for item in root.items if isinstance(item, Mapping))


def is_builtin(node: Mapping) -> bool:
    """Whether a variant is one of the built-in ones."""
    return node.file == _FILE
