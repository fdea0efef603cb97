"""Which paths the ignore rules of sealed starting files match, whatever the agent wrote."""

from __future__ import annotations

from pathlib import Path

from support.repositories import git, make_repository, write_files
from support.workspaces import sealed_from


class TestIgnored:
    def test_only_rules_of_the_commit_count(self, tmp_path: Path, cache: Path) -> None:
        path = make_repository(
            tmp_path / "source",
            {".gitignore": "*.log\n/build/\n!keep.log\n", "sub/.gitignore": "local\n", "a": "1"},
        )
        write_files(path, {".git/info/exclude": "excluded\n"})
        sealed = sealed_from(path, cache)
        asked = [
            *(b"x.log", b"keep.log", b"sub/deep/x.log", b"build/out/x", b"other/build/x", b"sub/local"),
            *(
                b"local",
                b"excluded",
                b"a",
                b":(top)x.log",
                b"*.log",
                b"caf\xe9.log",
                b"new\nline.log",
                b".git.log",
            ),
            *(b"/".join([b"n" * 200] * 30) + b"/x.log", b"/".join([b"n" * 200] * 30) + b"/x"),
        ]
        assert sealed.ignored(asked) == {
            *(b"x.log", b"sub/deep/x.log", b"build/out/x", b"sub/local"),
            *(b":(top)x.log", b"*.log", b"caf\xe9.log", b"new\nline.log", b".git.log"),
            b"/".join([b"n" * 200] * 30) + b"/x.log",
        }

    def test_without_rules_nothing_is(self, tmp_path: Path, cache: Path) -> None:
        sealed = sealed_from(make_repository(tmp_path / "source", {"a": "1"}), cache)
        assert sealed.ignored([b"x.log"]) == set()

    def test_a_link_is_no_rule_file(self, tmp_path: Path, cache: Path) -> None:
        path = make_repository(tmp_path / "source", {"rules": "*\n"})
        (path / ".gitignore").symlink_to("rules")
        git(path, "add", "-A")
        git(path, "commit", "-qm", "link")
        assert sealed_from(path, cache).ignored([b"x"]) == set()
