"""Both supervisors as parameters of a test: the sandbox where it works, and the fallback."""

from __future__ import annotations

import pytest

SANDBOXED = pytest.param("bubblewrap", marks=pytest.mark.sandbox, id="bubblewrap")

in_both = pytest.mark.parametrize("sandbox", [SANDBOXED, "process"])
"""Run a test once with `--sandbox bubblewrap` and once with `--sandbox process`."""

in_sandbox = pytest.mark.parametrize("sandbox", [SANDBOXED])
in_fallback = pytest.mark.parametrize("sandbox", ["process"])
