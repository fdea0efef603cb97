"""The unified diff between two trees, the same whatever git, user or repository makes it.

Renames are not looked for: a moved file is a deleted and an added one. Every file is treated
as text, because a single NUL byte would otherwise hide a file's content from whoever searches
the diff. Prefixes are `a/` and `b/`, three lines of context, full ids. Paths stand verbatim in
the headers, except that git quotes those with control characters, quotes or backslashes.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from bakeoff.git.call import run_git
from bakeoff.git.objects import Leaf, LooseObjects
from bakeoff.git.tree import make_tree

_OPTIONS = (
    "-r",
    "--patch",
    "--text",
    "--unified=3",
    "--inter-hunk-context=0",
    "--full-index",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--no-function-context",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--submodule=short",
    "--ignore-submodules=none",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    f"-O{os.devnull}",
)
_ATTRIBUTES = b"* !diff !text !eol !filter !ident !working-tree-encoding !whitespace\n"


@dataclass(frozen=True, slots=True)
class TreeChange:
    """A path that two trees hold differently; None where a tree does not hold it."""

    path: bytes
    before: Leaf | None
    after: Leaf | None


def changed_paths(git_dir: Path, before: str, after: str) -> list[TreeChange]:
    """Every file and link that differs between two trees, in git's order."""
    listing = run_git(
        ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", f"-O{os.devnull}", before, after],
        git_dir=git_dir,
    )
    fields = listing.split(b"\0")
    return [_tree_change(facts, path) for facts, path in zip(fields[::2], fields[1::2], strict=False)]


def _tree_change(facts: bytes, path: bytes) -> TreeChange:
    old_mode, new_mode, old_id, new_id, _ = facts.decode("ascii").lstrip(":").split(" ")
    return TreeChange(path, _leaf(old_mode, old_id), _leaf(new_mode, new_id))


def _leaf(mode: str, object_id: str) -> Leaf | None:
    return (int(mode, 8), object_id) if int(mode, 8) else None


def unified_diff(git_dir: Path, before: str, after: str, paths: Collection[bytes] | None = None) -> bytes:
    """The diff from one tree (of sha1 ids) to another; `paths` limits it to exactly these.

    A path is one file, never a pattern and never what lies below it.
    """
    wanted = None if paths is None else frozenset(paths)
    with tempfile.TemporaryDirectory(prefix="diff-") as place:
        scratch = Path(place)
        (scratch / "refs").mkdir()
        (scratch / "info").mkdir()
        (scratch / "objects").mkdir()
        (scratch / "HEAD").write_bytes(b"ref: refs/heads/main\n")
        (scratch / "info" / "attributes").write_bytes(_ATTRIBUTES)
        objects = git_dir / "objects"
        if wanted is not None:
            before, after = _only(git_dir, before, after, wanted, LooseObjects(scratch / "objects"))
        return run_git(
            ["diff-tree", *_OPTIONS, before, after],
            git_dir=scratch,
            env={"GIT_ALTERNATE_OBJECT_DIRECTORIES": quoted(objects)},
        )


def _only(
    git_dir: Path, before: str, after: str, wanted: frozenset[bytes], objects: LooseObjects
) -> tuple[str, str]:
    """Two trees with nothing but the wanted paths, because git takes no long list of exact paths."""
    found = changed_paths(git_dir, before, after)
    changes = [change for change in found if change.path in wanted]
    if len(changes) == len(found):
        return before, after
    old = {change.path: change.before for change in changes if change.before is not None}
    new = {change.path: change.after for change in changes if change.after is not None}
    return make_tree(old, objects.put_tree).id, make_tree(new, objects.put_tree).id


def quoted(path: Path) -> str:
    """A directory as git reads it in a list of directories separated by colons."""
    text = os.fspath(path).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
