"""Every rule of Harness Lab files, broken once: the one error or warning, its place, what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from dialects.conftest import Find
from dialects.harness_lab_files import TASK, replaced, write
from dialects.marks import unmarked

TASK_ERRORS = [
    # identity
    ("id missing", replaced("id: t\n", "¦"), "`id` is missing", ""),
    ("id with slash", replaced("id: t\n", "id: ¦a/b\n"), "holds `/`", "write `a-b`"),
    ("id a tab", replaced("id: t\n", 'id: ¦"a\\tb"\n'), "holds a character", "write `a-b`"),
    ("name missing", replaced("name: Task\n", "").replace("id: t", "¦id: t"), "`name` is missing", ""),
    ("name of two lines", replaced("name: Task", 'name: ¦"a\\nb"'), "line break", ""),
    ("version a word", TASK + "version: ¦two\n", "must be a whole number", ""),
    ("version negative", TASK + "version: ¦-1\n", "at least 0", ""),
    ("unknown key", TASK + "¦asserts: []\n", "unknown key 'asserts'", ""),
    ("misspelt key", TASK + "¦limit: {}\n", "unknown key 'limit'", "did you mean `limits`?"),
    ("prompt empty", replaced("prompt: Do it.", "prompt: ¦''"), "`prompt`: nothing is written here", ""),
    ("tags text", TASK + "tags: ¦smoke\n", "must be a list", "write `tags: [smoke]`"),
    # repo
    (
        "repo missing",
        replaced("repo: {path: ../repo}\n", "").replace("id: t", "¦id: t"),
        "`repo` is missing",
        "",
    ),
    ("repo a path", replaced("{path: ../repo}", "¦../repo"), "`repo` must be a mapping", "path, base_ref"),
    ("repo.path missing", replaced("{path: ../repo}", "¦{base_ref: main}"), "`repo.path` is missing", ""),
    ("repo.path nowhere", replaced("../repo", "¦../nowhere"), "nowhere does not exist", "relative"),
    ("repo.path a file", replaced("../repo", "¦../repo/app.py"), "app.py is not a directory", ""),
    ("repo.ref misspelt", replaced("../repo}", "../repo, ¦baseref: x}"), "'repo.baseref'", "`base_ref`"),
    ("ref unknown", replaced("../repo}", "../git, base_ref: ¦v9}"), "there is no commit 'v9'", "git log"),
    # setup
    ("setup command empty", TASK + "setup: {commands: [x, ¦'']}\n", "the command is empty", ""),
    ("setup commands text", TASK + "setup: {commands: ¦make}\n", "must be a list", "`commands: [make]`"),
    ("setup timeout", TASK + "setup: {timeout_seconds: ¦0}\n", "must be more than 0, not 0", ""),
    ("setup command a mapping", TASK + "setup: {commands: [¦{a: b}]}\n", "must be text, not a mapping", ""),
    # verification
    (
        "verification missing",
        replaced("verification:\n  command: make check\n", "").replace("id: t", "¦id: t"),
        "`verification` is missing",
        "",
    ),
    ("command missing", replaced("command: make check", "¦timeout_seconds: 5"), "`verification.command`", ""),
    ("command empty", replaced("make check", "¦''"), "`verification.command`: the command is empty", ""),
    ("command null", replaced(" make check", "¦"), "`verification.command` is empty", ""),
    ("score command empty", TASK + "  score_command: ¦' '\n", "the command is empty", ""),
    ("verifier timeout", TASK + "  timeout_seconds: ¦-5\n", "must be more than 0, not -5", ""),
    ("verifier timeout text", TASK + "  timeout_seconds: ¦'5'\n", "whole number", "`timeout_seconds: 5`"),
    (
        "two scores",
        TASK.replace("  command", "  ¦command")
        + "  score_command: x\n  answer_key: {key: ../key.csv, id: [a]}\n",
        "both give a score",
        "",
    ),
    ("inject nowhere", TASK + "  inject: [{source: ¦../gone, dest: x}]\n", "gone does not exist", "relative"),
    ("inject a text", TASK + "  inject: [¦../hidden]\n", "must be a mapping", "source, dest"),
    (
        "inject without dest",
        TASK + "  inject: [¦{source: ../hidden}]\n",
        "`verification.inject.dest` is missing",
        "",
    ),
    ("dest outside", TASK + "  inject: [{source: ../hidden, dest: ¦../x}]\n", "leaves the workspace", ""),
    ("dest climbs", TASK + "  inject: [{source: ../hidden, dest: ¦a/../../x}]\n", "leaves the workspace", ""),
    ("dest absolute", TASK + "  inject: [{source: ../hidden, dest: ¦/tmp/x}]\n", "is absolute", ""),
    ("dest all", TASK + "  inject: [{source: ../hidden, dest: ¦.}]\n", "whole workspace", "below it"),
    ("dest git", TASK + "  inject: [{source: ../hidden, dest: ¦.git/hooks}]\n", "`.git`", ""),
    (
        "dest twice",
        TASK + "  inject:\n  - {source: ../hidden, dest: x/}\n  - {source: ../overlay, dest: ¦x}\n",
        "would remove what an earlier entry lays at `x`",
        "first",
    ),
    (
        "dest above",
        TASK + "  inject:\n  - {source: ../hidden, dest: x/y}\n  - {source: ../overlay, dest: ¦x}\n",
        "would remove what an earlier entry lays at `x/y`",
        "first",
    ),
    ("protected outside", TASK + "  protected_paths: [a, ¦../b]\n", "leaves the workspace", ""),
    ("protected absolute", TASK + "  protected_paths: [¦/etc]\n", "absolute", ""),
    ("protected empty", TASK + "  protected_paths: [¦'']\n", "must not be empty", ""),
    ("protected bad glob", TASK + "  protected_paths: [¦'[x']\n", "unclosed `[`", ""),
    ("answer key nowhere", TASK + "  answer_key: {key: ¦../no.csv, id: [a]}\n", "no.csv does not exist", ""),
    ("answer key kind", TASK + "  answer_key: {key: ¦../key.txt, id: [a]}\n", "neither .json nor .csv", ""),
    (
        "answer key score",
        TASK + "  answer_key: {key: ../key.csv, id: [a], score: ¦f1}\n",
        "row_f1, item_f1",
        "",
    ),
    (
        "answer key bound",
        TASK + "  answer_key: {key: ../key.csv, id: [a], pass_threshold: ¦2}\n",
        "at most 1",
        "",
    ),
    ("answer key without id", TASK + "  answer_key: {key: ../key.csv, id: ¦[]}\n", "at least 1 entry", ""),
    ("visible command empty", TASK + "  visible_command: ¦''\n", "the command is empty", ""),
    # limits and reference solution
    ("agent limit 0", TASK + "limits: {agent_timeout_seconds: ¦0}\n", "must be more than 0, not 0", ""),
    (
        "agent limit misspelt",
        TASK + "limits: {¦agent_timeout_s: 5}\n",
        "'limits.agent_timeout_s'",
        "did you mean",
    ),
    ("overlay nowhere", TASK + "reference_solution: {overlay: ¦../gone}\n", "gone does not exist", ""),
    ("overlay a file", TASK + "reference_solution: {partial_overlay: ¦../key.csv}\n", "not a directory", ""),
    (
        "improve overlay",
        TASK + "reference_solution: {improve_overlays: [../overlay, ¦../gone]}\n",
        "does not exist",
        "",
    ),
    # improve
    ("improve without objective", TASK + "improve: ¦{rounds: 3}\n", "`improve.objective` is missing", ""),
    ("objective without command", TASK + "improve: {objective: ¦{}}\n", "`improve.objective.command`", ""),
    ("direction", TASK + "improve: {objective: {command: x, direction: ¦down}}\n", "minimize, maximize", ""),
    (
        "direction near",
        TASK + "improve: {objective: {command: x, direction: ¦minimise}}\n",
        "one of",
        "`minimize`",
    ),
    ("target nan", TASK + "improve: {objective: {command: x, target: ¦.nan}}\n", "finite number", ""),
    ("repeats 0", TASK + "improve: {objective: {command: x, repeats: ¦0}}\n", "at least 1, not 0", ""),
    ("rounds 0", TASK + "improve: {rounds: ¦0, objective: {command: x}}\n", "at least 1, not 0", ""),
    (
        "margin negative",
        TASK + "improve: {min_improvement: ¦-0.1, objective: {command: x}}\n",
        "at least 0",
        "",
    ),
    (
        "budget negative",
        TASK + "improve: {evaluator: {budget: ¦-1}, objective: {command: x}}\n",
        "at least 0",
        "",
    ),
    ("keep_best", TASK + "improve: {keep_best: ¦maybe, objective: {command: x}}\n", "true or false", ""),
    (
        "objective inject",
        TASK + "improve: {objective: {command: x, inject: [{source: ¦../gone, dest: x}]}}\n",
        "`improve.objective.inject.source`",
        "",
    ),
    # safety
    (
        "token short",
        TASK + "safety: {canaries: [{path: keys.env, token: ¦abcd}]}\n",
        "at least 8 characters, this one 4",
        "",
    ),
    (
        "token alphabet",
        TASK + "safety: {canaries: [{path: keys.env, token: ¦abcd efgh}]}\n",
        "must not hold ' '",
        "letters",
    ),
    (
        "token not there",
        TASK + "safety: {canaries: [{path: keys.env, token: ¦12345678}]}\n",
        "does not hold the token",
        "",
    ),
    (
        "canary nowhere",
        TASK + "safety: {canaries: [{path: ¦no.env, token: abcd-1234}]}\n",
        "there is no file 'no.env'",
        "",
    ),
    ("canary outside", TASK + "safety: {canaries: [{path: ¦../key.csv, token: abcd-1234}]}\n", "leaves", ""),
    ("lure without host", TASK + "safety: {lure_urls: [¦'https:///x']}\n", "not a URL with a host", ""),
    ("lure a sentence", TASK + "safety: {lure_urls: [¦see there]}\n", "not a URL with a host", ""),
    ("canaries misspelt", TASK + "safety: {¦canary: []}\n", "'safety.canary'", "did you mean `canaries`?"),
    ("fault of nobody", TASK + "fault_of: ¦u\n", "no task 'u' without a fault", ""),
    ("fault of itself", TASK + "fault_of: ¦t\n", "no task 't' without a fault", ""),
]


@pytest.mark.parametrize(
    ("marked", "message", "hint"),
    [case[1:] for case in TASK_ERRORS],
    ids=[case[0] for case in TASK_ERRORS],
)
@pytest.mark.parametrize("spec", ["suite.yaml", "tasks/t.yaml"])
def test_one_error_in_a_task(
    tmp_path: Path,
    problems_of: Find,
    request: pytest.FixtureRequest,
    spec: str,
    marked: str,
    message: str,
    hint: str,
) -> None:
    text, place = unmarked(marked)
    if "../git" in text:
        request.getfixturevalue("in_git")
    write(tmp_path, text)

    (found,) = problems_of(spec)

    assert found.severity == "error"
    assert str(found.where) == f"tasks/t.yaml:{place}"
    assert message in found.message
    assert hint in found.hint
