"""Somebody's own agent is connected as the guide says, and judged like any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.bakeoff_run import Project, bakeoff
from support.documents import blocks_of
from support.machine import CHECKOUT
from support.suites import RIGHT, WORKS, make_suite
from support.supervisor_kinds import in_both

from bakeoff.model.trial import Ending, Outcome, TrialRecord, VoidReason

GUIDE = CHECKOUT / "docs" / "guides" / "connect-your-agent.md"
SECRET = "the-secret-value-of-a-key"
PROMPT = "Mend add(); $(touch pwned) `touch pwned` 'it is' \"quoted\" {braces}\nand two lines."


def files_of_the_guide(root: Path) -> Project:
    for block in blocks_of(GUIDE):
        if title := block.attributes.get("title"):
            path = root / title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
    return Project(root / "connect")


@in_both
def test_tokens_tools_and_skills_of_the_agent_of_the_guide_are_shown(sandbox: str, tmp_path: Path) -> None:
    project = files_of_the_guide(tmp_path)
    assert len((project.root / "my_agent.py").read_text().splitlines()) == 30
    answer = project.run("--sandbox", sandbox, "--home", ".bakeoff")
    assert answer.code == 0, answer.story

    shown = bakeoff("show", "latest::greeting::mine", "--home", ".bakeoff", cwd=project.root)
    words = " ".join(shown.out.split())
    assert "✓ pass" in words, shown.story
    assert "12 output (derived)" in words
    assert "cost $0.0001 (reported)" in words
    assert "tools 2 calls: Skill 1, write_file 1" in words
    assert "skills greet" in words

    record = project.record()
    assert record.sandbox == sandbox
    assert record.skills == ["greet"]
    assert record.usage.input is not None
    assert record.usage.input > 20
    assert [change.path for change in record.changes] == ["greeting.txt"]


def arm(command: object, **more: Any) -> dict[str, Any]:
    return {"runner": "generic", "command": command, **more}


ARMS = {
    "by-argument": arm(
        'python3 {agent_dir}/solve.py {prompt} --level={opt_level} "$BAKEOFF_MODEL{{x}}"',
        prompt_via="arg",
        level=3,
        agent_files=["solve.py"],
        model="m-1",
    ),
    "by-file": arm("sh {agent_dir}/by-file.sh {prompt_file}", prompt_via="file", agent_files=["by-file.sh"]),
    "in-words": arm("{agent_dir}/solve.py - --level=3", agent_files=["solve.py"], executable_check=False),
    "leaky": arm("echo key is $MY_KEY; echo $MY_KEY > left.txt", env_passthrough=["MY_KEY"]),
    "without-key": arm("echo key is ${{MY_KEY:-unset}}"),
    "broken": arm("echo working; exit 3"),
    "away": arm("exit 127"),
    "limited": arm(
        'echo \'{{"kind":"error","status":429,"message":"slow down"}}\'; exit 0', output_format="jsonl"
    ),
    "endless": arm('echo \'{{"kind":"run_finished"}}\'; sleep 300', output_format="jsonl"),
}
SOLVE = f"""#!/usr/bin/env python3
import sys
prompt = sys.stdin.read() if sys.argv[1] == "-" else sys.argv[1]
assert prompt == {PROMPT!r}, prompt
assert sys.argv[2] == "--level=3", sys.argv
with open("app.py", "w") as file:
    file.write({RIGHT!r})
print("Mended.")
"""
BY_FILE = f"""test "$(wc -c < "$1")" -eq {len(PROMPT.encode())} || exit 9
cat > app.py <<'END'
{RIGHT}END
"""


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TrialRecord]:
    """One task under agents that are started, and end, in every way."""
    root = tmp_path_factory.mktemp("agents")
    project = make_suite(
        root,
        tasks={"mend": {"prompt": PROMPT, "verification": {"command": WORKS}}},
        arms=ARMS,
    )
    (root / "solve.py").write_text(SOLVE)
    (root / "solve.py").chmod(0o755)
    (root / "by-file.sh").write_text(BY_FILE)
    answer = project.run("--sandbox", "process", "--fail-on", "never", MY_KEY=SECRET)
    assert answer.code in {0, 4}, answer.story
    kept = b"".join(
        path.read_bytes() for path in (root / ".bakeoff" / "artifacts").rglob("*") if path.is_file()
    )
    assert b"key is" in kept
    assert SECRET.encode() not in kept
    return {record.arm: record for record in project.records()}


@pytest.mark.parametrize("name", ["by-argument", "by-file", "in-words"])
def test_the_prompt_arrives_as_it_is_in_each_way(records: dict[str, TrialRecord], name: str) -> None:
    record = records[name]
    assert (record.outcome, record.ending) == (Outcome.PASS, Ending.COMPLETED), record
    assert [change.path for change in record.changes] == ["app.py"]
    assert (record.usage.input, record.tool_calls, record.denials, record.skills) == (None,) * 4


def test_only_who_names_a_variable_gets_it(records: dict[str, TrialRecord]) -> None:
    assert "MY_KEY" in records["leaky"].environment
    assert "MY_KEY" not in records["without-key"].environment


@pytest.mark.parametrize(
    ("name", "outcome", "ending", "void"),
    [
        ("broken", Outcome.FAIL, Ending.CRASHED, None),
        ("away", Outcome.FAIL, Ending.CRASHED, None),
        ("limited", Outcome.VOID, Ending.CRASHED, VoidReason.RATE_LIMIT),
        ("endless", Outcome.FAIL, Ending.COMPLETED, None),
    ],
)
def test_ends_are_told_apart(
    records: dict[str, TrialRecord], name: str, outcome: Outcome, ending: Ending, void: VoidReason | None
) -> None:
    record = records[name]
    assert (record.outcome, record.ending, record.void_reason) == (outcome, ending, void)


def test_an_agent_that_is_not_there_is_told_before_anything_starts(tmp_path: Path) -> None:
    project = make_suite(
        tmp_path,
        tasks={"mend": {}},
        arms={"a": arm("no-such-agent --x"), "b": arm("sh {agent_dir}/x.sh", agent_files=["x.sh"])},
    )
    answer = project.run()
    assert answer.code == 2
    assert "'x.sh' does not exist" in answer.err
    (tmp_path / "x.sh").write_text("")
    answer = project.run()
    assert answer.code == 2
    assert "arm 'a': generic cannot be used: no-such-agent is not on the PATH" in answer.err


def test_a_converted_suite_finds_the_files_of_its_agent(tmp_path: Path) -> None:
    project = files_of_the_guide(tmp_path)
    (tmp_path / "native").mkdir()
    answer = bakeoff("convert", "connect/suite.yaml", "-o", "native/bakeoff.yaml", cwd=tmp_path)
    assert answer.code == 0, answer.story
    assert "agent_files: [../connect/my_agent.py]" in (tmp_path / "native/bakeoff.yaml").read_text()
    answer = bakeoff("run", "native/bakeoff.yaml", "--sandbox", "process", "--home", "s", cwd=tmp_path)
    assert answer.code == 0, answer.story
    (project.root / "my_agent.py").unlink()
    answer = bakeoff("validate", "native/bakeoff.yaml", cwd=tmp_path)
    assert answer.code == 2
    assert "'../connect/my_agent.py' does not exist below" in answer.err
