"""What is captured is exactly what lies on disk, whatever the agent did."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.hostile import BASE, CASES, sh
from support.repositories import git, make_repository, write_files
from support.workspaces import placement, plain_walk, sealed_from, workspace

from bakeoff.git.call import run_git
from bakeoff.git.diff import changed_paths
from bakeoff.model.check import Change, ChangeKind
from bakeoff.store.archive import Archive
from bakeoff.workspace.capture import Baseline, Capture, capture, changes_since_start, take_baseline
from bakeoff.workspace.create import Workspace
from bakeoff.workspace.placements import place
from bakeoff.workspace.sealed import Sealed

CAP = 1_000_000
Walked = dict[bytes, tuple[str, int, bytes]]


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Sealed:
    base = tmp_path_factory.mktemp("sealed")
    repository = make_repository(base / "source", {})
    write_files(repository, BASE)
    (repository / "tool.sh").chmod(0o755)
    (repository / "link").symlink_to("docs/guide.md")
    git(repository, "add", "-A", "-f")
    git(repository, "commit", "-qm", "base")
    return sealed_from(repository, base / "cache")


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "archive.git")


@pytest.fixture
def made(sealed: Sealed, root: Path) -> Iterator[Workspace]:
    with workspace(sealed, root) as made:
        yield made


def stored(archive: Archive, tree: str) -> Walked:
    """A tree of the archive in the form of `plain_walk`."""
    entries = list(archive.walk_tree(tree))
    kinds = {0o100644: ("file", 0o644), 0o100755: ("file", 0o755), 0o120000: ("link", 0o777)}
    blobs = archive.read_blobs(name for _, _, name in entries)
    return {path: (*kinds[mode], data) for (path, mode, _), data in zip(entries, blobs, strict=True)}


CACHES = {b"__pycache__", b".pytest_cache", b".mypy_cache", b".ruff_cache"}
LEFT_OUT = CACHES | {b"node_modules", b".venv", b"venv", b".hypothesis"}
TOO_DEEP = b"tests/" + b"d/" * 1999


def expected_tree(walked: Walked, tracked: set[bytes]) -> Walked:
    """What of a plain walk belongs into the tree, with modes as git knows them."""
    return {
        path: (kind, 0o777 if kind == "link" else 0o755 if mode & 0o100 else 0o644, data)
        for path, (kind, mode, data) in walked.items()
        if kind in {"file", "link"}
        and len(data) <= CAP
        and (path in tracked or not LEFT_OUT & set(path.split(b"/")[:-1]))
        and not any(part.lower() == b".git" for part in path.split(b"/"))
        and not (kind == "link" and path.rpartition(b"/")[2] in {b".gitmodules", b".gitattributes"})
        and not path.startswith(TOO_DEEP)
    }


def expected_changes(before: Walked, after: Walked, tracked: set[bytes]) -> set[tuple[bytes, ChangeKind]]:
    changes = set()
    for path in before.keys() | after.keys():
        old, new = before.get(path), after.get(path)
        if path not in tracked and (CACHES & set(path.split(b"/")) or path.endswith(b".pyc")):
            continue
        if old is None or new is None:
            changes.add((path, ChangeKind.ADDED if old is None else ChangeKind.DELETED))
        elif (old[0] == "link") != (new[0] == "link") or (old[0] == "special") != (new[0] == "special"):
            changes.add((path, ChangeKind.TYPE))
        elif old[2] != new[2]:
            changes.add((path, ChangeKind.MODIFIED))
        elif (old[1] ^ new[1]) & 0o100:
            changes.add((path, ChangeKind.MODE))
    deep = {change for change in changes if change[0].startswith(TOO_DEEP)}
    return changes - deep | ({(TOO_DEEP + b"d", ChangeKind.ADDED)} if deep else set())


def both(made: Workspace, sealed: Sealed, archive: Archive) -> tuple[Baseline, Walked]:
    baseline = take_baseline(made, sealed, archive, file_cap=CAP)
    return baseline, plain_walk(made.path)


@pytest.mark.parametrize("name", CASES)
def test_every_hostile_workspace_is_captured_exactly(
    name: str, made: Workspace, sealed: Sealed, archive: Archive
) -> None:
    tracked = set(sealed.files)
    baseline, before = both(made, sealed, archive)
    assert stored(archive, baseline.tree) == expected_tree(before, tracked)
    CASES[name](made.path)
    nested: set[bytes] = set()
    after = plain_walk(made.path, nested)

    taken = capture(made, baseline, sealed, archive, file_cap=CAP)

    assert stored(archive, taken.tree) == expected_tree(after, tracked)
    changes = expected_changes(before, after, tracked) | {(path, ChangeKind.ADDED) for path in nested}
    assert {(change.path, change.kind) for change in taken.changes} == changes
    assert [change.path for change in taken.changes] == sorted(change.path for change in taken.changes)
    assert {change.path for change in taken.changes if change.tracked} == {
        path for path, _ in changes
    } & tracked
    assert plain_walk(made.path) == after, "the workspace is left as the agent left it"
    assert not (made.root / "trap").exists(), "code of the agent was run"
    check_diff(archive, baseline, taken, after)
    check_left_out(taken, after)


def check_diff(archive: Archive, baseline: Baseline, taken: Capture, after: Walked) -> None:
    """The diff, applied to the baseline, gives the final tree for the paths that belong into it."""
    differing = {change.path for change in changed_paths(archive.path, baseline.tree, taken.tree)}
    counted = {change.path for change in taken.changes if not change.ignored}
    assert set(taken.diff_paths) <= counted
    over_cap = {path for path, entry in after.items() if entry[0] == "large" or len(entry[2]) > CAP}
    assert set(taken.diff_paths) & differing == differing & counted - over_cap
    text = archive.diff(baseline.tree, taken.tree, taken.diff_paths)
    if not set(taken.diff_paths) & differing:
        assert text == b""
        return
    scratch = archive.path.with_name("scratch.git")
    run_git(["init", "-q", "--bare", str(scratch)], git_dir=scratch)
    (scratch / "objects/info/alternates").write_text(f"{archive.path}/objects\n")
    run_git(["read-tree", baseline.tree], git_dir=scratch)
    run_git(["apply", "--cached", "--whitespace=nowarn", "-"], git_dir=scratch, input=text)
    applied = run_git(["write-tree"], git_dir=scratch).decode().strip()
    wrong = {change.path for change in changed_paths(scratch, applied, taken.tree)}
    assert not wrong & set(taken.diff_paths)
    assert wrong == differing - set(taken.diff_paths)


def check_left_out(taken: Capture, after: Walked) -> None:
    left_out = dict(taken.left_out)
    for path, (kind, _, data) in after.items():
        if kind == "special":
            assert left_out[path].startswith("special file: ")
        elif (kind == "large" or len(data) > CAP) and not LEFT_OUT & set(path.split(b"/")):
            assert left_out[path].endswith(f"more than {CAP}")


FINDINGS = {
    "nothing": set(),
    "edit_add_delete_rename": set(),
    "reads_only": set(),
    "nested_repository_with_commit": {("nested_repository", "n/.git")},
    "nested_repository_without_commit": {
        ("nested_repository", "pkg/sub/.git"),
        ("nested_repository", "zz/.git"),
    },
    "nested_git_file": {("nested_repository", "n/.git"), ("nested_repository", "pkg/.git")},
    "git_removed": {("git_removed", ".git was a directory and is missing")},
    "git_linked_away": {("git_replaced", ".git was a directory and is link")},
    "git_file": {("git_replaced", ".git was a directory and is file")},
    "core_worktree": {("git_config_changed", "core.worktree = /")},
    "excludes_itself": {("git_file_changed", ".git/info/exclude")},
    "pipe_in_place_of_a_file": {("special_file", "app.py"), ("special_file", "tests/pipe")},
    "deeper_than_is_looked_at": {("too_deep", (TOO_DEEP + b"d").decode())},
    "large_files": {("over_cap", "data/bytes.bin"), ("over_cap", "large.bin"), ("over_cap", "sparse")},
}
KINDS = {
    "commit": {"head_moved"},
    "amend": {"head_moved"},
    "branch_and_reset": {"head_moved"},
    "packed_references": {"head_moved"},
    "git_made_again": {"head_moved", "git_config_changed", "git_file_changed"},
    "junk_repository": {"head_moved", "git_config_changed"},
    "hooks_and_monitor": {"git_config_changed", "git_hooks_changed"},
    "attributes": {"git_config_changed"},
    "alternates_and_grafts": {"git_file_changed"},
    "unsafe_names": {"unsafe_name"},
    "sockets_and_devices": {"special_file"},
}


@pytest.mark.parametrize("name", FINDINGS)
def test_findings_tell_what_a_reader_should_know(
    name: str, made: Workspace, sealed: Sealed, archive: Archive
) -> None:
    baseline = take_baseline(made, sealed, archive, file_cap=CAP)
    CASES[name](made.path)
    assert set(capture(made, baseline, sealed, archive, file_cap=CAP).findings) == FINDINGS[name]


@pytest.mark.parametrize("name", KINDS)
def test_tampering_is_told_by_kind(name: str, made: Workspace, sealed: Sealed, archive: Archive) -> None:
    baseline = take_baseline(made, sealed, archive)
    CASES[name](made.path)
    found = capture(made, baseline, sealed, archive).findings
    assert KINDS[name] <= {kind for kind, _ in found} <= KINDS[name] | {"git_file_changed"}


def test_tampering_names_settings_and_hooks(made: Workspace, sealed: Sealed, archive: Archive) -> None:
    baseline = take_baseline(made, sealed, archive)
    CASES["hooks_and_monitor"](made.path)
    found = dict(capture(made, baseline, sealed, archive).findings)
    assert found["git_hooks_changed"] == "post-checkout"
    assert 'core.fsmonitor = "touch $TRAP; echo"' in found["git_config_changed"]
    assert "core.hooksPath = .hooks" in found["git_config_changed"]


def test_a_moved_head_tells_where_it_was_and_is(made: Workspace, sealed: Sealed, archive: Archive) -> None:
    baseline = take_baseline(made, sealed, archive)
    CASES["packed_references"](made.path)
    now = git(made.path, "rev-parse", "HEAD")
    found = dict(capture(made, baseline, sealed, archive).findings)
    assert found["head_moved"] == f"HEAD was at {sealed.commit} and is at {now}"


def test_what_setup_left_is_nobodys_change(made: Workspace, sealed: Sealed, archive: Archive) -> None:
    for name in (
        "nested_repository_with_commit",
        "hooks_and_monitor",
        "links",
        "dependency_folders",
        "caches",
    ):
        CASES[name](made.path)
    sh(made.path, "echo x >> pkg/mod.py; echo x > new; git add -A; git commit -qnm setup")
    CASES["pipe_in_place_of_a_file"](made.path)
    baseline, before = both(made, sealed, archive)
    assert stored(archive, baseline.tree) == expected_tree(before, set(sealed.files))
    taken = capture(made, baseline, sealed, archive, file_cap=CAP)
    assert (taken.changes, taken.findings, taken.tree) == ((), (), baseline.tree)


def test_each_round_is_compared_with_the_same_baseline(
    made: Workspace, sealed: Sealed, archive: Archive
) -> None:
    baseline = take_baseline(made, sealed, archive)
    write_files(made.path, {"app.py": "1\n"})
    first = capture(made, baseline, sealed, archive)
    write_files(made.path, {"app.py": BASE["app.py"], "new": "2\n"})
    second = capture(made, baseline, sealed, archive)
    assert [change.path for change in first.changes] == [b"app.py"]
    assert [change.path for change in second.changes] == [b"new"]


def test_an_edit_in_the_same_tick_and_of_the_same_size_is_seen(
    made: Workspace, sealed: Sealed, archive: Archive
) -> None:
    for number in range(20):
        write_files(made.path, {"app.py": f"{number:04}"})
        baseline = take_baseline(made, sealed, archive)
        write_files(made.path, {"app.py": f"{number + 1:04}"})
        assert [change.path for change in capture(made, baseline, sealed, archive).changes] == [b"app.py"]


def test_ignored_paths_are_flagged_and_not_in_the_diff(
    made: Workspace, sealed: Sealed, archive: Archive
) -> None:
    baseline = take_baseline(made, sealed, archive)
    sh(made.path, "echo x > a.log; echo y > b.txt; echo '*' > .gitignore; mkdir build; echo z > build/z")
    taken = capture(made, baseline, sealed, archive)
    assert taken.changes == (
        Change(path=b".gitignore", kind=ChangeKind.MODIFIED, tracked=True),
        Change(path=b"a.log", kind=ChangeKind.ADDED, ignored=True),
        Change(path=b"b.txt", kind=ChangeKind.ADDED),
        Change(path=b"build/z", kind=ChangeKind.ADDED, ignored=True),
    )
    assert taken.diff_paths == (b".gitignore", b"b.txt")
    assert b"a.log" in stored(archive, taken.tree)


def test_a_tracked_path_is_never_ignored(tmp_path: Path, root: Path, archive: Archive) -> None:
    path = make_repository(tmp_path / "source", {".gitignore": "*.log\n"})
    write_files(path, {"kept.log": "1\n", "a.pyc": "1\n", "__pycache__/b.pyc": "1\n"})
    git(path, "add", "-Af")
    git(path, "commit", "-qm", "all")
    sealed = sealed_from(path, tmp_path / "cache")
    with workspace(sealed, root) as made:
        baseline = take_baseline(made, sealed, archive)
        sh(
            made.path,
            "for f in kept.log a.pyc __pycache__/b.pyc; do echo 2 > $f; done; echo > __pycache__/c.pyc",
        )
        changes = capture(made, baseline, sealed, archive).changes
    assert {(change.path, change.tracked, change.ignored) for change in changes} == {
        (name, True, False) for name in (b"kept.log", b"a.pyc", b"__pycache__/b.pyc")
    }


def test_a_large_tracked_file_is_archived_until_it_changes(
    tmp_path: Path, root: Path, archive: Archive
) -> None:
    path = make_repository(tmp_path / "source", {"big": os.urandom(CAP * 2), "a": "1"})
    sealed = sealed_from(path, tmp_path / "cache")
    with workspace(sealed, root) as made:
        baseline = take_baseline(made, sealed, archive, file_cap=CAP)
        assert stored(archive, baseline.tree)[b"big"][2] == (path / "big").read_bytes()
        os.utime(made.path / "big")
        touched = capture(made, baseline, sealed, archive, file_cap=CAP)
        assert (touched.changes, touched.tree) == ((), baseline.tree)
        with open(made.path / "big", "r+b") as file:
            file.write(b"changed")
        changed = capture(made, baseline, sealed, archive, file_cap=CAP)
    assert [(change.path, change.kind) for change in changed.changes] == [(b"big", ChangeKind.MODIFIED)]
    assert changed.diff_paths == ()
    assert dict(changed.left_out) == {b"big": f"{2 * CAP} bytes, more than {CAP}"}


def test_a_change_in_a_dependency_folder_counts_though_its_content_is_not_kept(
    made: Workspace, sealed: Sealed, archive: Archive
) -> None:
    sh(made.path, "mkdir -p .venv/bin; echo a > .venv/bin/a; echo b > .venv/bin/b; echo c > .venv/bin/c")
    baseline = take_baseline(made, sealed, archive)
    sh(made.path, "echo A > .venv/bin/a; rm .venv/bin/b; chmod +x .venv/bin/c; echo d > .venv/bin/d")
    taken = capture(made, baseline, sealed, archive)
    assert [(change.path, change.kind) for change in taken.changes] == [
        (b".venv/bin/a", ChangeKind.MODIFIED),
        (b".venv/bin/b", ChangeKind.DELETED),
        (b".venv/bin/c", ChangeKind.MODE),
        (b".venv/bin/d", ChangeKind.ADDED),
    ]
    assert taken.left_out == ((b".venv/", "dependency folder"),)
    assert not [path for path in stored(archive, taken.tree) if path.startswith(b".venv")]


def test_names_that_git_refuses_are_kept_aside(made: Workspace, sealed: Sealed, archive: Archive) -> None:
    baseline = take_baseline(made, sealed, archive)
    CASES["unsafe_names"](made.path)
    taken = capture(made, baseline, sealed, archive)
    assert [path for path, _ in taken.aside] == [
        b".GIT/f",
        b".gitmodules",
        b"d/.Git/config",
        b"docs/.gitattributes",
    ]
    assert [archive.read_blob(name) for _, name in taken.aside] == [b"f\n", b"app.py", b"c\n", b"x"]
    checkout = archive.path.with_name("checkout")
    checkout.mkdir()
    run_git(
        ["read-tree", "--reset", "-u", taken.tree],
        git_dir=archive.path,
        work_tree=checkout,
        env={"GIT_INDEX_FILE": str(archive.path.with_name("index"))},
    )
    assert stored(archive, taken.tree).keys() == plain_walk(checkout).keys()


@pytest.mark.parametrize(
    "act",
    [
        "rm -rf ../project",
        "mv ../project ../p; ln -s /etc ../project",
        "mv ../project ../p; echo > ../project",
        "here=$(dirname $PWD); mv $here $here.moved; ln -s $here.moved $here",
    ],
)
def test_a_workspace_that_is_no_folder_any_more(
    act: str, made: Workspace, sealed: Sealed, archive: Archive
) -> None:
    baseline = take_baseline(made, sealed, archive)
    sh(made.path, act)
    taken = capture(made, baseline, sealed, archive)
    assert taken.findings == (("workspace_replaced", "the workspace is no directory any more"),)
    assert {(change.path, change.kind) for change in taken.changes} == {
        (path, ChangeKind.DELETED) for path in sealed.files
    }


def test_placements_are_in_the_baseline_and_their_edits_are_changes(
    tmp_path: Path, root: Path, archive: Archive
) -> None:
    write_files(tmp_path, {"rules.md": "be good\n"})
    placements = (placement("CLAUDE.md", tmp_path / "rules.md"), placement("docs/guide.md", None))
    sealed = sealed_from(make_repository(tmp_path / "source", BASE), tmp_path / "cache", *placements)
    with workspace(sealed, root) as made:
        place(made, sealed, placements)
        baseline = take_baseline(made, sealed, archive)
        assert capture(made, baseline, sealed, archive).changes == ()
        write_files(made.path, {"CLAUDE.md": "be bad\n", "docs/guide.md": "again\n"})
        taken = capture(made, baseline, sealed, archive)
    assert taken.changes == (
        Change(path=b"CLAUDE.md", kind=ChangeKind.MODIFIED),
        Change(path=b"docs/guide.md", kind=ChangeKind.ADDED),
    )
    assert b"-be good\n+be bad\n" in archive.diff(baseline.tree, taken.tree, taken.diff_paths)


def test_a_sha256_source_is_archived_as_sha1(tmp_path: Path, root: Path, archive: Archive) -> None:
    sealed = sealed_from(
        make_repository(tmp_path / "source", BASE, object_format="sha256"), tmp_path / "cache"
    )
    with workspace(sealed, root) as made:
        baseline, before = both(made, sealed, archive)
        assert stored(archive, baseline.tree) == expected_tree(before, set(sealed.files))
        write_files(made.path, {"app.py": "1\n"})
        sh(made.path, "git add -A; git commit -qm c")
        taken = capture(made, baseline, sealed, archive)
        assert stored(archive, taken.tree) == expected_tree(plain_walk(made.path), set(sealed.files))
    assert [change.path for change in taken.changes] == [b"app.py"]
    assert "head_moved" in dict(taken.findings)


def test_converted_files_are_archived_as_they_lie_on_disk(
    tmp_path: Path, root: Path, archive: Archive
) -> None:
    files = {".gitattributes": "* text eol=crlf\n*.c ident\n", "a.txt": "1\n2\n", "d/i.c": "$Id$\n"}
    sealed = sealed_from(make_repository(tmp_path / "source", files), tmp_path / "cache")
    with workspace(sealed, root) as made:
        baseline, before = both(made, sealed, archive)
        assert before[b"a.txt"][2] == b"1\r\n2\r\n"
        assert stored(archive, baseline.tree) == expected_tree(before, set(sealed.files))
        sh(made.path, "git checkout -q .; git add --renormalize .; touch a.txt d/i.c")
        assert capture(made, baseline, sealed, archive).changes == ()


def test_submodules_are_empty_folders_that_may_be_filled(
    tmp_path: Path, root: Path, archive: Archive
) -> None:
    inner = make_repository(tmp_path / "inner", {"x": "1"})
    path = make_repository(tmp_path / "source", {"a": "1"})
    git(path, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "mod")
    git(path, "commit", "-qm", "mod")
    sealed = sealed_from(path, tmp_path / "cache")
    with workspace(sealed, root) as made:
        baseline = take_baseline(made, sealed, archive)
        assert set(stored(archive, baseline.tree)) == {b"a", b".gitmodules"}
        assert capture(made, baseline, sealed, archive).changes == ()
        write_files(made.path, {"mod/x": "2"})
        taken = capture(made, baseline, sealed, archive)
    assert [change.path for change in taken.changes] == [b"mod/x"]
    assert b"mod/x" in stored(archive, taken.tree)


class TestSetup:
    def test_what_setup_changed_is_told_with_what_is_ignored(self, made: Workspace, sealed: Sealed) -> None:
        assert changes_since_start(made, sealed) == ()
        sh(
            made.path,
            "echo > x.log; mkdir build __pycache__; echo > build/o; echo > __pycache__/c; touch app.py",
        )
        assert all(change.ignored for change in changes_since_start(made, sealed))
        sh(made.path, "echo > left; rm docs/guide.md; chmod +x app.py")
        assert [(c.path, c.kind) for c in changes_since_start(made, sealed) if not c.ignored] == [
            (b"app.py", ChangeKind.MODE),
            (b"docs/guide.md", ChangeKind.DELETED),
            (b"left", ChangeKind.ADDED),
        ]

    def test_a_workspace_that_was_not_made_here_is_read(self, made: Workspace, sealed: Sealed) -> None:
        again = Workspace(root=made.root, path=made.path, home=made.home, tmp=made.tmp)
        assert changes_since_start(again, sealed) == ()
        write_files(made.path, {"app.py": "def add(a, b):\n    return a + b\n"})
        assert [change.path for change in changes_since_start(again, sealed)] == [b"app.py"]


NOT_ROOT = """
import os, sys
from pathlib import Path
from bakeoff.store.archive import Archive
from bakeoff.workspace.capture import capture, take_baseline
from bakeoff.workspace.create import create
from bakeoff.workspace.remove import remove
from support.hostile import CASES
from support.workspaces import sealed_folder
os.setgid(65534); os.setuid(65534)
top = Path(sys.argv[1])
sealed = sealed_folder(top / "folder", top / "cache")
(top / "root").mkdir()
archive = Archive(top / "archive.git")
made = create(sealed, root=top / "root")
baseline = take_baseline(made, sealed, archive)
for path in ("pkg", "docs", "app.py"):
    (made.path / path).chmod(0)
taken = capture(made, baseline, sealed, archive)
print(taken.changes, taken.findings, taken.tree == baseline.tree)
print([oct((made.path / path).lstat().st_mode & 0o777) for path in ("pkg", "docs", "app.py")])
remove(made)
print(os.listdir(top / "root"))
"""


def test_what_its_owner_may_not_read_is_captured_and_removed(tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    folder = write_files(tmp_path / "open" / "folder", BASE)
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_uid == 0 and path != Path("/") and path.is_relative_to(tmp_path.parent.parent):
            path.chmod(path.stat().st_mode | 0o055)
    subprocess.run(["chown", "-R", "65534:65534", str(folder.parent)], check=True)
    done = subprocess.run(
        [sys.executable, "-c", NOT_ROOT, str(folder.parent)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["() () True", "['0o0', '0o0', '0o0']", "[]"]
