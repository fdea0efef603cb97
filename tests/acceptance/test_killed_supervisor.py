"""An agent that kills its own supervisor fails; it does not leave the denominator."""

import pytest
from support.bakeoff_run import make_project

KILL_PARENTS = """
pid=$$
# The shell, the agent, its supervisor, and what that was forked from: never further up.
for step in 1 2 3 4; do
  pid=$(awk '/^PPid:/ {print $2}' /proc/$pid/status)
  [ "$pid" -le 1 ] && break
  tr '\\0' ' ' < /proc/$pid/cmdline | grep -q 'run suite.yaml' && break
  set -- $pid "$@"
done
for pid in "$@"; do kill -9 $pid; done
sleep 5
"""


def test_killing_everything_above_is_a_crash_and_not_a_void(tmp_path):
    script = [{"text": "Here I go."}, {"run": KILL_PARENTS}]
    project = make_project(tmp_path, script=script, verification={"command": "test -e done"})
    answer = project.run("--sandbox", "process")
    assert answer.code == 1, answer.story
    record = project.record()
    assert record.outcome == "fail", record.detail
    assert record.ending == "crashed"


def test_code_under_test_that_does_so_during_a_check_fails_it(tmp_path):
    project = make_project(
        tmp_path,
        script=[{"write": "tool.sh", "content": KILL_PARENTS}],
        verification={"command": "sh tool.sh"},
    )
    answer = project.run("--sandbox", "process")
    assert answer.code == 1, answer.story
    assert project.record().outcome == "fail"


@pytest.mark.sandbox
def test_in_the_sandbox_there_is_nothing_above_to_kill(tmp_path):
    project = make_project(tmp_path, script=[{"text": "Here I go."}, {"run": KILL_PARENTS}])
    project.run("--sandbox", "bubblewrap")
    assert project.record().outcome in {"pass", "fail"}
    assert project.record().void_reason is None
