"""Which paths are not archived, not counted, or not safe to put into a git tree."""

from __future__ import annotations

DEPENDENCY_FOLDERS = frozenset(
    {
        *(b"node_modules", b"bower_components", b".pnpm-store"),
        *(b".venv", b"venv", b"site-packages", b".tox", b".nox", b".eggs"),
        *(b".gradle", b".terraform"),
    }
)
"""Folders of installed packages: their paths count, their content is not archived."""

CACHE_FOLDERS = frozenset(
    {
        *(b"__pycache__", b".pytest_cache", b".mypy_cache", b".ruff_cache"),
        *(b".hypothesis", b".parcel-cache", b".turbo", b".nyc_output"),
    }
)
"""Folders that tools fill for themselves: their content is not archived."""

_UNCOUNTED_FOLDERS = frozenset({b"__pycache__", b".pytest_cache", b".mypy_cache", b".ruff_cache"})
_RULE_FILES = frozenset({b".gitmodules", b".gitattributes", b".gitignore", b".mailmap"})


def is_uncounted(path: bytes) -> bool:
    """Whether a path is byte code or a test cache, which is nobody's change unless it is tracked."""
    if path.endswith(b".pyc"):
        return True
    return not _UNCOUNTED_FOLDERS.isdisjoint(path.split(b"/"))


def is_loose_byte_code(path: bytes) -> bool:
    """Whether Python would import a path as a module although there is no source beside it."""
    return path.endswith(b".pyc") and b"__pycache__" not in path.split(b"/")


def left_out_folder(path: bytes) -> tuple[bytes, str] | None:
    """The outermost folder on the way to `path` whose content is not archived, and why."""
    parts = path.split(b"/")
    for number, part in enumerate(parts[:-1]):
        if part in DEPENDENCY_FOLDERS:
            return b"/".join(parts[: number + 1]) + b"/", "dependency folder"
        if part in CACHE_FOLDERS:
            return b"/".join(parts[: number + 1]) + b"/", "cache folder"
    return None


def is_unsafe(path: bytes, *, is_link: bool) -> bool:
    """Whether git would refuse the whole tree that holds this path.

    Git takes `.git` in any spelling for a repository, and links in the place of its own
    files for an attack.
    """
    parts = path.split(b"/")
    if any(part.lower() == b".git" for part in parts):
        return True
    return is_link and parts[-1].lower() in _RULE_FILES
