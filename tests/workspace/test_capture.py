"""What is captured is exactly what lies on disk, whatever the agent did."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.captures import CAP, LEFT_OUT, TOO_DEEP, Walked, both, expected_changes, expected_tree, stored
from support.hostile import BASE, CASES, sh
from support.repositories import git, make_repository, write_files
from support.workspaces import plain_walk, sealed_from, workspace

from bakeoff.git.call import run_git
from bakeoff.git.diff import changed_paths
from bakeoff.model.check import Change, ChangeKind
from bakeoff.store.archive import Archive
from bakeoff.workspace.capture import Baseline, Capture, capture, take_baseline
from bakeoff.workspace.create import Workspace
from bakeoff.workspace.sealed import Sealed


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
