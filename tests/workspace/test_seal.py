"""Sealed starting files hold one commit, no more, and are the same for the same files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.repositories import git, make_repository, write_files
from support.workspaces import plain_walk, sealed_folder, sealed_from, workspace

from bakeoff.errors import UserError
from bakeoff.git.call import list_tree, run_git
from bakeoff.model.suite import GitStart
from bakeoff.workspace.seal import seal

ZERO_HIDDEN: dict[str, str | bytes] = {"app.py": "x = 1\n", "tests/test_app.py": "import app\n"}


def source_with_answer(tmp_path: Path) -> tuple[Path, str, str]:
    """A repository with history, branches, tags and a stash; the base and the answer's commit."""
    path = make_repository(tmp_path / "source", {**ZERO_HIDDEN, "tests/hidden/test_answer.py": "assert 42\n"})
    base = git(path, "rev-parse", "HEAD")
    write_files(path, {"app.py": "x = 42\n"})
    git(path, "commit", "-qam", "the answer")
    answer = git(path, "rev-parse", "HEAD")
    git(path, "tag", "solved")
    git(path, "branch", "other")
    write_files(path, {"app.py": "x = 43\n"})
    git(path, "stash", "-q")
    return path, base, answer


def objects_in(git_dir: Path) -> set[str]:
    listing = run_git(["cat-file", "--batch-all-objects", "--batch-check"], git_dir=git_dir)
    return {line.split()[0].decode() for line in listing.splitlines()}


class TestGitStart:
    def test_only_the_base_can_be_reached(self, tmp_path: Path, cache: Path, root: Path) -> None:
        path, base, answer = source_with_answer(tmp_path)
        hidden = git(path, "rev-parse", f"{base}:tests/hidden/test_answer.py")
        sealed = sealed_from(path, cache, revision=base, hide=("tests/hidden/**",))
        with workspace(sealed, root) as made:
            assert git(made.path, "log", "--all", "--format=%H %P %an %s") == (
                f"{sealed.commit}  Developer Initial commit"
            )
            assert git(made.path, "fsck", "--full", "--strict") == ""
            assert git(made.path, "stash", "list") == git(made.path, "tag") == git(made.path, "remote") == ""
            assert git(made.path, "branch", "--format=%(refname)") == "refs/heads/main"
            for name in (base, answer, hidden, "solved", "other"):
                done = subprocess.run(
                    ["git", "cat-file", "-e", name], cwd=made.path, capture_output=True, check=False
                )
                assert done.returncode != 0
            expected = {sealed.commit, sealed.tree, git(made.path, "rev-parse", "HEAD:tests")}
            expected |= {git(made.path, "rev-parse", f"HEAD:{name}") for name in ZERO_HIDDEN}
            assert objects_in(made.path / ".git") == expected
            assert not any(str(path).encode() in file.read_bytes() for file in _files(made.path / ".git"))
            assert set(plain_walk(made.path)) == {name.encode() for name in ZERO_HIDDEN}

    def test_the_source_is_not_touched(self, tmp_path: Path, cache: Path) -> None:
        path, base, _ = source_with_answer(tmp_path)
        before = {file: (file.lstat().st_mtime_ns, file.read_bytes()) for file in _files(path)}
        sealed_from(path, cache, revision=base, hide=("tests/**",))
        assert {file: (file.lstat().st_mtime_ns, file.read_bytes()) for file in _files(path)} == before

    def test_every_kind_of_repository_seals_alike(self, tmp_path: Path, cache: Path) -> None:
        path = make_repository(tmp_path / "source", ZERO_HIDDEN)
        git(path, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
        git(tmp_path, "clone", "-q", "--bare", str(path), "bare")
        git(tmp_path, "clone", "-q", "--shared", str(path), "shared")
        git(tmp_path, "clone", "-q", "--depth=1", f"file://{path}", "shallow")
        commits = {
            sealed_from(tmp_path / name, cache).commit
            for name in ("source", "linked", "bare", "shared", "shallow")
        }
        assert commits == {sealed_folder(path, cache, leave_out=(".git",)).commit}

    def test_a_sha256_repository_stays_one(self, tmp_path: Path, cache: Path, root: Path) -> None:
        path = make_repository(tmp_path / "source", ZERO_HIDDEN, object_format="sha256")
        sealed = sealed_from(path, cache)
        assert sealed.object_format == "sha256"
        assert len(sealed.commit) == 64
        assert {len(file.disk_id) for file in sealed.files.values()} == {40}
        with workspace(sealed, root) as made:
            assert git(made.path, "rev-parse", "HEAD") == sealed.commit
            assert git(made.path, "status", "--porcelain") == git(made.path, "fsck") == ""

    def test_a_path_with_a_colon_and_a_quote(self, tmp_path: Path, cache: Path) -> None:
        path = make_repository(tmp_path / 'so:ur"ce', ZERO_HIDDEN)
        assert sealed_from(path, cache).files.keys() == {name.encode() for name in ZERO_HIDDEN}

    def test_an_unknown_commit_and_a_plain_folder_are_told(self, tmp_path: Path, cache: Path) -> None:
        path = make_repository(tmp_path / "source", ZERO_HIDDEN)
        with pytest.raises(UserError, match="no commit 'nowhere'"):
            sealed_from(path, cache, revision="nowhere")
        (tmp_path / "folder").mkdir()
        with pytest.raises(UserError, match="is not a git repository"):
            sealed_from(tmp_path / "folder", cache)

    def test_a_partial_clone_is_refused_clearly_and_nothing_is_fetched(
        self, tmp_path: Path, cache: Path
    ) -> None:
        path, base, _ = source_with_answer(tmp_path)
        git(path, "config", "uploadpack.allowFilter", "true")
        for kind in ("blob:none", "tree:0"):
            place = f"partial-{kind[:4]}"
            git(tmp_path, "clone", "-q", "--no-checkout", f"--filter={kind}", f"file://{path}", place)
            before = objects_in(tmp_path / place / ".git")
            with pytest.raises(UserError, match="does not hold all objects") as caught:
                seal(GitStart(repository=tmp_path / place, commit=base), (), cache=cache)
            assert "partial" in caught.value.problems[0].hint
            assert objects_in(tmp_path / place / ".git") == before
        assert not [name for name in os.listdir(cache) if not name.endswith(".lock")]

    def test_submodules_and_lfs_pointers_are_warned_about(
        self, tmp_path: Path, cache: Path, root: Path
    ) -> None:
        inner = make_repository(tmp_path / "inner", {"secret.txt": "inner"})
        pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 5\n"
        path = make_repository(
            tmp_path / "source", {"big.bin": pointer, ".gitattributes": "*.bin filter=lfs diff=lfs -text\n"}
        )
        git(path, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "vendor/inner")
        git(path, "commit", "-qm", "add inner")
        sealed = sealed_from(path, cache)
        assert "Submodules are empty folders in the workspace: vendor/inner." in sealed.warnings
        assert "Files in Git LFS are only pointers in the workspace: big.bin." in sealed.warnings
        with workspace(sealed, root) as made:
            assert os.listdir(made.path / "vendor" / "inner") == []
            assert git(made.path, "status", "--porcelain") == ""
            assert (made.path / "big.bin").read_text() == pointer

    def test_hiding_nothing_and_telling_hidden_names_are_warned_about(
        self, tmp_path: Path, cache: Path
    ) -> None:
        path = make_repository(
            tmp_path / "source",
            {**ZERO_HIDDEN, "h/secret_check.py": "1", ".gitattributes": "secret_check.py text\n"},
        )
        sealed = sealed_from(path, cache, hide=("h/**", "nothing/*.py"))
        assert len(sealed.warnings) == 2
        assert "'nothing/*.py' hides nothing" in sealed.warnings[0]
        assert sealed.warnings[1] == ".gitattributes names hidden files: secret_check.py."
        assert sealed_from(path, cache).warnings == ()

    def test_a_bad_glob_is_a_user_error(self, tmp_path: Path, cache: Path) -> None:
        path = make_repository(tmp_path / "source", ZERO_HIDDEN)
        with pytest.raises(UserError, match="glob"):
            sealed_from(path, cache, hide=("../x",))

    def test_a_name_that_git_would_not_check_out(self, tmp_path: Path, cache: Path) -> None:
        path = make_repository(tmp_path / "source", {"a": "1"})
        blob = git(path, "rev-parse", "HEAD:a")
        inner = run_git(["mktree"], git_dir=path / ".git", input=f"100644 blob {blob}\tconfig\n".encode())
        tree = run_git(["mktree"], git_dir=path / ".git", input=b"040000 tree %s\t.GIT\n" % inner.strip())
        commit = git(path, "commit-tree", tree.decode().strip(), "-m", "evil")
        with pytest.raises(UserError, match="a name that git does not check out"):
            sealed_from(path, cache, revision=commit)

    def test_what_attributes_convert_lies_on_disk_as_in_a_checkout(
        self, tmp_path: Path, cache: Path, root: Path
    ) -> None:
        attributes = (
            "*.bat text eol=crlf\n*.txt text\nu.rc text working-tree-encoding=UTF-16LE-BOM eol=lf\n"
            "id.c ident\nsecret.key filter=crypt\nraw.txt -text\n"
        )
        path = make_repository(tmp_path / "source", {".gitattributes": attributes, "a": "1"})
        write_files(
            path,
            {
                "run.bat": "echo 1\r\n",
                "t.txt": "one\n",
                "u.rc": "hällo\n".encode("utf-16"),
                "id.c": "// $Id$\n",
                "secret.key": "cipher\n",
                "raw.txt": "a\r\nb\n",
            },
        )
        git(path, "add", "-A")
        git(path, "commit", "-qm", "files")
        git(path, "config", "filter.crypt.smudge", f"touch {tmp_path}/ran; cat")
        git(tmp_path, "clone", "-q", str(path), "checkout")
        sealed = sealed_from(path, cache)
        with workspace(sealed, root) as made:
            assert {name: entry[2] for name, entry in plain_walk(made.path).items()} == {
                name: entry[2] for name, entry in plain_walk(tmp_path / "checkout").items()
            }
            assert (made.path / "run.bat").read_bytes() == b"echo 1\r\n"
            assert git(made.path, "status", "--porcelain") == ""
            assert run_git(["diff-files", "--raw"], git_dir=made.path / ".git", work_tree=made.path) == b""
            for file in plain_walk(made.path):
                os.utime(os.path.join(os.fsencode(made.path), file))
            assert git(made.path, "status", "--porcelain") == ""
        assert not (tmp_path / "ran").exists()

    def test_a_cache_that_cannot_be_written_is_a_user_error(self, tmp_path: Path) -> None:
        path = make_repository(tmp_path / "source", ZERO_HIDDEN)
        (tmp_path / "file").write_text("x")
        with pytest.raises(UserError, match="cannot be sealed in"):
            sealed_from(path, tmp_path / "file" / "cache")

    def test_a_damaged_object_is_told(self, tmp_path: Path, cache: Path) -> None:
        path = make_repository(tmp_path / "source", ZERO_HIDDEN)
        name = git(path, "rev-parse", "HEAD:app.py")
        file = path / ".git/objects" / name[:2] / name[2:]
        file.chmod(0o644)
        file.write_bytes(b"junk")
        with pytest.raises(UserError, match="does not hold all objects"):
            sealed_from(path, cache)
        assert [entry for entry in os.listdir(cache) if not entry.endswith(".lock")] == []


class TestFolderStart:
    def test_the_same_files_have_the_same_commit_everywhere(self, tmp_path: Path, cache: Path) -> None:
        for name in ("one", "two"):
            write_files(tmp_path / name, {"a/b.txt": "1", "run": "2"})
            (tmp_path / name / "run").chmod(0o755 if name == "one" else 0o700)
            (tmp_path / name / "empty").mkdir()
        assert (
            sealed_folder(tmp_path / "one", cache).commit
            == sealed_folder(tmp_path / "two", tmp_path / "c2").commit
        )
        (tmp_path / "two" / "run").chmod(0o644)
        assert sealed_folder(tmp_path / "one", cache).commit != sealed_folder(tmp_path / "two", cache).commit

    def test_a_known_commit_id(self, tmp_path: Path, cache: Path) -> None:
        write_files(tmp_path / "one", {"a.txt": "hello\n"})
        assert sealed_folder(tmp_path / "one", cache).commit == "d225c15763179a2552bd3df28eccc0a6c3fe6180"

    def test_links_stay_links_and_rules_of_the_folder_drop_nothing(
        self, tmp_path: Path, cache: Path, root: Path
    ) -> None:
        folder = write_files(
            tmp_path / "fixture",
            {
                ".gitignore": "*.log\nbuild/\n",
                "x.log": "kept",
                "build/out": "kept",
                ".gitattributes": "* text eol=crlf\n",
                "lf.txt": "a\nb\n",
                "__pycache__/x.pyc": "no",
                "a/node_modules/m.js": "no",
                "y.pyc": "no",
                ".git/config": "no",
            },
        )
        (folder / "inside").symlink_to("x.log")
        (folder / "outside").symlink_to("/etc/hostname")
        (folder / "folder").symlink_to("build")
        (folder / "dangling").symlink_to("nothing")
        sealed = sealed_folder(folder, cache, leave_out=("__pycache__", "*.pyc", "node_modules"))
        with workspace(sealed, root) as made:
            found = plain_walk(made.path)
            assert set(found) == {
                *(b".gitignore", b".gitattributes", b"x.log", b"build/out", b"lf.txt"),
                *(b"inside", b"outside", b"folder", b"dangling"),
            }
            assert found[b"outside"] == ("link", 0o777, b"/etc/hostname")
            assert found[b"folder"][0] == "link"
            assert git(made.path, "status", "--porcelain") == ""

    def test_no_folder_is_an_empty_commit(self, cache: Path, root: Path) -> None:
        sealed = sealed_folder(None, cache)
        with workspace(sealed, root) as made:
            assert os.listdir(made.path) == [".git"]
            assert git(made.path, "log", "--format=%s") == "Initial commit"
            assert git(made.path, "status", "--porcelain") == git(made.path, "fsck") == ""

    def test_hidden_files_of_a_folder_are_absent(self, tmp_path: Path, cache: Path) -> None:
        folder = write_files(tmp_path / "fixture", {"a": "1", "tests/b": "2"})
        assert set(sealed_folder(folder, cache, hide=("tests/",)).files) == {b"a"}

    @pytest.mark.parametrize("kind", ["missing", "file", "pipe", "name"])
    def test_what_cannot_be_sealed_is_told(self, tmp_path: Path, cache: Path, kind: str) -> None:
        folder = tmp_path / "fixture"
        if kind == "file":
            folder.write_text("x")
        elif kind != "missing":
            folder.mkdir()
            if kind == "pipe":
                os.mkfifo(folder / "pipe")
            else:
                write_files(folder, {".GIT/config": "x"})
        with pytest.raises(UserError, match=r"is not a folder|named pipe|does not check out"):
            sealed_folder(folder, cache)

    def test_modes_of_the_folder_are_left_alone(self, tmp_path: Path, cache: Path) -> None:
        folder = write_files(tmp_path / "fixture", {"a/b": "1"})
        (folder / "a").chmod(0o500)
        before = (folder / "a").stat().st_ctime_ns
        sealed_folder(folder, cache)
        assert (folder / "a").stat().st_ctime_ns == before
        (folder / "a").chmod(0o700)


class TestCache:
    def test_a_template_is_built_once_and_shared(self, tmp_path: Path, cache: Path) -> None:
        path = make_repository(tmp_path / "source", ZERO_HIDDEN)
        first = sealed_from(path, cache)
        before = {file: file.stat().st_mtime_ns for file in _files(first.path)}
        git(path, "commit", "-q", "--allow-empty", "-m", "another commit of the same files")
        assert sealed_from(path, cache) == first
        assert {file: file.stat().st_mtime_ns for file in _files(first.path)} == before

    @pytest.mark.parametrize("damage", ["flip", "cut", "missing", "extra", "list", "seal", "object"])
    def test_a_damaged_template_is_built_again(
        self, tmp_path: Path, cache: Path, damage: str, root: Path
    ) -> None:
        path = make_repository(tmp_path / "source", ZERO_HIDDEN)
        first = sealed_from(path, cache)
        file = {
            "list": first.path / "files",
            "seal": first.path / "seal.json",
            "object": next(first.git_dir.glob("objects/pack/*.pack")),
        }.get(damage, first.contents)
        data = file.read_bytes()
        file.unlink()
        if damage == "cut":
            file.write_bytes(data[:-1])
        elif damage == "extra":
            file.write_bytes(data)
            (first.git_dir / "refs/heads/other").write_text(first.commit)
        elif damage != "missing":
            file.write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
        again = sealed_from(path, cache)
        assert (again.commit, again.files) == (first.commit, first.files)
        with workspace(again, root) as made:
            assert git(made.path, "fsck") == git(made.path, "status", "--porcelain") == ""
        assert sorted(os.listdir(cache)) == [first.path.name, f"{first.path.name}.lock"]

    def test_a_copied_template_is_still_whole(self, tmp_path: Path, cache: Path) -> None:
        path = make_repository(tmp_path / "source", ZERO_HIDDEN)
        first = sealed_from(path, cache)
        subprocess.run(["cp", "-r", str(cache), str(tmp_path / "copy")], check=True)
        copied = sealed_from(path, tmp_path / "copy")
        assert (copied.commit, copied.files) == (first.commit, first.files)

    def test_leftovers_of_a_build_that_was_killed_are_removed(self, tmp_path: Path, cache: Path) -> None:
        path = make_repository(tmp_path / "source", ZERO_HIDDEN)
        name = sealed_from(path, tmp_path / "other").path.name
        write_files(cache, {f"{name}.new-0123/git/HEAD": "x"})
        sealed_from(path, cache)
        assert sorted(os.listdir(cache)) == [name, f"{name}.lock"]

    def test_eight_processes_at_once(self, tmp_path: Path, cache: Path) -> None:
        path = make_repository(
            tmp_path / "source", {f"d{number % 7}/f{number}": str(number) for number in range(200)}
        )
        program = (
            "import sys; from pathlib import Path; from support.workspaces import sealed_from;"
            "print({sealed_from(Path(sys.argv[1]), Path(sys.argv[2])).commit for _ in range(3)}.pop())"
        )
        workers = [
            subprocess.Popen(
                [sys.executable, "-c", program, str(path), str(cache)],
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(8)
        ]
        commits = {worker.communicate()[0].strip() for worker in workers}
        assert commits == {sealed_from(path, cache).commit}
        assert len(os.listdir(cache)) == 2


def _files(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.rglob("*")) if file.is_file()]


def test_the_listing_is_that_of_the_commit(tmp_path: Path, cache: Path) -> None:
    sealed = sealed_from(make_repository(tmp_path / "source", ZERO_HIDDEN), cache)
    assert {entry.path: (entry.mode, entry.id) for entry in list_tree(sealed.git_dir, sealed.commit)} == {
        path: (file.mode, file.id) for path, file in sealed.files.items()
    }
    assert sealed.read(sealed.files[b"app.py"]) == b"x = 1\n"
