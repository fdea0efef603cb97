"""Placements lie where they should, git shows none of them, and links are not written through."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.hostile import sh
from support.repositories import git, make_repository, write_files
from support.workspaces import placement, plain_walk, sealed_from, workspace

from bakeoff.errors import SetupFailed, UserError
from bakeoff.workspace.placements import exclude_line, place

FILES: dict[str, str | bytes] = {
    "CLAUDE.md": "base rules\n",
    "AGENTS.md": "agents\n",
    "app.py": "x\n",
    ".claude/skills/old/SKILL.md": "old\n",
    ".claude/settings.json": "{}\n",
    "sub/CLAUDE.md": "sub\n",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "source", FILES)


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    write_files(tmp_path, {"rules.md": "new rules\n"})
    return tmp_path / "rules.md"


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    folder = write_files(
        tmp_path / "skills", {"new/SKILL.md": "new\n", "new/run.sh": "#!/bin/sh\n", "a b/#!x*": "odd\n"}
    )
    (folder / "new/run.sh").chmod(0o755)
    (folder / "new/link").symlink_to("SKILL.md")
    return folder


def test_a_tracked_file_is_replaced_in_the_one_commit(
    source: Path, cache: Path, root: Path, rules: Path
) -> None:
    placements = (placement("CLAUDE.md", rules),)
    sealed = sealed_from(source, cache, *placements)
    with workspace(sealed, root) as made:
        place(made, sealed, placements)
        assert (made.path / "CLAUDE.md").read_text() == "new rules\n"
        assert git(made.path, "show", "HEAD:CLAUDE.md") == "new rules"
        assert git(made.path, "log", "--all", "--oneline").count("\n") == 0
        assert git(made.path, "status", "--porcelain") == ""
        assert (made.path / ".git/info/exclude").read_bytes() == b""


def test_an_untracked_file_is_kept_out_of_status(source: Path, cache: Path, root: Path, rules: Path) -> None:
    placements = (placement("docs/GEMINI.md", rules), placement("CLAUDE.local.md", rules))
    sealed = sealed_from(source, cache, *placements)
    assert sealed == sealed_from(source, cache)
    with workspace(sealed, root) as made:
        place(made, sealed, placements)
        assert (made.path / "docs/GEMINI.md").read_text() == "new rules\n"
        assert git(made.path, "status", "--porcelain", "-uall") == ""
        assert git(made.path, "ls-files", "docs") == ""
        write_files(made.path, {"docs/other": "x"})
        assert git(made.path, "status", "--porcelain", "-uall") == "?? docs/other"


def test_a_tracked_file_is_removed_in_the_one_commit(source: Path, cache: Path, root: Path) -> None:
    placements = (
        placement("CLAUDE.md", None),
        placement(".claude/skills", None),
        placement("nothing/here", None),
    )
    sealed = sealed_from(source, cache, *placements)
    with workspace(sealed, root) as made:
        sh(made.path, "echo again > CLAUDE.md; mkdir -p nothing/here; echo x > nothing/here/x")
        place(made, sealed, placements)
        assert set(plain_walk(made.path)) == {
            b"AGENTS.md",
            b"app.py",
            b".claude/settings.json",
            b"sub/CLAUDE.md",
        }
        assert git(made.path, "status", "--porcelain") == ""
        assert "CLAUDE.md" not in git(made.path, "ls-files").split()


def test_a_folder_over_tracked_paths_replaces_all_of_them(
    source: Path, cache: Path, root: Path, skills: Path
) -> None:
    placements = (placement(".claude/skills", skills),)
    sealed = sealed_from(source, cache, *placements)
    with workspace(sealed, root) as made:
        place(made, sealed, placements)
        walked = plain_walk(made.path / ".claude/skills")
        assert walked == {
            b"a b/#!x*": ("file", 0o644, b"odd\n"),
            b"new/SKILL.md": ("file", 0o644, b"new\n"),
            b"new/link": ("link", 0o777, b"SKILL.md"),
            b"new/run.sh": ("file", 0o755, b"#!/bin/sh\n"),
        }
        assert git(made.path, "status", "--porcelain", "-uall") == ""
        assert git(made.path, "ls-files", ".claude/skills/new/run.sh") != ""


def test_an_untracked_folder_is_kept_out_of_status(
    source: Path, cache: Path, root: Path, skills: Path
) -> None:
    placements = (placement(".codex/skills/", skills),)
    sealed = sealed_from(source, cache, *placements)
    with workspace(sealed, root) as made:
        place(made, sealed, placements)
        assert len(plain_walk(made.path / ".codex/skills")) == 4
        assert git(made.path, "status", "--porcelain", "-uall") == ""


def test_the_source_may_be_a_link_to_a_file_or_folder(
    source: Path, cache: Path, root: Path, rules: Path, skills: Path, tmp_path: Path
) -> None:
    (tmp_path / "r").symlink_to(rules)
    (tmp_path / "s").symlink_to(skills)
    placements = (placement("CLAUDE.md", tmp_path / "r"), placement("s", tmp_path / "s"))
    sealed = sealed_from(source, cache, *placements)
    with workspace(sealed, root) as made:
        place(made, sealed, placements)
        assert plain_walk(made.path)[b"CLAUDE.md"][0] == "file"
        assert len(plain_walk(made.path / "s")) == 4


def test_a_rule_that_brings_a_path_back_puts_it_into_the_commit(
    tmp_path: Path, cache: Path, root: Path, rules: Path
) -> None:
    source = make_repository(tmp_path / "source", {".gitignore": "*.md\n!CLAUDE.md\n", "a": "1"})
    placements = (placement("CLAUDE.md", rules), placement("OTHER.md", rules))
    sealed = sealed_from(source, cache, *placements)
    assert b"CLAUDE.md" in sealed.files
    assert b"OTHER.md" not in sealed.files
    with workspace(sealed, root) as made:
        place(made, sealed, placements)
        assert git(made.path, "status", "--porcelain", "-uall") == ""


class TestLinks:
    def test_a_link_at_the_target_is_replaced_and_not_followed(
        self, source: Path, cache: Path, root: Path, rules: Path
    ) -> None:
        (source / "CLAUDE.md").unlink()
        (source / "CLAUDE.md").symlink_to("AGENTS.md")
        git(source, "commit", "-qam", "link")
        placements = (placement("CLAUDE.md", rules),)
        sealed = sealed_from(source, cache, *placements)
        with workspace(sealed, root) as made:
            place(made, sealed, placements)
            assert (made.path / "AGENTS.md").read_text() == "agents\n"
            assert not (made.path / "CLAUDE.md").is_symlink()
            assert git(made.path, "status", "--porcelain") == ""

    @pytest.mark.parametrize("kind", ["link", "file"])
    def test_what_is_in_the_way_in_the_base_is_a_user_error(
        self, source: Path, cache: Path, rules: Path, kind: str
    ) -> None:
        if kind == "link":
            (source / "dir").symlink_to("/etc")
        else:
            write_files(source, {"dir": "x"})
        git(source, "add", "-A")
        git(source, "commit", "-qm", "dir")
        with pytest.raises(UserError, match=f"'dir' is a {kind} in"):
            sealed_from(source, cache, placement("dir/CLAUDE.md", rules))

    def test_a_link_that_setup_left_is_not_followed(
        self, source: Path, cache: Path, root: Path, rules: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "outside").mkdir()
        placements = (placement("dir/CLAUDE.md", rules),)
        sealed = sealed_from(source, cache, *placements)
        with workspace(sealed, root) as made:
            (made.path / "dir").symlink_to(tmp_path / "outside")
            with pytest.raises(SetupFailed, match="a link is in the way"):
                place(made, sealed, placements)
            assert os.listdir(tmp_path / "outside") == []
            (made.path / "dir").unlink()
            (made.path / "dir").mkdir()
            (made.path / "dir/CLAUDE.md").symlink_to(tmp_path / "outside" / "x")
            place(made, sealed, placements)
            assert os.listdir(tmp_path / "outside") == []
            assert (made.path / "dir/CLAUDE.md").read_text() == "new rules\n"


def test_what_setup_changed_is_laid_again(
    source: Path, cache: Path, root: Path, rules: Path, skills: Path
) -> None:
    placements = (
        placement("CLAUDE.md", rules),
        placement(".claude/skills", skills),
        placement("x/y.md", rules),
    )
    sealed = sealed_from(source, cache, *placements)
    with workspace(sealed, root) as made:
        sh(
            made.path,
            "echo s > CLAUDE.md; rm -r .claude/skills/new; echo s > .claude/skills/s; mkdir -p x/y.md/z",
        )
        place(made, sealed, placements)
        assert (made.path / "CLAUDE.md").read_text() == "new rules\n"
        assert len(plain_walk(made.path / ".claude/skills")) == 4
        assert (made.path / "x/y.md").read_text() == "new rules\n"
        assert git(made.path, "status", "--porcelain", "-uall") == ""


def test_an_untouched_placement_is_not_written_again(
    source: Path, cache: Path, root: Path, rules: Path
) -> None:
    placements = (placement("CLAUDE.md", rules),)
    sealed = sealed_from(source, cache, *placements)
    with workspace(sealed, root) as made:
        before = (made.path / "CLAUDE.md").stat()
        place(made, sealed, placements)
        after = (made.path / "CLAUDE.md").stat()
        assert (after.st_ino, after.st_ctime_ns) == (before.st_ino, before.st_ctime_ns)


@pytest.mark.parametrize(
    "target", ["", "/etc/x", "../x", "a/../../x", ".", ".git/hooks/x", "a/.GIT/x", "a//b"]
)
def test_targets_stay_inside(source: Path, cache: Path, rules: Path, target: str) -> None:
    with pytest.raises(UserError, match="cannot be placed"):
        sealed_from(source, cache, placement(target, rules))


def test_mistakes_are_told_when_sealing(source: Path, cache: Path, rules: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="neither a file nor a folder"):
        sealed_from(source, cache, placement("x", tmp_path / "missing"))
    with pytest.raises(UserError, match="two placements go to 'x'"):
        sealed_from(source, cache, placement("x", rules), placement("x", None))


def test_placing_what_was_not_sealed_is_a_mistake_of_the_caller(
    source: Path, cache: Path, root: Path, rules: Path
) -> None:
    sealed = sealed_from(source, cache)
    with workspace(sealed, root) as made, pytest.raises(ValueError, match="was not sealed"):
        place(made, sealed, (placement("CLAUDE.md", rules),))


def test_a_sha256_repository(tmp_path: Path, cache: Path, root: Path, rules: Path) -> None:
    source = make_repository(tmp_path / "s", FILES, object_format="sha256")
    placements = (placement("CLAUDE.md", rules), placement("NEW.md", rules))
    sealed = sealed_from(source, cache, *placements)
    with workspace(sealed, root) as made:
        place(made, sealed, placements)
        assert git(made.path, "show", "HEAD:CLAUDE.md") == "new rules"
        assert git(made.path, "status", "--porcelain") == git(made.path, "fsck") == ""


@pytest.mark.parametrize(
    "name", ["#x", "!x", "a*b", "a?b", "[ab]", "back\\slash", "end ", "new\nline", "cr\r", "\t", "caf\xe9"]
)
def test_an_exclude_line_matches_exactly_its_path(tmp_path: Path, name: str) -> None:
    path = make_repository(tmp_path / "repo", {"a": "1"})
    write_files(path, {name: "x", f"d/{name}": "x", "aXb": "x", "b": "x"})
    (path / ".git/info/exclude").write_bytes(exclude_line(os.fsencode(name)))
    shown = git(path, "-c", "core.quotePath=false", "status", "--porcelain", "-z", "-uall").split("\0")
    assert f"?? {name}" not in shown
    assert {f"?? d/{name}", "?? aXb", "?? b"} <= set(shown)
