"""An agent that looks for what it was not given finds nothing: no answer, no key, no other trial."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.bakeoff_run import Project
from support.repositories import git, make_repository, write_files
from support.running_bakeoff import running_command
from support.scripted_arms import scripted_command
from support.spying import (
    NOTES,
    Target,
    as_step,
    attempts_in_git,
    attempts_on_files,
    attempts_on_processes,
    attempts_to_reach_the_source,
    looking_program,
)
from support.suites import make_suite
from support.supervisor_kinds import in_both, in_fallback, in_sandbox

from bakeoff.model.trial import TrialRecord

MISSING_IN_FALLBACK = {"own_pid_namespace", "own_ipc_namespace", "filesystem_hidden", "fixed_paths"}


@dataclass(frozen=True, kw_only=True)
class Secrets:
    """Texts by which it is seen that something was found; none occurs by chance."""

    answer: str
    hidden: str
    suite: str
    store: str
    key: str
    token: str
    neighbour: str

    @classmethod
    def new(cls) -> Secrets:
        return cls(**{name: f"{name}-{secrets.token_hex(12)}" for name in cls.__dataclass_fields__})

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(getattr(self, name) for name in self.__dataclass_fields__)


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A project with an answer that must stay hidden, ready to be run.

    Attributes:
        spec: what the command line is given.
        hidden_path: where the hidden file is, or will be, in the workspace.
    """

    spec: str
    project: Project
    target: Target
    secrets: Secrets
    hidden_path: str


FILES = {
    "app.py": "def add(a, b):\n    return a - b\n",
    "README.md": "Add numbers.\n",
    ".gitignore": "setup-environment\n",
}
SETUP = "printenv > setup-environment"
LOOK = "test ! -e look.py || python3 look.py"
"""Checks run what the agent wrote, as tests do; a spy leaves a program that looks around."""


def ablate_scene(root: Path) -> Scene:
    """A repository with a future, and an ablate task at its first commit that hides a file."""
    known = Secrets.new()
    hidden_path = f"tests/test_{secrets.token_hex(6)}.py"
    source = make_repository(
        root / f"source-{secrets.token_hex(6)}", {**FILES, hidden_path: f"# {known.hidden}\n"}
    )
    base = git(source, "rev-parse", "HEAD")
    objects = [git(source, "rev-parse", f"HEAD:{hidden_path}"), git(source, "rev-parse", "HEAD:tests"), base]
    write_files(source, {"app.py": f"def add(a, b):\n    return a + b  # {known.answer}\n"})
    git(source, "commit", "-qam", f"the answer {known.answer}")
    git(source, "tag", "-a", "-m", known.answer, "solved")
    write_files(source, {"README.md": f"stashed {known.answer}\n"})
    git(source, "stash", "-q")
    objects += [git(source, "rev-parse", name) for name in ("HEAD", "HEAD:app.py", "solved", "stash@{0}")]
    task = {
        "id": "task",
        "description": known.suite,
        "base_commit": base,
        "setup": SETUP,
        "prompt": "Make add() add.",
        "hide": ["tests/test_*.py"],
        "assert": [
            {"id": "works", "type": "exit_code", "run": f"printenv; {LOOK}"},
            {"id": "looks", "type": "script", "run": "printenv"},
        ],
    }
    file = source / ".ablate/tasks/task.yaml"
    write_files(source, {".ablate/tasks/task.yaml": yaml.safe_dump(task, sort_keys=False, width=10_000)})
    return _scene(root, ".", Project(source), source, [file], objects, hidden_path, known)


def harness_lab_scene(root: Path) -> Scene:
    """A repository with a future, and a Harness Lab task at its first commit that injects a test."""
    known = Secrets.new()
    hidden_path = f"tests/test_{secrets.token_hex(6)}.py"
    place = root / f"project-{secrets.token_hex(6)}"
    start = make_repository(place / "start", FILES)
    git(start, "tag", "base")
    write_files(start, {"app.py": f"def add(a, b):\n    return a + b  # {known.answer}\n"})
    git(start, "commit", "-qam", f"the answer {known.answer}")
    write_files(place, {f"verify/{hidden_path}": f"# {known.hidden}\n"})
    project = make_suite(
        place,
        tasks={
            "task": {
                "description": known.suite,
                "repo": {"path": "start", "base_ref": "base"},
                "setup": {"commands": [SETUP]},
                "verification": {
                    "command": f"printenv; {LOOK} && grep -q {known.hidden[:12]} {hidden_path}",
                    "score_command": f"printenv; test -e {hidden_path} && echo '{{\"score\": 0.5}}'",
                    "inject": [{"source": f"verify/{hidden_path}", "dest": hidden_path}],
                },
            }
        },
        arms={"unused": {"behavior": "noop"}},
    )
    files = [place / "suite.yaml", place / "task.yaml", place / "verify" / hidden_path]
    objects = [git(start, "rev-parse", name) for name in ("HEAD", "HEAD:app.py", "base")]
    return _scene(root, "suite.yaml", project, start, files, objects, hidden_path, known)


def _scene(
    root: Path,
    spec: str,
    project: Project,
    source: Path,
    files: Sequence[Path],
    objects: Sequence[str],
    hidden_path: str,
    known: Secrets,
) -> Scene:
    temporary = root / "temporary"
    temporary.mkdir()
    # As an earlier experiment would have left it.
    write_files(project.layout.home, {"artifacts/e_earlier/t_earlier/stream": known.store})
    target = Target(
        source=source,
        project=project.root,
        files=[*files, project.layout.home / "artifacts/e_earlier/t_earlier/stream"],
        store=project.layout.home,
        temporary=temporary,
        objects=objects,
        hidden_name=Path(hidden_path).name,
        markers=known.all,
    )
    return Scene(spec=spec, project=project, target=target, secrets=known, hidden_path=hidden_path)


SCENES = {"ablate": ablate_scene, "harness-lab": harness_lab_scene}
Script = Sequence[Mapping[str, Any]]


def run_beside_neighbour(scene: Scene, spy: Script, sandbox: str) -> tuple[TrialRecord, TrialRecord]:
    """Run a spy while another trial is going on; the records of both.

    The caller has keys in its environment. The spy begins when the neighbour is there, and the
    neighbour ends when the spy is done.
    """
    temporary, known = scene.target.temporary, scene.secrets
    neighbour = [
        {"write": "neighbour", "content": known.neighbour},
        {"run": f"echo {known.neighbour} | tee ~/neighbour > $TMPDIR/neighbour"},
        {"run": f"while ! test -e stop; do sleep 0.05; done; : {known.neighbour}"},
    ]
    waiting = [{"write": "waiting"}, {"run": "while ! test -e go; do sleep 0.05; done"}]
    arms: dict[str, Script] = {"neighbour": neighbour, "spy": [*waiting, *spy]}
    command = scripted_command(
        temporary.parent / "settings.json", arms, spec=scene.spec, sandbox=sandbox, jobs=2
    )
    keys = {"ANTHROPIC_API_KEY": known.key, "DEPLOY_TOKEN": known.token, "TMPDIR": str(temporary)}
    with running_command(command, cwd=scene.project.root, env=keys) as running:
        running.wait_until(lambda: [*temporary.glob("w*/*/tmp/neighbour")])
        running.wait_until(lambda: [*temporary.glob("w*/*/project/waiting")])
        (waits,) = temporary.glob("w*/*/project/waiting")
        waits.with_name("go").touch()
        running.wait_until(lambda: "::spy::" in running.told, patience_s=90)
        (beside,) = temporary.glob("w*/*/project/neighbour")
        beside.with_name("stop").touch()
        answer = running.end()
    assert answer.code == 0, answer.story
    records = {record.arm: record for record in scene.project.records()}
    return records["spy"], records["neighbour"]


def everything_noted(scene: Scene, record: TrialRecord) -> dict[str, bytes]:
    """What a spy wrote down, by the name of the attempt."""
    folder = f"{NOTES}/".encode()
    return {
        os.fsdecode(path.removeprefix(folder)): content
        for path, content in scene.project.final_files(record).items()
        if path.startswith(folder)
    }


def found_in(texts: Mapping[str, bytes], wanted: Sequence[str]) -> list[tuple[str, str]]:
    """Which of the wanted texts stand where."""
    return [(name, text) for name, content in texts.items() for text in wanted if text.encode() in content]


def bytes_of_everything(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Mode, time of change and content of everything below a folder but the store."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if ".bakeoff" not in path.relative_to(folder).parts:
            status = path.lstat()
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[str(path)] = (status.st_mode, status.st_mtime_ns, content)
    return found


def check_that_keys_stayed_away(scene: Scene, record: TrialRecord) -> None:
    """Setup and checks saw an environment, and no key of the caller in it."""
    files = {os.fsdecode(path): content for path, content in scene.project.final_files(record).items()}
    evidence = {verdict.check: verdict.evidence.encode() for verdict in record.verdicts}
    assert [verdict.status for verdict in record.verdicts] == ["passed"] * len(evidence)
    for text in (files["setup-environment"], *evidence.values()):
        assert b"HOME=" in text
    assert found_in({**files, **evidence}, [scene.secrets.key, scene.secrets.token]) == []
    # The hidden file that a check had injected was there for it, and only for it.
    assert scene.hidden_path not in files


@pytest.mark.parametrize("dialect", SCENES)
@in_sandbox
def test_in_the_sandbox_a_spy_learns_nothing(tmp_path: Path, sandbox: str, dialect: str) -> None:
    scene = SCENES[dialect](tmp_path)
    attempts = {
        **attempts_in_git(scene.target),
        **attempts_to_reach_the_source(scene.target),
        **attempts_on_files(scene.target),
        **attempts_on_processes(),
    }
    in_check = {**attempts_on_files(scene.target), **attempts_on_processes()}
    # To a check that needs it the hidden file is there, and its name is on its command line.
    unknown = [text for text in scene.secrets.all if text != scene.secrets.hidden]
    look = {"write": "look.py", "content": looking_program(in_check, unknown)}
    before = bytes_of_everything(scene.project.root)

    spying = [as_step(name, attempt) for name, attempt in attempts.items()]
    record, _ = run_beside_neighbour(scene, [*spying, look], sandbox)

    noted = everything_noted(scene, record)
    assert noted.keys() == attempts.keys()
    places = [str(scene.target.source), str(scene.target.project), str(scene.target.store)]
    assert found_in(noted, [*scene.secrets.all, scene.target.hidden_name, *places]) == []
    # The attempts themselves work: what is there to be seen was seen.
    assert noted["log"].count(b"\n") == 1
    assert b"blob" in noted["every-object"]
    assert b"HOME=/home/agent" in noted["environment"] + noted["environments"]
    assert b"/workspace" in noted["mounts"]
    assert b"/workspace/go" in noted["find-files"]
    assert set(record.protections.values()) == {True}
    assert f"LOOKED {len(in_check)}" in record.verdicts[0].evidence
    assert "FOUND" not in record.verdicts[0].evidence
    assert record.ending == "completed"
    check_that_keys_stayed_away(scene, record)
    assert bytes_of_everything(scene.project.root) == before


@pytest.mark.parametrize("dialect", SCENES)
@in_fallback
def test_in_the_fallback_history_and_hidden_files_are_out_of_reach_and_the_rest_is_named(
    tmp_path: Path, sandbox: str, dialect: str
) -> None:
    scene = SCENES[dialect](tmp_path)
    attempts = {
        **attempts_in_git(scene.target),
        "own-environment": "printenv",
        "own-files": f"find . -type f ! -path './{NOTES}/*' -exec cat {{}} +; find .",
        "user-files": "; ".join(f"cat '{file}'" for file in scene.target.files),
    }
    before = bytes_of_everything(scene.project.root)

    record, _ = run_beside_neighbour(
        scene, [as_step(name, attempt) for name, attempt in attempts.items()], sandbox
    )

    noted = everything_noted(scene, record)
    # Nothing is hidden from it by the file system, and the record says so.
    assert found_in({"": noted.pop("user-files")}, [scene.secrets.suite])
    assert {name for name, in_force in record.protections.items() if not in_force} == MISSING_IN_FALLBACK
    assert found_in(noted, [*scene.secrets.all, scene.target.hidden_name]) == []
    assert noted["log"].count(b"\n") == 1
    check_that_keys_stayed_away(scene, record)
    assert bytes_of_everything(scene.project.root) == before


# Stands in for Claude Code: it says its key in every way, and notes it in its session and in the workspace.
_TALKATIVE = """#!/bin/sh
case "$*" in *--version*) echo '2.1.34 (Claude Code)'; exit;; esac
cat > /dev/null
mkdir -p "$CLAUDE_CONFIG_DIR/projects/p"
say() { printf '%s\\n' "$1"; }
say '{"type":"system","subtype":"init","session_id":"s","model":"m","cwd":"/","tools":[]}'
for key in "$ANTHROPIC_API_KEY" "$DEPLOY_TOKEN"; do
    say '{"type":"assistant","session_id":"s","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"text","text":"it is '"$key"'"}],"usage":{"input_tokens":1,"output_tokens":1}}}'
    say '{"type":"user","session_id":"s","message":{"role":"user","content":"'"$key"'"}}'
    say "$key" >&2
    say "$key" >> leak.txt
    say '{"leak":"'"$key"'"}' >> "$CLAUDE_CONFIG_DIR/projects/p/s.jsonl"
    : > "named-$key"
    ln -s "$key" "link-to-$key"
done
say '{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":"'"$ANTHROPIC_API_KEY"'","num_turns":1,"total_cost_usd":0.01}'
"""


@in_both
def test_keys_reach_the_agent_alone_and_are_nowhere_in_what_is_recorded(tmp_path: Path, sandbox: str) -> None:
    key, token = f"sk-ant-{secrets.token_hex(16)}+=", f"token {secrets.token_hex(12)} 'and\" more\\"
    program = tmp_path / "bin" / "claude"
    write_files(tmp_path, {"bin/claude": _TALKATIVE})
    program.chmod(0o755)
    project = make_suite(
        tmp_path / "project",
        tasks={
            "task": {
                "setup": {"commands": [SETUP]},
                "verification": {
                    "command": "printenv; cat leak.txt; ls -l; exit 3",
                    "score_command": """echo "{\\"score\\": 1, \\"metrics\\": {\\"$(head -n1 leak.txt)\\": 1}}" """,
                },
            }
        },
        files=FILES,
        arms={"claude": {"runner": "claude", "executable": str(program), "flag_check": False}},
    )
    answer = project.run(
        *("--sandbox", sandbox, "--env", "DEPLOY_TOKEN"), ANTHROPIC_API_KEY=key, DEPLOY_TOKEN=token
    )
    assert answer.code == 1, answer.story
    record = project.record()
    files = {os.fsdecode(path): content for path, content in project.final_files(record).items()}
    assert files["leak.txt"].decode().splitlines() == [key, token], "the agent was to see them"
    assert found_in({"": files["setup-environment"]}, [key, token, "DEPLOY_TOKEN", "ANTHROPIC"]) == []
    (verdict,) = record.verdicts
    assert "HOME=" in verdict.evidence
    assert "DEPLOY_TOKEN=" not in verdict.evidence
    assert "[redacted:ANTHROPIC_API_KEY#1]\n[redacted:DEPLOY_TOKEN#1]" in verdict.evidence
    assert record.artifacts.keys() >= {"stream", "stderr", "trajectory", "session-1"}

    recorded = {
        str(path.relative_to(project.layout.home)): path.read_bytes()
        for path in project.layout.home.rglob("*")
        if path.is_file() and project.layout.archive not in path.parents
    }
    forms = [text for each in (key, token) for text in (each, json.dumps(each)[1:-1])]
    assert found_in(recorded, forms) == []
    assert found_in({"out": answer.out.encode(), "err": answer.err.encode()}, forms) == []
    assert not [name for name in recorded if key in name]
