"""What an agent leaves to deceive a check decides nothing, and is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.bakeoff_run import Answer, bakeoff
from support.repositories import git, write_files
from support.suites import RIGHT, START, make_suite

from bakeoff.model.check import Status
from bakeoff.model.trial import Outcome, TrialRecord
from bakeoff.store.database import Store
from bakeoff.store.layout import Layout
from bakeoff.workspace.laying import remove_tree

OVER_CAP = 16 * 1024 * 1024 + 1
SECRET = {"id": "secret", "type": "absent", "pattern": "SECRET", "in": "files"}
_LARGE = f"(head -c {OVER_CAP} /dev/zero | tr '\\0' a; echo SECRET) > "
_PLANT = """
from pathlib import Path
import py_compile
Path("planted.py").write_text("import sys\\nsys.exit(0)\\n")
py_compile.compile("planted.py", cfile="unittest.pyc")
Path("sub").mkdir()
py_compile.compile("planted.py", cfile="sub/planted.pyc")
Path("planted.py").unlink()
Path("sub").chmod(0o555)
"""


def judged(root: Path, script: list[dict[str, Any]], assertion: dict[str, Any]) -> TrialRecord:
    """The trial of an ablate task with one assertion, in which the agent plays a script."""
    task = {"id": "task", "prompt": "Do it.", "assert": [assertion]}
    files = {"app.py": "x = 1\n", ".gitignore": "out/\n", ".ablate/tasks/task.yaml": json.dumps(task)}
    write_files(root, files)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "base")
    # Not part of the commit: it holds what the agent is going to write.
    (root / "script.json").write_text(json.dumps(script))
    answer = bakeoff(
        *("run", ".", "--harness", "fake", "-o", "script=@script.json", "--sandbox", "process"), cwd=root
    )
    store = Store.open(Layout(home=root / ".bakeoff"), create=False)
    records = store.trials(store.experiments(limit=1)[0].id)
    assert len(records) == 1, answer.story
    return records[0]


@pytest.mark.parametrize(
    ("command", "status"),
    [
        pytest.param("printf 'SECRET\\0' > a.txt", Status.FAILED, id="after-it-a-nul"),
        pytest.param("printf '\\0' > app.py; echo SECRET >> app.py", Status.FAILED, id="a-file-made-binary"),
        pytest.param(f"{_LARGE} a.txt", Status.ERROR, id="in-a-file-over-the-cap"),
        pytest.param("mkdir -p a/.GIT; echo SECRET > a/.GIT/x", Status.ERROR, id="under-a-name-git-refuses"),
        pytest.param(f"mkdir out; {_LARGE} out/a.txt", Status.PASSED, id="in-a-large-file-that-is-ignored"),
        pytest.param("mkfifo SECRET; git init -q inner", Status.PASSED, id="in-what-has-no-content"),
    ],
)
def test_a_text_cannot_be_hidden_from_a_search_of_files(tmp_path, command, status):
    record = judged(tmp_path, [{"run": command}], SECRET)
    assert [verdict.status for verdict in record.verdicts] == [status]
    assert record.outcome is (Outcome.PASS if status is Status.PASSED else Outcome.FAIL)


@pytest.mark.parametrize("key", ["must_include", "must_not_include"])
def test_brackets_name_a_file_that_is_spelled_so(tmp_path, key):
    script = [{"write": "pages/[id].tsx", "content": "x"}]
    record = judged(tmp_path, script, {"id": "page", "type": "files_touched", key: ["pages/[id].tsx"]})
    assert record.outcome is (Outcome.PASS if key == "must_include" else Outcome.FAIL)


def test_no_planted_byte_code_is_loaded_by_a_check(tmp_path):
    hidden = "import app, unittest\nclass T(unittest.TestCase):\n  def test(self):\n    assert app.add(2, 3) == 5\n"
    write_files(tmp_path, {"verify/test_hidden.py": hidden})
    project = make_suite(
        tmp_path,
        files=START | {"tracked.pyc": "the project's own"},
        tasks={
            "task": {
                "verification": {
                    "command": "test -f tracked.pyc && python3 -m unittest -q test_hidden",
                    "inject": [{"source": "verify/test_hidden.py", "dest": "test_hidden.py"}],
                }
            }
        },
        arms={
            "honest": [{"write": "app.py", "content": RIGHT}],
            "planter": [{"write": "plant.py", "content": _PLANT}, {"run": "python3 plant.py"}],
        },
    )
    # A plain directory would be copied without byte code.
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "base")):
        git(tmp_path / "start", *arguments)
    answer = project.run("--sandbox", "process", "--keep-workspaces")
    by_arm = {record.arm: record for record in project.records()}
    assert by_arm["honest"].outcome is Outcome.PASS, answer.story
    assert by_arm["planter"].outcome is Outcome.FAIL, answer.story
    aside = [item.detail for item in by_arm["planter"].findings if item.kind == "byte_code_set_aside"]
    assert [detail.rpartition(" ")[2] for detail in aside] == ["sub/planted.pyc", "unittest.pyc"]
    for record in by_arm.values():
        (kept,) = (Path(item.detail) for item in record.findings if item.kind == "workspace_kept")
        assert (kept / "unittest.pyc").exists() is (record.arm == "planter"), "it is put back"
        remove_tree(kept.parent)


@pytest.mark.parametrize(
    "made",
    ["mkdir $BAKEOFF_SCORE_FILE", "mkfifo $BAKEOFF_SCORE_FILE", "ln -s /etc/passwd $BAKEOFF_SCORE_FILE"],
)
def test_a_score_file_that_is_no_file_is_none(tmp_path, made):
    score = f"{made}; echo '{{\"score\": 0.5}}'"
    verification = {"command": "true", "score_command": score}
    project = make_suite(
        tmp_path, tasks={"task": {"verification": verification}}, arms={"agent": [{"text": "x"}]}
    )
    answer: Answer = project.run("--sandbox", "process")
    record = project.record()
    assert (record.outcome, record.score) == (Outcome.PASS, 0.5), answer.story
