"""Which arms exist, which run, and what their options are."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.repositories import write_files

from bakeoff.dialects.load import load
from bakeoff.errors import ProblemsFound
from bakeoff.model.suite import Arm, Suite

TASK = "id: t\nname: T\nrepo: {path: files}\nprompt: x\nverification: {command: x}\n"


@pytest.fixture
def suite_of(tmp_path: Path):
    """Loads a suite with these lines, or an experiment over it."""

    def make(lines: str, experiment: str | None = None) -> Suite:
        files = {"suite.yaml": "name: s\ntasks: [r/t.yaml]\n" + lines, "r/t.yaml": TASK, "r/files/app.py": ""}
        files["e.yaml"] = "suite: suite.yaml\n" + (experiment or "")
        write_files(tmp_path, files)
        return load("suite.yaml" if experiment is None else "e.yaml", cwd=tmp_path)

    return make


def arm(suite: Suite, name: str) -> Arm:
    return next(each for each in suite.known_arms if each.id == name)


def ids(arms: tuple[Arm, ...]) -> list[str]:
    return [each.id for each in arms]


def test_the_built_in_variants(suite_of) -> None:
    suite = suite_of("")

    assert ids(suite.arms) == ["fake-reference"]
    facts = {each.id: (each.harness, each.model, each.options, each.where) for each in suite.known_arms}
    assert facts == {
        "fake-reference": ("fake", None, {"behavior": "solve"}, None),
        "fake-noop": ("fake", None, {"behavior": "noop"}, None),
        "codex-default": ("codex_cli", None, {"network_access": False, "skip_git_repo_check": True}, None),
        "claude-default": (
            "claude_code",
            None,
            {
                "max_turns": 30,
                "permission_mode": "acceptEdits",
                "disallowed_tools": ["WebFetch", "WebSearch"],
            },
            None,
        ),
    }


def test_the_experiment_selects_before_the_suite_and_the_suite_before_the_built_in(suite_of) -> None:
    variants = "variants: [{id: a, runner: fake}, {id: b, runner: fake, behavior: fail}]\n"

    assert ids(suite_of(variants).arms) == ["a", "b"]
    assert ids(suite_of(variants, "variants: []\n").arms) == ["a", "b"]
    assert ids(suite_of(variants, "variants: [b]\n").arms) == ["b"]
    assert ids(suite_of(variants, "variants: [fake-noop, {id: c, runner: fake}]\n").arms) == [
        "fake-noop",
        "c",
    ]
    assert ids(suite_of("variants: [claude-default]\n").arms) == ["claude-default"]


def test_a_later_definition_takes_the_place_of_an_earlier_one(suite_of) -> None:
    suite = (
        "variants: [{id: fake-noop, runner: fake, behavior: fail}, {id: a, runner: fake, behavior: noop}]\n"
    )
    experiment = "variants: [{id: a, runner: fake, behavior: crash}, fake-noop]\n"

    loaded = suite_of(suite, experiment)

    assert ids(loaded.arms) == ["a", "fake-noop"]
    assert arm(loaded, "a").options == {"behavior": "crash"}
    assert arm(loaded, "fake-noop").options == {"behavior": "fail"}
    assert len(ids(loaded.known_arms)) == len(set(ids(loaded.known_arms)))


def test_defaults_fill_what_a_variant_leaves_out(suite_of) -> None:
    suite = suite_of(
        "defaults:\n"
        "  claude: {max_turns: 12, model: claude-haiku-4-5, effort: low}\n"
        "  '*': {max_turns: 99, effort: high, env_passthrough: [TEAM], model: any, skill_version: 4}\n"
        "variants:\n"
        "  - {id: own, runner: claude, max_turns: 5, model: claude-opus-5}\n"
        "  - {id: plain, runner: claude}\n"
        "  - {id: scripted, runner: fake, delay_ms: 3}\n"
    )

    assert suite.warnings == ()
    own, plain, scripted = suite.arms
    assert (own.model, own.options["max_turns"], own.options["effort"]) == ("claude-opus-5", 5, "low")
    assert (plain.model, plain.options["max_turns"]) == ("claude-haiku-4-5", 12)
    assert plain.options["env_passthrough"] == ["TEAM"]
    # What is meant for all runners is not given to one that has no such option.
    assert scripted.options == {"delay_ms": 3.0}
    assert (scripted.model, scripted.notes) == ("any", {"skill_version": "4"})
    assert arm(suite, "claude-default").options["max_turns"] == 12


def test_options_are_read_as_their_type_expects(suite_of) -> None:
    suite = suite_of(
        "variants:\n"
        "  - id: a\n"
        "    runner: claude\n"
        "    model: 4.10\n"
        "    max_turns: 7\n"
        "    max_budget_usd: 2\n"
        "    allowed_tools: [Bash, 0123]\n"
        "    tools: []\n"
        "    append_system_prompt: no\n"
        "    bare: false\n"
        "    setting_sources: user,project\n"
        "    extra_args: [--debug, 1.10]\n"
        "    flag_check: false\n"
        "    executable: 007\n"
        "    max_retries: 3\n"
    )

    (found,) = suite.arms
    assert found.model == "4.10"
    assert found.options == {
        "max_turns": 7,
        "max_budget_usd": 2.0,
        "allowed_tools": ["Bash", "0123"],
        "tools": [],
        "append_system_prompt": "no",
        "bare": False,
        "setting_sources": "user,project",
        "extra_args": ["--debug", "1.10"],
        "flag_check": False,
        "executable": "007",
        "max_retries": 3,
        "permission_mode": "acceptEdits",
        "disallowed_tools": ["WebFetch", "WebSearch"],
    }


def test_an_unknown_option_is_recorded_and_not_passed(suite_of) -> None:
    suite = suite_of("variants: [{id: a, runner: fake, behaviour: fail, colour: [red]}]\n")

    (found,) = suite.arms
    assert found.options == {}
    assert found.notes == {"unused_options": {"behaviour": "fail", "colour": ["red"]}}
    assert [item.hint for item in suite.warnings] == ["did you mean `behavior`?", ""]


def test_a_plugin_gets_its_options_as_they_are_written(suite_of) -> None:
    suite = suite_of(
        "plugins: [team.runners]\n"
        "variants: [{id: a, runner: own, model: m, depth: 3, ratio: 1.5, on: true, path: ~, name: 1.2.3, x: {y: [no]}}]\n"
    )

    (found,) = suite.arms
    assert (found.harness, found.model) == ("own", "m")
    assert found.options == {
        "depth": 3,
        "ratio": 1.5,
        "on": True,
        "path": None,
        "name": "1.2.3",
        "x": {"y": ["no"]},
    }
    assert suite.plugins == ("team.runners",)
    assert [(item.field, str(item.where)) for item in suite.unsupported] == [("plugins", "suite.yaml:3:1")]


def test_a_generic_runner_may_use_further_options_in_its_command(suite_of) -> None:
    suite = suite_of(
        "variants: [{id: a, runner: generic, command: 'agent --level {opt_level}', level: 3, other: 1}]\n"
    )

    (found,) = suite.arms
    assert found.options == {
        "command": "agent --level {opt_level}",
        "prompt_via": "stdin",
        "output_format": "text",
        "opts": {"level": 3},
    }
    assert [item.message for item in suite.warnings] == [
        "the runner `generic` has no option 'other': it is not used"
    ]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("[agent, '{opt_levl}']", "there is no placeholder {opt_levl}"),
        ("{a: b}", "it must be a command line, or a list"),
        ("[]", "it is empty"),
        ("[./agent]", "would be looked for in the workspace"),
        ("agent '{model}'", "{model} stands inside quotes"),
    ],
)
def test_a_command_that_cannot_be_started_is_refused_at_its_place(
    suite_of, command: str, message: str
) -> None:
    with pytest.raises(ProblemsFound) as caught:
        suite_of(f"variants:\n  - id: a\n    runner: generic\n    command: {command}\n")
    (problem,) = [item for item in caught.value.problems if item.severity == "error"]
    assert message in problem.message
    assert str(problem.where).startswith("suite.yaml:")


def test_a_generic_command_may_be_a_list_of_words(suite_of) -> None:
    suite = suite_of(
        "defaults: {generic: {level: 3}}\n"
        "variants: [{id: a, runner: generic, command: [agent, '--level={opt_level}', 010]}]\n"
    )
    (found,) = suite.arms
    assert found.options["command"] == ["agent", "--level={opt_level}", "010"]
    assert found.options["opts"] == {"level": 3}
    assert suite.warnings == ()


def test_plugins_of_suite_and_experiment_are_joined(suite_of) -> None:
    suite = suite_of("plugins: [a.b, c]\n", "plugins: [c, d]\n")

    assert suite.plugins == ("a.b", "c", "d")
    assert [str(item.where) for item in suite.unsupported] == ["suite.yaml:3:1", "e.yaml:2:1"]


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("improve_rounds: 2", "improve_rounds"),
        ("improve_eval_budget: 2", "improve_eval_budget"),
        ("improve_session: resume", "improve_session"),
        ("simulate_unsafe: [read_canary, destructive]", "simulate_unsafe"),
        ("improve_break_rounds: [1]", "improve_break_rounds"),
        ("eval_calls: 2", "eval_calls"),
        ("behaviors: [fail, solve]", "behaviors"),
        ("action_policy: {deny: [network]}", "action_policy"),
    ],
)
def test_options_of_later_stages_are_valid_and_named_with_their_place(
    suite_of, option: str, name: str
) -> None:
    suite = suite_of(f"variants:\n  - id: a\n    runner: fake\n    {option}\n")

    assert suite.warnings == ()
    (item,) = suite.arms[0].unsupported
    assert (item.field, str(item.where)) == (name, "suite.yaml:6:5")


def test_values_that_the_adapter_refuses_are_told_at_their_place(suite_of) -> None:
    from bakeoff.errors import ProblemsFound

    with pytest.raises(ProblemsFound) as refused:
        suite_of(
            "variants:\n"
            "  - {id: a, runner: claude, permission_mode: acceptEdit}\n"
            "  - {id: b, runner: claude, permission_mode: bypassPermissions}\n"
            "  - {id: c, runner: fake, script: [{text: hello}, {rum: ls}]}\n"
        )

    found = [(str(item.where), item.message) for item in refused.value.problems]
    assert [place for place, _ in found] == ["suite.yaml:4:46", "suite.yaml:5:5", "suite.yaml:6:51"]
    assert "did you mean 'acceptEdits'" in found[0][1]
    assert "allow_dangerous_permissions" in found[1][1]
    assert "did you mean 'run'" in found[2][1]
