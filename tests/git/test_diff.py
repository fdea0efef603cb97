"""The diff text is exact, complete and the same everywhere."""

from __future__ import annotations

import os
from pathlib import Path

from support.repositories import git, make_repository, write_files

from bakeoff.git.diff import changed_paths, unified_diff
from bakeoff.git.objects import FILE, LooseObjects, make_git_directory
from bakeoff.git.tree import make_tree


def commit(path: Path) -> str:
    git(path, "add", "-A", "-f")
    git(path, "commit", "-q", "--allow-empty", "-m", "next")
    return git(path, "rev-parse", "HEAD^{tree}")


def two_trees(tmp_path: Path) -> tuple[Path, str, str]:
    path = make_repository(
        tmp_path / "repo", {"keep.txt": "same\n", "old.py": "a\nb\nc\n", "gone.txt": "bye\n"}
    )
    before = git(path, "rev-parse", "HEAD^{tree}")
    (path / "gone.txt").rename(path / "moved.txt")
    write_files(path, {"old.py": "a\nB\nc\n", "new/file.txt": "hello\n"})
    return path, before, commit(path)


def test_the_text_is_fixed(tmp_path: Path) -> None:
    path, before, after = two_trees(tmp_path)
    text = unified_diff(path / ".git", before, after, [b"old.py"]).decode()
    assert text == (
        "diff --git a/old.py b/old.py\n"
        f"index {git(path, 'rev-parse', before + ':old.py')}..{git(path, 'rev-parse', after + ':old.py')} 100644\n"
        "--- a/old.py\n+++ b/old.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    )


def test_a_rename_is_a_deleted_and_an_added_file(tmp_path: Path) -> None:
    path, before, after = two_trees(tmp_path)
    text = unified_diff(path / ".git", before, after).decode()
    headers = [line for line in text.splitlines() if line.startswith("diff --git")]
    assert headers == [
        f"diff --git a/{name} b/{name}" for name in ("gone.txt", "moved.txt", "new/file.txt", "old.py")
    ]
    assert "-bye\n" in text
    assert "+bye\n" in text


def test_configuration_and_attributes_of_the_repository_change_nothing(tmp_path: Path) -> None:
    path, before, after = two_trees(tmp_path)
    plain = unified_diff(path / ".git", before, after)
    for key, value in {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "color.ui": "always",
        "diff.external": f"touch {tmp_path}/ran",
        "diff.x.textconv": f"touch {tmp_path}/ran",
        "diff.x.command": f"touch {tmp_path}/ran",
        "diff.context": "0",
        "diff.renames": "copies",
        "diff.algorithm": "patience",
        "diff.orderFile": str(path / "order"),
    }.items():
        git(path, "config", key, value)
    (path / "order").write_text("*.py\n")
    (path / ".git" / "info" / "attributes").write_text("* diff=x\n*.py -diff\n")
    assert unified_diff(path / ".git", before, after) == plain
    assert not (tmp_path / "ran").exists()


def test_attributes_inside_the_trees_change_nothing(tmp_path: Path) -> None:
    path = make_repository(tmp_path / "repo", {"a.py": "x\n", ".gitattributes": "* -diff\n"})
    before = git(path, "rev-parse", "HEAD^{tree}")
    write_files(path, {"a.py": "y\n"})
    assert b"-x\n+y\n" in unified_diff(path / ".git", before, commit(path))


def test_a_nul_byte_hides_nothing(tmp_path: Path) -> None:
    path = make_repository(tmp_path / "repo", {"a": "x\n"})
    before = git(path, "rev-parse", "HEAD^{tree}")
    write_files(path, {"a": b"\0\nforbidden\n"})
    assert b"+forbidden\n" in unified_diff(path / ".git", before, commit(path))


def test_paths_are_exact_and_stand_verbatim(tmp_path: Path) -> None:
    path = make_repository(tmp_path / "repo", {"a": "x\n"})
    before = git(path, "rev-parse", "HEAD^{tree}")
    names = [b"d/inner", b"caf\xc3\xa9", b"byte\xe9", b"new\nline", b'quo"te', b":(exclude)x", b"*", b" "]
    for name in names:
        full = os.path.join(os.fsencode(path), name)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(b"added by %r\n" % name)
    after = commit(path)
    assert sorted(change.path for change in changed_paths(path / ".git", before, after)) == sorted(names)
    for name in names:
        text = unified_diff(path / ".git", before, after, [name])
        assert text.count(b"diff --git") == 1
        assert b"added by %r" % name in text
    assert unified_diff(path / ".git", before, after, [b"d", b"d/", b""]) == b""
    assert b"diff --git a/caf\xc3\xa9 b/caf\xc3\xa9\n" in unified_diff(path / ".git", before, after)
    assert b'diff --git "a/new\\nline" "b/new\\nline"\n' in unified_diff(path / ".git", before, after)


def test_thousands_of_paths_are_no_obstacle(tmp_path: Path) -> None:
    make_git_directory(tmp_path / "bare", bare=True)
    objects = LooseObjects(tmp_path / "bare" / "objects")
    blob = objects.put(b"blob", b"1\n")
    paths = [b"n" * 200 + b"/%d" % number for number in range(12_000)]
    before = objects.put_tree({})
    after = make_tree(dict.fromkeys(paths, (FILE, blob)), objects.put_tree).id
    assert unified_diff(tmp_path / "bare", before, after, paths[1:]).count(b"diff --git") == 11_999


def test_modes_and_links_are_told(tmp_path: Path) -> None:
    path = make_repository(tmp_path / "repo", {"run": "x\n", "link": "x\n"})
    before = git(path, "rev-parse", "HEAD^{tree}")
    (path / "run").chmod(0o755)
    (path / "link").unlink()
    (path / "link").symlink_to("run")
    text = unified_diff(path / ".git", before, commit(path))
    assert b"old mode 100644\nnew mode 100755\n" in text
    assert b"new file mode 120000\n" in text


def test_equal_trees_have_an_empty_diff(tmp_path: Path) -> None:
    path, before, _ = two_trees(tmp_path)
    assert unified_diff(path / ".git", before, before) == b""
    assert unified_diff(path / ".git", before, before, [b"old.py"]) == b""
