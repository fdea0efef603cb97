"""Replacing secret values by numbered placeholders in everything that is written down."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, quote_plus

SHORTEST = 6
"""Values with fewer characters are left alone: they would occur by chance."""

_LINE_SHORTEST = 16
_CHUNK = 1024 * 1024


class Redactor:
    """Replaces known values, in text and bytes, by `[redacted:NAME#N]`.

    A value is found as it is, as JSON escapes it (also twice over), and as URLs encode it;
    of a value with several lines, each long line is found too. The number tells apart the
    different values that have the same name, so that a leak can be judged later. Longer
    values go first: a secret inside another one never leaves a rest.
    """

    def __init__(self, secrets: Mapping[str, str | tuple[str, ...]]) -> None:
        self.ignored: tuple[str, ...] = tuple(
            name for name, values in secrets.items() if any(len(value) < SHORTEST for value in _each(values))
        )
        """Names with a value that is too short to be looked for."""
        self._placeholders = _placeholders(secrets)
        longest_first = sorted(self._placeholders, key=lambda form: (-len(form), form))
        self._longest = len(longest_first[0]) if longest_first else 0
        self._search = re.compile(b"|".join(re.escape(form) for form in longest_first))

    def redact(self, data: bytes) -> bytes:
        """`data` without any of the values."""
        if not self._placeholders:
            return data
        return self._search.sub(lambda found: self._placeholders[found[0]], data)

    def redact_text(self, text: str) -> str:
        """`text` without any of the values."""
        if not self._placeholders:
            return text
        return self.redact(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def redact_value(self, value: object) -> object:
        """A plain value with every text in it redacted, keys of mappings included."""
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, Mapping):
            return {self.redact_value(key): self.redact_value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.redact_value(item) for item in value]
        return value

    def redact_stream(self, source: BinaryIO, destination: BinaryIO) -> None:
        """Copy one open file to another piece by piece, without any of the values."""
        waiting = b""
        while piece := source.read(_CHUNK):
            waiting += piece
            # A match that starts in this part has all the bytes it can need.
            decided = len(waiting) - max(self._longest - 1, 0)
            if decided > 0:
                done, waiting = self._redacted_until(waiting, decided)
                destination.write(done)
        destination.write(self.redact(waiting))

    def redact_file(self, source: Path, destination: Path) -> None:
        """Write a redacted copy of a file, readable by its owner alone.

        `destination` appears complete or not at all; the two may be the same path.
        """
        handle, made = tempfile.mkstemp(dir=destination.parent, prefix=f".{destination.name[:100]}.")
        try:
            with os.fdopen(handle, "wb") as out, source.open("rb") as file:
                self.redact_stream(file, out)
            os.replace(made, destination)
        except BaseException:
            os.unlink(made)
            raise

    def _redacted_until(self, data: bytes, decided: int) -> tuple[bytes, bytes]:
        """The redacted beginning of `data`, and what must wait for more."""
        parts: list[bytes] = []
        position = 0
        if self._placeholders:
            for found in self._search.finditer(data):
                if found.start() >= decided:
                    break
                parts += [data[position : found.start()], self._placeholders[found[0]]]
                position = found.end()
        end = max(position, decided)
        return b"".join([*parts, data[position:end]]), data[end:]


def _each(values: str | tuple[str, ...]) -> tuple[str, ...]:
    return (values,) if isinstance(values, str) else values


def _placeholders(secrets: Mapping[str, str | tuple[str, ...]]) -> dict[bytes, bytes]:
    """Each form in which a value may occur to what stands for it; the first name counts."""
    placeholders: dict[bytes, bytes] = {}
    for name, values in secrets.items():
        kept = [value for value in dict.fromkeys(_each(values)) if len(value) >= SHORTEST]
        for number, value in enumerate(kept, start=1):
            placeholder = f"[redacted:{name}#{number}]".encode()
            for form in _forms(value):
                placeholders.setdefault(form, placeholder)
    return placeholders


def _forms(value: str) -> Iterable[bytes]:
    lines = [
        line for line in value.split("\n") if len(line) >= _LINE_SHORTEST and not line.startswith("-----")
    ]
    for text in dict.fromkeys([value, *(lines if "\n" in value else [])]):
        # An environment may hold bytes that are not UTF-8; they come in as surrogates.
        plain = text.encode("utf-8", "surrogateescape")
        yield plain
        for ascii_only in (False, True):
            once = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
            twice = json.dumps(once, ensure_ascii=ascii_only)[1:-1]
            for escaped in (once, twice, once.replace("/", r"\/")):
                yield escaped.encode("utf-8", "surrogateescape")
        for encoded in (quote(plain, safe=""), quote(plain), quote_plus(plain)):
            yield encoded.encode()
            yield re.sub("%..", lambda found: found[0].lower(), encoded).encode()
