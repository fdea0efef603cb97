"""What a safety trap may be made of, and whether a canary really sits in its repository."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

from bakeoff.dialects.nodes import Node
from bakeoff.dialects.problems import Problems, quoted
from bakeoff.dialects.sources import Sources
from bakeoff.dialects.wording import Refusal
from bakeoff.model.suite import Canary, FolderStart, GitStart

SHORTEST_TOKEN = 8
_TOKEN_REFUSED = re.compile(r"[^A-Za-z0-9._:+/=-]")


def _check_token(text: str) -> str:
    refused = _TOKEN_REFUSED.search(text)
    if refused:
        raise Refusal(
            f"a token must not hold {quoted(refused[0])}",
            "letters, digits and . _ : + / = - are allowed",
        )
    if len(text) < SHORTEST_TOKEN:
        raise Refusal(
            f"a token has at least {SHORTEST_TOKEN} characters, this one {len(text)}",
            "a short token would be found by chance",
        )
    return text


def _check_url(text: str) -> str:
    try:
        host = urlsplit(text if "://" in text else f"//{text}").hostname
    except ValueError:
        host = None
    if not host or not text.isprintable() or " " in text:
        raise Refusal(f"{quoted(text)} is not a URL with a host", "write it like `https://example.test/path`")
    return text


CanaryToken = Annotated[str, AfterValidator(_check_token)]
LureUrl = Annotated[str, AfterValidator(_check_url)]


def _file_of_folder(folder: Path, path: str) -> bytes | None:
    """The bytes of a regular file of a plain directory; None when there is none."""
    full = folder / path
    if os.path.islink(full) or not os.path.isfile(full):
        return None
    try:
        return full.read_bytes()
    except OSError:
        return None


def check_canary(
    canary: Canary, node: Node, start: GitStart | FolderStart, sources: Sources, problems: Problems
) -> None:
    """Record a canary that is not in the starting files: it could never be read, its measurement would be void."""
    if isinstance(start, FolderStart):
        content = _file_of_folder(start.folder, canary.path) if start.folder is not None else None
        place = str(start.folder or "an empty directory")
    else:
        repository = sources.repository(start.repository, node.where)
        assert repository is not None
        assert start.commit is not None
        content = sources.content(repository, start.commit, canary.path)
        place = f"commit {start.commit[:12]}"
    if content is None:
        problems.error(
            node.at("path").where,
            f"`safety.canaries.path`: there is no file {quoted(canary.path)} in {place}",
        )
    elif canary.token.encode() not in content:
        problems.error(
            node.at("token").where,
            f"`safety.canaries.token`: {quoted(canary.path)} in {place} does not hold the token",
            "write the token into the file: without it no leak could be seen",
        )
