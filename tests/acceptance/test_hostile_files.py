"""Whatever an agent does to its files and its repository: what is recorded is what is there."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from support.bakeoff_run import Project
from support.found_tree import Archivable, Tree, archivable, differing, is_counted, walked
from support.hostile_agents import AGENTS, BASE, DECEIVERS, IN_PLACE, SPARING, as_script
from support.repositories import git, write_files
from support.running_bakeoff import left_workspaces
from support.suites import make_suite
from support.supervisor_kinds import in_both

from bakeoff.identity import raw_path
from bakeoff.model.trial import TrialRecord
from bakeoff.workspace.laying import remove_tree

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="find -printf is GNU's"),
    pytest.mark.timeout(300),
]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One run of all agents.

    Attributes:
        records: by arm.
        base: the starting files.
        trap: the file that a command of an agent's would have made outside a trial.
        before, after: digests of everything of the user's around the run.
        kept: where the workspaces were left, by arm.
        finals: what was found there so far, by arm.
    """

    project: Project
    records: Mapping[str, TrialRecord]
    base: Tree
    trap: Path
    before: Mapping[str, str]
    after: Mapping[str, str]
    kept: Mapping[str, Path]

    finals: dict[str, tuple[Tree, set[bytes]]] = field(default_factory=dict)

    def final(self, arm: str) -> tuple[Tree, set[bytes]]:
        """What lies in the workspace that an agent left."""
        if arm not in self.finals:
            self.finals[arm] = walked(self.kept[arm])
        return self.finals[arm]


Run = Callable[[str], Seen]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """All agents in one experiment; run once for each supervisor."""
    done: dict[str, Seen] = {}
    used: list[Path] = []

    def run(sandbox: str) -> Seen:
        if sandbox not in done:
            used.append(tmp_path_factory.mktemp(sandbox))
            done[sandbox] = _run_all(used[-1], sandbox)
        return done[sandbox]

    yield run
    for place in used:
        # Too deep for whoever clears away the directories of tests.
        remove_tree(place)


def _run_all(root: Path, sandbox: str) -> Seen:
    trap, temporary = root / "trap", root / "temporary"
    temporary.mkdir()
    agents = {f"a-{name}": commands for name, commands in AGENTS.items()}
    agents |= {f"d-{name}": commands for name, commands in DECEIVERS.items()}
    project = make_suite(
        root / "project",
        tasks={"task": {"verification": {"command": "true", "protected_paths": ["tests"]}}},
        files={"app.py": "an earlier commit\n"},
        arms={name: as_script(commands, str(trap)) for name, commands in agents.items()},
    )
    start = project.root / "start"
    git(start, "init", "-q", "-b", "main")
    git(start, "add", "-A")
    git(start, "commit", "-qm", "earlier")
    write_files(start, BASE)
    (start / "tool.sh").chmod(0o755)
    (start / "link").symlink_to("docs/guide.md")
    git(start, "add", "-A")
    git(start, "commit", "-qm", "start")
    # The user's own repository is around all of it.
    git(project.root, "init", "-q", "-b", "main")
    write_files(project.root, {".gitignore": "start/\n.bakeoff/\n"})
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "suite")
    before = digests(project.root)
    answer = project.run(
        *("--sandbox", sandbox, "-j", "3", "--keep-workspaces", "--fail-on", "never"),
        timeout_s=250,
        TMPDIR=str(temporary),
    )
    assert answer.code == 0, answer.story
    after = digests(project.root)
    records = {record.arm: record for record in project.records()}
    assert records.keys() == agents.keys()
    return Seen(
        project=project,
        records=records,
        base=walked(start)[0],
        trap=trap,
        before=before,
        after=after,
        kept={name: _kept(record) for name, record in records.items()},
    )


def _kept(record: TrialRecord) -> Path:
    (place,) = (finding.detail for finding in record.findings if finding.kind == "workspace_kept")
    return Path(place)


def digests(root: Path) -> dict[str, str]:
    """Mode, time, target and content of everything of the user's, without the store."""
    found = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".bakeoff"]
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            status = os.lstat(path)
            content = Path(path).read_bytes() if stat.S_ISREG(status.st_mode) else b""
            target = os.readlink(path) if stat.S_ISLNK(status.st_mode) else ""
            facts = f"{status.st_mode} {status.st_ino} {status.st_mtime_ns} {target}".encode()
            found[os.path.relpath(path, root)] = hashlib.sha256(facts + b"\0" + content).hexdigest()
    return found


def exit_codes(seen: Seen, arm: str) -> list[int]:
    """How the commands of an agent ended."""
    stream = seen.project.layout.artifacts / seen.records[arm].artifacts["stream"]
    events = [json.loads(line) for line in stream.read_text().splitlines()]
    return [event["exit_code"] for event in events if event["type"] == "result"]


@in_both
def test_every_agent_did_what_it_was_to_do(runs: Run, sandbox: str) -> None:
    seen = runs(sandbox)
    codes = {arm: exit_codes(seen, arm) for arm in seen.records}
    assert {arm: found for arm, found in codes.items() if set(found) != {0}} == {}
    commands = {f"a-{name}": len(each) for name, each in AGENTS.items()}
    commands |= {f"d-{name}": len(each) for name, each in DECEIVERS.items()}
    assert {arm: len(found) for arm, found in codes.items()} == commands
    assert {str(record.ending) for record in seen.records.values()} == {"completed"}


@in_both
def test_recorded_changes_are_those_of_a_plain_walk(runs: Run, sandbox: str) -> None:
    seen = runs(sandbox)
    wrong = {}
    for arm, record in seen.records.items():
        expected = differing(seen.base, *seen.final(arm))
        told = {raw_path(change.path): str(change.kind) for change in record.changes}
        tracked = {raw_path(change.path) for change in record.changes if change.tracked}
        if told != expected or tracked != expected.keys() & seen.base.keys():
            wrong[arm] = sorted(told.items() ^ expected.items())
    assert wrong == {}


@in_both
def test_recorded_trees_are_those_of_a_plain_walk(runs: Run, sandbox: str) -> None:
    seen = runs(sandbox)
    wrong = {}
    for arm, record in seen.records.items():
        for name, tree, walk in (
            ("baseline", record.baseline_tree, seen.base),
            ("final", record.final_tree, seen.final(arm)[0]),
        ):
            held, expected = held_in(seen.project, tree), archivable(walk, seen.base)
            if held != expected:
                wrong[f"{arm} {name}"] = sorted(
                    path for path in held.keys() | expected.keys() if held.get(path) != expected.get(path)
                )
    assert wrong == {}


def held_in(project: Project, tree: str | None) -> Archivable:
    """A tree of the archive in the form of a plain walk."""
    assert tree is not None
    kinds = {0o100644: ("f", False), 0o100755: ("f", True), 0o120000: ("l", False)}
    entries = list(project.archive.walk_tree(tree))
    contents = project.archive.read_blobs(blob for _, _, blob in entries)
    return {path: (*kinds[mode], data) for (path, mode, _), data in zip(entries, contents, strict=True)}


# The same code makes the diffs of both supervisors.
@pytest.mark.parametrize(
    "sandbox",
    [pytest.param("bubblewrap", marks=[pytest.mark.sandbox, pytest.mark.slow], id="bubblewrap"), "process"],
)
def test_recorded_diffs_lead_from_the_base_to_the_final_files(
    runs: Run, sandbox: str, tmp_path: Path
) -> None:
    """Git itself applies each diff to a copy of the starting files."""
    seen = runs(sandbox)
    base = archivable(seen.base, seen.base)
    wrong = {}
    for arm, record in seen.records.items():
        walk, _ = seen.final(arm)
        final = archivable(walk, seen.base)
        ignored = {raw_path(change.path) for change in record.changes if change.ignored}
        ignored |= {path for path in final if path not in seen.base and not is_counted(path)}
        got = applied(recorded_diff(seen.project, record), base, tmp_path / arm)
        # A file that cannot be archived has no place in a diff: it stays as it was in the base.
        unknown = {path for path in base if path not in final and path in walk and walk[path].kind == "f"}
        assert {raw_path(change.path) for change in record.changes if not change.in_diff} >= unknown
        expected = {path: thing for path, thing in final.items() if path not in ignored}
        expected |= {path: base[path] for path in unknown}
        if got != expected:
            wrong[arm] = sorted(
                path for path in got.keys() | expected.keys() if got.get(path) != expected.get(path)
            )
    assert wrong == {}


def recorded_diff(project: Project, record: TrialRecord) -> bytes:
    """As `bakeoff show --diff` has it."""
    assert record.baseline_tree is not None
    assert record.final_tree is not None
    paths = [raw_path(change.path) for change in record.changes if change.in_diff and not change.ignored]
    return project.archive.diff(record.baseline_tree, record.final_tree, paths)


def applied(diff: bytes, base: Archivable, place: Path) -> Archivable:
    """What becomes of the starting files when git applies a diff to them."""
    place.mkdir()
    git(place, "init", "-q")
    for path, (kind, executable, content) in base.items():
        full = os.path.join(os.fsencode(place), path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        if kind == "l":
            os.symlink(content, full)
            continue
        with open(full, "wb") as file:
            file.write(content)
        os.chmod(full, 0o755 if executable else 0o644)
    if diff:
        patch = place.with_name("patch")
        patch.write_bytes(diff)
        git(place, "apply", "--whitespace=nowarn", str(patch))
    result = archivable(walked(place)[0], {})
    remove_tree(place)
    return result


@in_both
def test_protected_paths_hold_against_every_deception(runs: Run, sandbox: str) -> None:
    seen = runs(sandbox)
    spared = {f"a-{name}" for name in SPARING}
    found = {
        arm: (str(record.outcome), *[f"{verdict.check} {verdict.status}" for verdict in record.verdicts])
        for arm, record in seen.records.items()
    }
    held = ("pass", "protected_paths passed", "verification passed")
    broken = ("fail", "protected_paths failed", "verification skipped")
    assert found == {arm: held if arm in spared else broken for arm in seen.records}
    evidence = seen.records["d-in-place"].verdicts[0].evidence.splitlines()
    assert [path for path in IN_PLACE if not any(path in line for line in evidence)] == []


@in_both
def test_no_command_of_an_agent_runs_in_bakeoff(runs: Run, sandbox: str) -> None:
    seen = runs(sandbox)
    assert not seen.trap.exists()
    assert {finding.kind for finding in seen.records["a-traps"].findings} >= {
        "git_config_changed",
        "git_hooks_changed",
        "git_file_changed",
    }


@in_both
def test_the_source_and_the_repository_around_it_are_untouched(runs: Run, sandbox: str) -> None:
    seen = runs(sandbox)
    assert len(seen.before) > 100
    assert seen.after == seen.before


AROUND: Mapping[str, str] = {
    "removes-around": "rm -rf ../* 2>/dev/null || true",
    "removes-above": 'cd ..; rm -rf "$PWD" 2>/dev/null || true',
    "removes-private": "rm -rf $TMPDIR/* $HOME/* $HOME/.[a-z]*; rmdir $TMPDIR $HOME 2>/dev/null || true",
    "plants": "mkdir ../check-1 ../aside-2 2>/dev/null; mkfifo ../check-2 ../session-1 2>/dev/null || true",
    "links-itself": "cp -a . ../moved && rm -rf ../project && ln -s moved ../project || true",
    "becomes-a-file": "rm -rf ../project; echo > ../project || true",
    "spoils-home": "rm -rf ../home-after-setup; mkfifo ../home-after-setup || true",
    "spoils-streams": "rm -f ../stream-1 ../stderr-1; mkfifo ../stream-1; ln -s /etc/passwd ../stderr-1 || true",
    "shuts": "chmod 000 $HOME $TMPDIR .. . 2>/dev/null || true",
    "deep-home": 'cd $HOME; python3 -c \'import os\nfor i in range(1500): os.mkdir("d"); os.chdir("d")\'',
}
"""What an agent without a sandbox can do to its surroundings; inside one most of it has no effect."""

# Replaces the file that its own output goes to, where it can be reached.
_SPOILS_CHECK = "rm -f $TMPDIR/../stdout && mkfifo $TMPDIR/../stdout; echo spoilt; "


@in_both
def test_no_agent_becomes_void_by_destroying_its_surroundings(tmp_path: Path, sandbox: str) -> None:
    (tmp_path / "temporary").mkdir()
    write_files(tmp_path, {"project/hidden.py": "x = 1\n"})
    project = make_suite(
        tmp_path / "project",
        tasks={
            "task": {
                "verification": {
                    "command": f"{_SPOILS_CHECK} test -e solved",
                    "inject": [{"source": "hidden.py", "dest": "tests/hidden.py"}],
                }
            }
        },
        arms={name: [{"run": command}] for name, command in AROUND.items()},
    )
    answer = project.run(
        *("--sandbox", sandbox, "-j", "3", "--fail-on", "never"), TMPDIR=str(tmp_path / "temporary")
    )
    assert answer.code == 0, answer.story
    records = {record.arm: record for record in project.records()}
    assert {arm: str(record.outcome) for arm, record in records.items()} == dict.fromkeys(AROUND, "fail")
    told = [verdict.reason for record in records.values() for verdict in record.verdicts]
    assert [reason for reason in told if "bug" in reason] == []
    assert left_workspaces(tmp_path / "temporary") == []


# Stands in for Claude Code, and leaves a HOME that is hard to read.
_TRAPS_AT_HOME = """#!/bin/sh
case "$*" in *--version*) echo '2.1.34 (Claude Code)'; exit;; esac
cat > /dev/null
echo '{"type":"system","subtype":"init","session_id":"s","model":"m","cwd":"/","tools":[]}'
mkdir -p "$CLAUDE_CONFIG_DIR/projects/p" && cd "$CLAUDE_CONFIG_DIR/projects/p"
echo '{}' > good.jsonl; echo '{}' > shut.jsonl; chmod 000 shut.jsonl; mkfifo pipe.jsonl; mkdir folder.jsonl
ln -s /etc/passwd link.jsonl; ln -s link-to-itself.jsonl link-to-itself.jsonl; truncate -s 5G sparse.jsonl
mkdir ../q; echo '{}' > ../q/hidden.jsonl; chmod 000 ../q
python3 -c 'import os
for name in ["d"] * 1500 + ["n" * 250] * 20: os.mkdir(name); os.chdir(name)
open("f", "w").close()'
echo '{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":"done","num_turns":1}'
"""


@in_both
def test_a_harness_whose_home_is_a_trap_is_judged(tmp_path: Path, sandbox: str) -> None:
    (tmp_path / "temporary").mkdir()
    write_files(tmp_path, {"bin/claude": _TRAPS_AT_HOME})
    (tmp_path / "bin" / "claude").chmod(0o755)
    arm = {"runner": "claude", "executable": str(tmp_path / "bin" / "claude"), "flag_check": False}
    project = make_suite(tmp_path / "project", tasks={"task": {}}, arms={"claude": arm})
    answer = project.run("--sandbox", sandbox, TMPDIR=str(tmp_path / "temporary"))
    assert answer.code == 0, answer.story
    record = project.record()
    assert (record.outcome, record.ending) == ("pass", "completed")
    kept = [name for name in record.artifacts if name.startswith("session-")]
    assert [finding.detail for finding in record.findings if finding.kind == "session_file_left_out"] == [
        f".claude/projects/p/sparse.jsonl: {5 * 1024**3} bytes"
    ]
    assert len(kept) == 3, "good, shut and hidden ones, and no link"
    for name in kept:
        assert (project.layout.artifacts / record.artifacts[name]).read_bytes() == b"{}\n"
    assert left_workspaces(tmp_path / "temporary") == []
