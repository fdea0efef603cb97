"""Which environment variables hold secrets: by their names, and by logins inside URLs."""

from __future__ import annotations

import re
from urllib.parse import unquote

_SECRET_WORD = re.compile(
    r"(?:^|_)(?:\w*KEY|KEYS|\w*TOKENS?|\w*SECRETS?|PASS|\w*PASSWD|\w*PASSWORD|PASSPHRASE|PAT|AUTH|AUTHORIZATION|"
    r"\w*CREDENTIALS?|COOKIES?|SESSION|DSN|HEADERS?)(?:_|$)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"_(?:URL|URI|ENDPOINT|HOST|PORT|REGION|MODEL|VERSION|HOME|DIR|PATH)$", re.IGNORECASE)
_SWITCH = re.compile(r"(?:^|_)(?:USE|DISABLE|ENABLE|SKIP|MAX|MIN)_", re.IGNORECASE)
_LOGIN = re.compile(r"\b[a-z][a-z0-9+.-]*://([^/@\s:]*)(?::([^/@\s]*))?@", re.IGNORECASE)
_LIKE_A_KEY = re.compile(r"[^\s/]{16,}")


def is_secret(name: str, value: str) -> bool:
    """Whether a variable holds a secret, by its name or by a login inside its value."""
    if has_login(value):
        return True
    return bool(_SECRET_WORD.search(name)) and not _ADDRESS.search(name) and not _SWITCH.search(name)


def is_credential(name: str, value: str) -> bool:
    """The same for a variable that a harness uses for its keys and endpoints.

    Whatever its name, a long value without white space and slashes is taken for a key.
    """
    return is_secret(name, value) or (not _ADDRESS.search(name) and bool(_LIKE_A_KEY.fullmatch(value)))


def has_login(value: str) -> bool:
    """Whether a URL with a user or a password stands in the value."""
    return bool(_LOGIN.search(value))


def secret_parts(value: str) -> tuple[str, ...]:
    """The value itself, and the passwords of URLs in it: programs print them alone too."""
    passwords = [found[2] or found[1] for found in _LOGIN.finditer(value)]
    parts = [value, *passwords, *(unquote(password) for password in passwords)]
    return tuple(dict.fromkeys(part for part in parts if part))
