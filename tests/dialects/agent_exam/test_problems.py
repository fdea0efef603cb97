"""Every rule of agent-exam files, broken once: the one error or warning, its place, what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from dialects.agent_exam.exam_files import (
    CONFIG,
    CONFIGURATION,
    HELLO,
    TASK,
    TRIGGER,
    replaced,
    write,
)
from dialects.marks import unmarked

from bakeoff.dialects.load import load
from bakeoff.errors import Problem, UserError


def asserting(text: str) -> str:
    return TASK + f"  - {text}\n"


TASKS = [
    # the file as a whole
    ("kind misspelt", "kind: ¦trigge\n" + TASK, "one of execute, trigger", "did you mean `trigger`"),
    ("a list", "¦- prompt: x\n", "the file must be a mapping", "prompt"),
    ("syntax", "prompt: ¦[x\n", "not valid YAML", ""),
    ("tab", "prompt: x\nsetup:\n¦\tfixture: small\n", "a tab is used to indent", "spaces"),
    ("two documents", TASK + "¦---\na: 1\n", "second document", "remove"),
    ("key twice", TASK + "¦prompt: y\n", "'prompt' stands twice", "keep one"),
    ("unknown key", TASK + "¦prompts: x\n", "unknown key 'prompts'", "did you mean `prompt`"),
    ("unknown in setup", TASK + "setup: {¦fixtures: small}\n", "'setup.fixtures'", "`fixture`"),
    ("prompt missing", replaced("prompt: Write hello.txt.\n", "¦"), "`prompt` is missing", ""),
    ("prompt blank", replaced("Write hello.txt.", "¦' '"), "nothing is written", ""),
    ("assertions missing", "¦prompt: x\n", "`assertions` is missing", ""),
    ("assertions empty", "prompt: x\nassertions: ¦[]\n", "at least 1 entry", ""),
    ("assertions a mapping", "prompt: x\nassertions:\n  ¦file_exists: a\n", "must be a list", "- "),
    ("timeout zero", TASK + "timeout_seconds: ¦0\n", "more than 0", ""),
    ("timeout negative", TASK + "timeout_seconds: ¦-2.5\n", "more than 0", ""),
    ("timeout in words", TASK + "timeout_seconds: ¦5m\n", "must be a number", ""),
    ("timeout infinite", TASK + "timeout_seconds: ¦.inf\n", "finite", ""),
    ("known issue blank", TASK + "known_issue: ¦''\n", "nothing is written", ""),
    ("group not declared", TASK + "concurrency_group: ¦githup\n", "not declared in", "`github`"),
    ("tag not declared", TASK + "tags: [smoke, ¦smok]\n", "'smok' is not declared in", "`smoke`"),
    ("tags a text", TASK + "tags: ¦smoke\n", "must be a list", "`tags: [smoke]`"),
    # fixtures
    ("fixture missing", TASK + "setup: {fixture: ¦smal}\n", "smal does not exist", "`small`"),
    ("fixture climbs", TASK + "setup: {fixture: ¦../suites}\n", "leaves the folder of fixtures", "name a"),
    ("fixture absolute", TASK + "setup: {fixture: ¦/etc}\n", "is absolute", ""),
    ("fixture a file", TASK + "setup: {fixture: ¦small/a.txt}\n", "is not a directory", ""),
    ("fixture is all", TASK + "setup: {fixture: ¦.}\n", "is the whole folder of fixtures", ""),
    # environment
    ("env a list", TASK + "setup: {env: ¦[A]}\n", "must be a mapping", 'NAME: "value"'),
    ("env version", TASK + "setup: {env: {V: ¦1.10}}\n", "must be text", 'V: "1.10"'),
    ("env octal", TASK + "setup: {env: {V: ¦010}}\n", "must be text", 'V: "010"'),
    ("env sexagesimal", TASK + "setup: {env: {V: ¦1:30}}\n", "must be text", 'V: "1:30"'),
    ("env yes", TASK + "setup: {env: {V: ¦yes}}\n", "must be text", 'V: "yes"'),
    ("env true", TASK + "setup: {env: {V: ¦true}}\n", "must be text", 'V: "true"'),
    ("env nested", TASK + "setup: {env: {V: ¦[1, 2]}}\n", "must be text", "quotes"),
    ("env name", TASK + "setup: {env: {¦A-B: x}}\n", "no name of a variable", "letters"),
    # assertions
    ("assertion a word", asserting("¦no_permission_errors"), "a mapping", "`- no_permission_errors:`"),
    ("assertion a text", asserting("¦hello"), "must be a mapping", "file_exists"),
    ("type misspelt", asserting("¦file_exist: a"), "no assertion type 'file_exist'", "`file_exists`"),
    ("type a flag", asserting("¦known_issue: why"), "has no type", "file_exists"),
    ("two types", asserting("tool_called: Bash\n    ¦file_exists: a"), "has 'tool_called' already", "- "),
    ("field beside", asserting("file_contains:\n      path: a\n      pattern: x\n    ¦regex: true"), "unknown key", "indent it"),
    ("meta misspelt", asserting("tool_called: Bash\n    ¦provider: [x]"), "unknown key", "`providers`"),
    ("value missing", asserting("file_exists:¦"), "is empty", "path"),
    ("path absolute", asserting("file_exists: ¦/etc/passwd"), "is absolute", "relative"),
    ("path climbs", asserting("file_exists: ¦a/../../b"), "leaves the workspace", "relative"),
    ("path climbs below", asserting("file_contains: {path: ¦../x, pattern: x}"), "leaves the workspace", ""),
    ("contains a text", asserting("file_contains: ¦a.txt"), "must be a mapping", "path, pattern"),
    ("pattern missing", asserting("file_contains: ¦{path: a}"), "`file_contains.pattern` is missing", ""),
    ("pattern empty", asserting("file_contains: {path: a, pattern: ¦''}"), "is empty", ""),
    ("pattern broken", asserting("file_contains: ¦{path: a, pattern: '(', regex: true}"), "missing", ""),
    ("regex a word", asserting("file_contains: {path: a, pattern: x, regex: ¦maybe}"), "true or false", ""),
    ("field unknown", asserting("file_contains: {path: a, ¦patern: x}"), "'file_contains.patern'", "`pattern`"),
    ("count without bound", asserting("tool_count: ¦{name: Bash}"), "has no bound", "`exactly`"),
    ("count too bound", asserting("tool_count: ¦{name: Bash, exactly: 1, max: 2}"), "stands beside", "keep"),
    ("count impossible", asserting("tool_count: ¦{name: Bash, min: 3, max: 2}"), "no count is both", ""),
    ("count negative", asserting("tool_count: {name: Bash, min: ¦-1}"), "at least 0", ""),
    ("count always true", asserting("tool_count: ¦{name: Bash, min: 0}"), "always passes", ""),
    ("count a word", asserting("tool_count: ¦Bash"), "must be a mapping", "name, exactly"),
    ("judge without criterion", asserting("judge: ¦{include_trajectory: false}"), "criterion` is missing", ""),
    ("judge of nothing", asserting("judge: ¦''"), "nothing is written", ""),
    ("permission with a value", asserting("no_permission_errors: ¦true"), "takes no value", ""),
    ("known issue empty", asserting("tool_called: Bash\n    known_issue:¦"), "`known_issue` is empty", ""),
    ("provider short", asserting("tool_called: Bash\n    providers: [¦claude]"), "no harness 'claude'", "`claude_code`"),
    ("provider shorter", asserting("tool_called: Bash\n    providers: [¦copilot]"), "'copilot'", "`copilot_cli`"),
    ("provider misspelt", asserting("tool_called: Bash\n    providers: [¦opencod]"), "'opencod'", "`opencode`"),
    ("providers a text", asserting("tool_called: Bash\n    providers: ¦claude_code"), "a list", "[claude_code]"),
    ("providers none", asserting("tool_called: Bash\n    providers: ¦[]"), "never be evaluated", "leave it"),
    ("native misspelt field", asserting("command: {¦runs: x}"), "'command.runs'", "`run`"),
    ("native without value", asserting("files_touched:¦"), "must be a mapping", "must_include"),
    ("native meta inside", asserting("command: {run: x, ¦providers: [claude_code]}"), "stands below", "beside"),
    # triggers
    ("prompt of a trigger", TRIGGER + "¦prompt: x\n", "not used by a task of kind trigger", "execute"),
    ("assertions of a trigger", TRIGGER + "¦assertions: [x]\n", "not used by a task of kind", "remove it"),
    ("cases of an execute", TASK + "¦positive: [x]\n", "not used by a task of kind execute", "trigger"),
    ("skill of an execute", TASK + "¦skill: x\n", "not used by a task of kind execute", "trigger"),
    ("no skill", replaced("skill: greet\n", "", TRIGGER).replace("kind", "¦kind", 1), "`skill` is missing", ""),
    ("no cases", "¦kind: trigger\nskill: greet\n", "neither `positive` nor `negative`", "at least one"),
    ("case a mapping", replaced("- say hello", "- ¦{prompt: x}", TRIGGER), "must be a prompt", "setup.fixture"),
    ("case blank", replaced("- say hello", "- ¦''", TRIGGER), "nothing is written", ""),
    ("case twice", replaced("- say hello", "- say hello\n  - ¦say hello", TRIGGER), "stands in `positive`", "keep"),
    ("case in both", replaced("make coffee", "¦'say hello '", TRIGGER), "`negative`: the same prompt", "keep"),
    # blocks of harnesses
    ("claude unknown", TASK + "claude_code: {¦allow_tools: [Bash]}\n", "claude_code.allow_tools", "`allowed_tools`"),
    ("claude tools a text", TASK + "claude_code: {allowed_tools: ¦Bash}\n", "must be a list", "[Bash]"),
    ("claude flag", TASK + "claude_code: {allowed_tools: [Bash, ¦--x]}\n", "begins with a dash", ""),
    ("claude mode", TASK + "claude_code: {permission_mode: ¦automatic}\n", "must be one of auto", ""),
    ("claude mode short", TASK + "claude_code: {permission_mode: ¦acceptEdit}\n", "one of", "`acceptEdits`"),
    ("block a text", TASK + "claude_code: ¦auto\n", "must be a mapping", "allowed_tools"),
    ("opencode action", TASK + "opencode: {permission: {bash: ¦denied}}\n", "allow, ask, deny", "`deny`"),
    ("opencode bare deny", TASK + "opencode: {permission: {bash: ¦deny}}\n", "can hang", '"*": "deny"'),
    ("opencode pattern", TASK + "opencode: {permission: {bash: {'*': ¦never}}}\n", "allow, ask, deny", ""),
    ("opencode tool", TASK + "opencode: {permission: {¦Bash: ask}}\n", "lower-case", "`bash`"),
    ("opencode a list", TASK + "opencode: {permission: ¦[bash]}\n", "a mapping of tools", ""),
    ("codex sandbox", TASK + "codex_cli: {sandbox: ¦read_only}\n", "one of read-only", "`read-only`"),
    ("codex rule a text", TASK + "codex_cli: {prefix_rules: [¦gh]}\n", "must be a mapping", "pattern"),
    ("codex no pattern", TASK + "codex_cli: {prefix_rules: [¦{decision: allow}]}\n", "pattern` is missing", ""),
    ("codex pattern", TASK + "codex_cli: {prefix_rules: [{pattern: ¦gh release}]}\n", "a list of words", "[gh, "),
    ("codex nothing", TASK + "codex_cli: {prefix_rules: [{pattern: [gh, ¦[]]}]}\n", "alternatives", ""),
    (
        "codex decision",
        TASK + "codex_cli: {prefix_rules: [{pattern: [gh], decision: ¦deny}]}\n",
        "allow, prompt, forbidden",
        "",
    ),
    ("copilot pattern", TASK + "copilot_cli: {allowed_tools: [¦Bash(gh*)]}\n", "exact names only", "`bash`"),
    ("copilot upper case", TASK + "copilot_cli: {allowed_tools: [¦Bash]}\n", "lower-case", "`bash`"),
    ("block of nobody", TASK + "¦cluade_code: {}\n", "unknown key", "`claude_code`"),
]  # fmt: skip

CONFIGS = [
    ("a list", "¦- a\n", "must be a mapping", ""),
    ("syntax", "a: [¦\n", "not valid YAML", ""),
    ("unknown key", CONFIG + "¦default_hamess: x\n", "unknown key", "`default_harness`"),
    ("harness short", CONFIG + "default_harness: ¦claude\n", "no harness 'claude'", "`claude_code`"),
    ("harness of another tool", CONFIG + "default_harness: ¦dummy\n", "no harness 'dummy'", "`fake`"),
    ("group of none", replaced("2", "¦0", CONFIG), "at least 1, not 0", ""),
    ("group negative", replaced("2", "¦-1", CONFIG), "at least 1, not -1", ""),
    ("group in words", replaced("2", "¦many", CONFIG), "must be a whole number", ""),
    ("timeout", CONFIG + "default_task_timeout_seconds: ¦0\n", "more than 0", ""),
    ("tags a list", "tags: ¦[slow]\n", "must be a mapping", "slow:"),
    ("tag a word", "tags: {slow: ¦excluded}\n", "must be a mapping", "exclude_by_default"),
    ("tag misspelt", "tags: {slow: {¦exclude_by_defualt: true}}\n", "unknown key", "`exclude_by_default`"),
    ("tag with a comma", "tags: {¦'a,b': }\n", "cannot be named", ""),
    ("provider unknown", "providers: {¦claude: {}}\n", "no harness 'claude'", "`claude_code`"),
    ("provider misspelt key", "providers: {claude_code: {¦model: x}}\n", "unknown key", ""),
    ("key of another", "providers: {claude_code: {¦pure: true}}\n", "has no such setting", "`opencode`"),
    ("mode of another", "providers: {codex_cli: {¦permission_mode: auto}}\n", "no such setting", "`claude_code`"),
    ("provider mode", "providers: {claude_code: {permission_mode: ¦full}}\n", "must be one of", ""),
    ("provider args", "providers: {claude_code: {extra_args: ¦[--model, x]}}\n", "set by Bakeoff", ""),
    ("judge", "judge: {¦modle: x}\n", "judge.modle", "`model`"),
    ("judge passes on nothing", "judge: {pass_on: ¦[]}\n", "at least 1 entry", ""),
    ("skills nowhere", "skills_dirs: [¦./skils]\n", "skils does not exist", "project's root"),
]  # fmt: skip

WARNINGS = [
    ("claude tools empty", TASK + "claude_code: {allowed_tools: ¦[]}\n", "is empty: it is as if", "leave"),
    ("copilot tools empty", TASK + "copilot_cli: {allowed_tools: ¦[]}\n", "is empty: it is as if", "leave"),
    ("codex tool", asserting("¦tool_called: command_execution"), "Codex CLI only", "[codex_cli]"),
    (
        "nothing decides",
        "prompt: x\n¦assertions:\n  - file_exists: a\n    known_issue: why\n",
        "trials are not_judged",
        "top of the file",
    ),
]  # fmt: skip


def found_in(root: Path) -> list[Problem]:
    try:
        return list(load(".", cwd=root).warnings)
    except UserError as error:
        return list(error.problems)


def check(root: Path, file: str, text: str, message: str, hint: str, severity: str) -> None:
    text, place = unmarked(text)
    write(root, {file: text})
    problems = found_in(root)
    assert len(problems) == 1, "\n".join(map(str, problems))
    (problem,) = problems
    assert message in problem.message
    assert hint in problem.hint
    assert (str(problem.where), problem.severity) == (f"{file}:{place}", severity)


@pytest.mark.parametrize(
    ("text", "message", "hint"), [row[1:] for row in TASKS], ids=[row[0] for row in TASKS]
)
def test_what_is_wrong_with_a_task(tmp_path: Path, text: str, message: str, hint: str) -> None:
    check(tmp_path, HELLO, text, message, hint, "error")


@pytest.mark.parametrize(
    ("text", "message", "hint"), [row[1:] for row in CONFIGS], ids=[row[0] for row in CONFIGS]
)
def test_what_is_wrong_with_the_configuration(tmp_path: Path, text: str, message: str, hint: str) -> None:
    check(tmp_path, CONFIGURATION, text, message, hint, "error")


@pytest.mark.parametrize(
    ("text", "message", "hint"), [row[1:] for row in WARNINGS], ids=[row[0] for row in WARNINGS]
)
def test_what_a_careful_user_wants_to_know(tmp_path: Path, text: str, message: str, hint: str) -> None:
    check(tmp_path, HELLO, text, message, hint, "warning")
