"""Names, digests and canonical forms: how Bakeoff tells whether two things are the same."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import secrets
import stat
import time
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path

from pydantic import BaseModel

_ESCAPE = re.compile(r"(\\\\|\\x[0-9a-f]{2})")
_BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"
# Fixed here, not asked of Python's Unicode tables: digests must not depend on its version.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\udc80-\udcff]"
)


def digest_bytes(data: bytes) -> str:
    """The SHA-256 of `data`, 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def digest_text(text: str) -> str:
    """The SHA-256 of `text` in UTF-8; lone surrogates are kept apart, never an error."""
    return digest_bytes(text.encode("utf-8", "surrogatepass"))


def digest(value: object) -> str:
    """The SHA-256 of the canonical JSON of a plain value, dataclass or mapping.

    Equal values have equal digests whatever the order of their keys. Paths count by
    their text, so callers pass contents where contents matter.
    """
    return digest_text(canonical_json(value))


def canonical_json(value: object) -> str:
    """Strict JSON with sorted keys and no white space; NaN and infinity are a ValueError."""
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def plain(value: object) -> object:
    """`value` as nothing but dicts, lists, strings, numbers, booleans and None."""
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return _finite(value)
    if isinstance(value, Path | bytes):
        return display_path(os.fsencode(value))
    return _plain_collection(value)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        msg = f"not a finite number: {value!r}"
        raise ValueError(msg)
    return value


def _plain_collection(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, BaseModel):
        return {name: plain(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, frozenset | set):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    msg = f"cannot be written as JSON: {type(value).__name__}"
    raise TypeError(msg)


def display_path(path: bytes) -> str:
    r"""A path for people and records: UTF-8 as it is, everything that cannot be seen as `\xNN`.

    That is each byte that is not UTF-8, and each byte of a control, of a mark that turns the
    direction of writing, and of a character without width. A backslash is doubled, so that
    two different paths never look alike.
    """
    text = path.decode("utf-8", "surrogateescape").replace("\\", "\\\\")
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(lambda found: _bytes_of(found[0]), text)


def _bytes_of(character: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))


def raw_path(displayed: str) -> bytes:
    r"""The path that `display_path` wrote like this; ValueError for text that it never writes."""
    pieces = _ESCAPE.split(displayed)
    if any("\\" in piece for piece in pieces[::2]):
        msg = f"not a displayed path: {displayed!r}"
        raise ValueError(msg)
    return b"".join(
        bytes.fromhex(piece[2:]) if piece.startswith("\\x") else piece.replace("\\\\", "\\").encode()
        for piece in pieces
    )


def new_id(prefix: str, *, now: float | None = None) -> str:
    """A unique name that sorts by time: `prefix`, milliseconds in base 36, and 40 random bits."""
    milliseconds = int((time.time() if now is None else now) * 1000)
    return f"{prefix}_{_base36(milliseconds, 9)}{_base36(secrets.randbits(40), 8)}"


def _base36(number: int, width: int) -> str:
    digits = ""
    for _ in range(width):
        number, rest = divmod(number, 36)
        digits = _BASE36[rest] + digits
    return digits


def digest_tree(path: Path) -> str:
    """The SHA-256 of a file or of everything below a directory.

    Counts relative paths, kinds, executable bits, the bytes of files and the targets of
    links; links are never followed below `path`. A missing path raises FileNotFoundError.
    """
    state = hashlib.sha256()
    root = os.fsencode(path)
    for relative in [b"", *(_paths_below(root) if os.path.isdir(root) else [])]:
        full = os.path.join(root, relative) if relative else root
        # The top may itself be a link: what it points to is what a task refers to.
        status = os.stat(full) if not relative else os.lstat(full)
        kind, data = _kind_and_data(full, status)
        state.update(b"%s\0%s\0%d\0" % (relative, kind, len(data)))
        state.update(data)
    return state.hexdigest()


def _kind_and_data(path: bytes, status: os.stat_result) -> tuple[bytes, bytes]:
    if stat.S_ISLNK(status.st_mode):
        return b"link", os.readlink(path)
    if stat.S_ISDIR(status.st_mode):
        return b"directory", b""
    if stat.S_ISREG(status.st_mode):
        with open(path, "rb") as file:
            return (b"executable" if status.st_mode & 0o100 else b"file"), file.read()
    return b"special", b""


def _paths_below(root: bytes) -> list[bytes]:
    found: list[bytes] = []
    waiting = [b""]
    while waiting:
        directory = waiting.pop()
        with os.scandir(os.path.join(root, directory) if directory else root) as entries:
            for entry in entries:
                relative = os.path.join(directory, entry.name) if directory else entry.name
                found.append(relative)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(relative)
    return sorted(found)
