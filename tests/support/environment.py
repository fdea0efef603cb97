"""The environment that every test runs in: no credentials, no user, nothing of the machine's settings."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from pathlib import Path

# Variables that steer git, agents, terminals or Bakeoff itself, and everything that looks like a secret.
_REMOVED = re.compile(
    r"""
      (ANTHROPIC|CLAUDE|OPENAI|CODEX|COPILOT|OPENCODE|GEMINI|GOOGLE|AWS|AZURE|GH|GITHUB|GITLAB)_.*
    | CLAUDECODE | IS_SANDBOX
    | .*(_API_KEY|_TOKEN|_SECRET|_PASSWORD|_CREDENTIALS)
    | (BAKEOFF|GIT|XDG|PYTEST_DEBUG)_.*
    | PYTHON(PATH|HOME|WARNINGS|UTF8|HASHSEED|DONTWRITEBYTECODE|PYCACHEPREFIX|UNBUFFERED|STARTUP|BREAKPOINT)
    | (HTTP|HTTPS|ALL|NO)_PROXY
    | CI | FORCE_COLOR | CLICOLOR | CLICOLOR_FORCE | COLORTERM | LINES | LC_.* | LANGUAGE
    | EDITOR | VISUAL | PAGER | SSH_AUTH_SOCK
    """,
    re.VERBOSE | re.IGNORECASE,
)

# A zone far from UTC that needs no zone files: a time that was not converted is seen at once.
TIME_ZONE = "TST-5:30"

GIT_CONFIG = """\
[user]
	name = Tester
	email = tester@example.invalid
[init]
	defaultBranch = main
[commit]
	gpgSign = false
[maintenance]
	auto = false
"""


def isolated(environment: Mapping[str, str], home: Path) -> dict[str, str]:
    """`environment` as a test should see it, with `home` as a private HOME; see `make_home`."""
    kept = {name: value for name, value in environment.items() if not _REMOVED.fullmatch(name)}
    return kept | {
        "HOME": str(home),
        "USER": "tester",
        "LOGNAME": "tester",
        "LANG": "C.UTF-8",
        "TZ": TIME_ZONE,
        "TERM": "dumb",
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def make_home(directory: Path) -> Path:
    """A HOME that holds nothing but a git identity."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / ".gitconfig").write_text(GIT_CONFIG)
    return directory


def enter(environment: Mapping[str, str]) -> dict[str, str]:
    """Make this the environment of the process; returns the earlier one for `enter`."""
    earlier = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    return earlier
