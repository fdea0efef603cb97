"""`--auth login`: a harness's own login, copied into each private HOME and never written back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.errors import Problem, ProblemsFound
from bakeoff.plan.arms import ReadyArm

_SHORTEST_SECRET = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """The one file that holds a login of a harness.

    Attributes:
        relative: where it goes below the private HOME.
        content: as it was when the experiment started.
    """

    relative: str
    content: bytes = field(repr=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every long text in it, to be redacted; the whole content when it is not JSON."""
        try:
            document = json.loads(self.content)
        except ValueError:
            return (self.content.decode("utf-8", "replace"),)
        return tuple(text for text in _texts(document) if len(text) >= _SHORTEST_SECRET)

    @property
    def refreshes(self) -> bool:
        """It holds a refresh token: using it twice at once can end the user's session."""
        return b"refresh" in self.content.lower()


def read_logins(arms: Iterable[ReadyArm], home: Path) -> dict[str, Login]:
    """The login of each arm whose harness has one, by arm id.

    Raises ProblemsFound naming every arm whose login file is missing.
    """
    logins: dict[str, Login] = {}
    problems: list[Problem] = []
    for ready in arms:
        relative = ready.harness.login_file
        if relative is None:
            continue
        try:
            logins[ready.arm.id] = Login(relative=relative, content=(home / relative).read_bytes())
        except OSError as error:
            problems.append(
                Problem(
                    where=ready.arm.where,
                    message=f"arm {ready.arm.id!r}: --auth login: {home / relative}: {error.strerror}",
                    hint=f"log in with {ready.arm.harness} first, or use --auth key",
                )
            )
    if problems:
        raise ProblemsFound(tuple(problems))
    return logins


def lend(login: Login, home: Path) -> None:
    """Put a copy into a private HOME, readable by its owner only."""
    path = home / login.relative
    path.parent.mkdir(parents=True, exist_ok=True)
    # Setup may have left a link here: the file is made new, never written through.
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(login.content)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
