"""What setup, agent and checks see of the environment, and what never reaches them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UserError
from bakeoff.model.suite import Environment
from bakeoff.process.supervise import InnerPaths
from bakeoff.redact import Redactor
from bakeoff.workspace.caches import needed_from_caches, setup_caches
from bakeoff.workspace.environment import (
    ChildEnvironment,
    Inheritance,
    Source,
    agent_environment,
    check_environment,
    clean_path,
    home_files,
    secrets,
    setup_environment,
)
from bakeoff.workspace.secrecy import is_secret

PATHS = InnerPaths(workspace="/workspace", home="/home/agent", tmp="/tmp")
PARENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/home/someone",
    "USER": "someone",
    "SHELL": "/bin/zsh",
    "LANG": "de_DE.UTF-8",
    "LC_TIME": "de_DE.UTF-8",
    "TZ": "Europe/Berlin",
    "TERM": "xterm-256color",
    "EDITOR": "vim",
    "PYTHONPATH": "/home/someone/lib",
    "VIRTUAL_ENV": "/home/someone/venv",
    "GIT_DIR": "/home/someone/repo/.git",
    "SSL_CERT_FILE": "/etc/ssl/cert.pem",
    "HTTPS_PROXY": "http://proxy.example:3128",
    "HTTP_PROXY": "http://me:pr0xy-pass@proxy.example:3128",
    "ANTHROPIC_API_KEY": "sk-ant-1234567890",
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:8080",
    "OPENAI_API_KEY": "sk-openai-123456",
    "GH_TOKEN": "ghp_abcdefgh",
    "BUILD_FLAVOUR": "debug",
}
INHERITANCE = Inheritance(
    parent=PARENT,
    path=("/usr/bin", "/bin"),
    credentials=("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN"),
)


def everyone(inheritance: Inheritance) -> list[ChildEnvironment]:
    return [
        agent_environment(inheritance, PATHS),
        setup_environment(inheritance, PATHS, caches=setup_caches("/caches")),
        check_environment(inheritance, PATHS, pycache="/tmp/pycache"),
    ]


def test_nothing_is_inherited_but_what_is_listed() -> None:
    for environment in everyone(INHERITANCE):
        assert {"EDITOR", "PYTHONPATH", "VIRTUAL_ENV", "GIT_DIR", "SHELL", "OPENAI_API_KEY"}.isdisjoint(
            environment.values
        )
        assert {"GH_TOKEN", "BUILD_FLAVOUR"}.isdisjoint(environment.values)
        assert environment.values["SSL_CERT_FILE"] == "/etc/ssl/cert.pem"
        assert environment.values["HTTPS_PROXY"] == "http://proxy.example:3128"
        assert environment.values["PATH"] == "/usr/bin:/bin"


@given(st.text(alphabet="ABCXYZ_", min_size=1, max_size=12))
def test_a_name_that_nobody_listed_is_never_inherited(name: str) -> None:
    if name.startswith("LC_"):
        return
    for environment in everyone(replace(INHERITANCE, parent={name: "value", "PATH": "/bin"})):
        assert name not in environment.values


def test_home_and_its_like_are_private() -> None:
    for environment in everyone(INHERITANCE):
        values = environment.values
        assert values["HOME"] == "/home/agent"
        assert values["TMPDIR"] == "/tmp"
        assert values["USER"] == values["LOGNAME"] == "agent"
        assert {name: values[name] for name in values if name.startswith("XDG_")} == {
            "XDG_CACHE_HOME": "/home/agent/.cache",
            "XDG_CONFIG_HOME": "/home/agent/.config",
            "XDG_DATA_HOME": "/home/agent/.local/share",
            "XDG_STATE_HOME": "/home/agent/.local/state",
        }
        assert values["TERM"] == "dumb"
        assert values["NO_COLOR"] == "1"
        assert values["GIT_CONFIG_NOSYSTEM"] == "1"
        assert values["PYTHONDONTWRITEBYTECODE"] == "1"


def test_only_the_agent_has_credentials_and_only_those_of_its_harness() -> None:
    agent, setup, check = everyone(INHERITANCE)
    assert agent.values["ANTHROPIC_API_KEY"] == "sk-ant-1234567890"
    assert agent.values["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:8080"
    assert agent.sources["ANTHROPIC_API_KEY"] is Source.CREDENTIAL
    assert "ANTHROPIC_AUTH_TOKEN" not in agent.values
    assert agent.missing == ()
    for environment in (setup, check):
        assert not [name for name in environment.values if "ANTHROPIC" in name]


def test_checks_are_the_same_everywhere() -> None:
    check = everyone(INHERITANCE)[2]
    assert check.values["TZ"] == "UTC"
    assert check.values["LANG"] == "C.UTF-8"
    assert "LC_TIME" not in check.values
    assert check.values["PYTHONHASHSEED"] == "0"
    assert check.values["PYTHONPYCACHEPREFIX"] == "/tmp/pycache"
    assert "HTTP_PROXY" not in check.values
    agent, setup, _ = everyone(INHERITANCE)
    assert agent.values["LANG"] == setup.values["LANG"] == "de_DE.UTF-8"
    assert agent.values["LC_TIME"] == "de_DE.UTF-8"
    assert "PYTHONPYCACHEPREFIX" not in agent.values


def test_what_the_user_passes_reaches_everyone_unless_it_is_secret() -> None:
    inheritance = replace(
        INHERITANCE,
        declared=Environment(pass_through=("GH_TOKEN",)),
        passed=("BUILD_FLAVOUR", "NOT_SET", "ANTHROPIC_BASE_URL"),
    )
    agent, setup, check = everyone(inheritance)
    assert agent.values["GH_TOKEN"] == "ghp_abcdefgh"
    assert agent.sources["GH_TOKEN"] is Source.PASSED
    assert agent.withheld == ()
    for environment in (setup, check):
        assert environment.values["BUILD_FLAVOUR"] == "debug"
        assert "GH_TOKEN" not in environment.values
        assert environment.withheld == ("GH_TOKEN", "ANTHROPIC_BASE_URL")
    for environment in (agent, setup, check):
        assert environment.missing == ("NOT_SET",)


def test_what_the_task_says_is_applied_last() -> None:
    declared = Environment(
        pass_through=("BUILD_FLAVOUR",),
        set={"TZ": "Asia/Tokyo", "BUILD_FLAVOUR": "release", "EMPTY": ""},
        unset=("NO_COLOR",),
    )
    harness = {"NO_COLOR": "0", "DISABLE_UPDATES": "1"}
    inheritance = replace(INHERITANCE, declared=declared)
    for environment in (
        agent_environment(inheritance, PATHS, harness=harness),
        setup_environment(inheritance, PATHS),
        check_environment(inheritance, PATHS, pycache="/p"),
    ):
        assert environment.values["TZ"] == "Asia/Tokyo"
        assert environment.values["BUILD_FLAVOUR"] == "release"
        assert environment.values["EMPTY"] == ""
        assert "NO_COLOR" not in environment.values
        assert environment.sources["TZ"] is Source.SUITE
    assert agent_environment(inheritance, PATHS, harness=harness).sources["DISABLE_UPDATES"] is Source.HARNESS


def test_a_credential_can_be_unset_by_the_task() -> None:
    declared = Environment(unset=("ANTHROPIC_API_KEY",))
    assert "ANTHROPIC_API_KEY" not in agent_environment(replace(INHERITANCE, declared=declared), PATHS).values


def test_every_variable_has_a_source_and_no_value_is_printed() -> None:
    inheritance = replace(INHERITANCE, toolchain={"PYENV_ROOT": "/home/someone/.pyenv"}, passed=("GH_TOKEN",))
    for environment in everyone(inheritance):
        assert environment.sources.keys() == environment.values.keys()
        assert environment.sources["PYENV_ROOT"] is Source.TOOLCHAIN
        shown = repr(environment) + str(environment) + repr(inheritance)
        assert "ghp_" not in shown
        assert "sk-ant" not in shown
        assert "/home/someone" not in repr(environment)


@pytest.mark.parametrize("name", ["", "A B", "A=B", "1A", "A-B", "Ä"])
def test_impossible_names_are_refused(name: str) -> None:
    for declared in (Environment(set={name: "x"}), Environment(pass_through=(name,))):
        with pytest.raises(UserError, match="not a name of an environment variable"):
            everyone(replace(INHERITANCE, declared=declared))


def test_impossible_values_are_refused() -> None:
    with pytest.raises(UserError, match="NUL"):
        everyone(replace(INHERITANCE, declared=Environment(set={"A": "x\0y"})))


def test_the_digest_follows_settings_but_neither_secrets_nor_places() -> None:
    declared = replace(INHERITANCE, declared=Environment(set={"MODE": "a"}))
    first = agent_environment(declared, PATHS).digest()
    elsewhere = InnerPaths(workspace="/w2", home="/h2", tmp="/t2")
    assert agent_environment(declared, elsewhere).digest() == first
    other_key = replace(declared, parent=PARENT | {"ANTHROPIC_API_KEY": "another"})
    assert agent_environment(other_key, PATHS).digest() == first
    other_mode = replace(INHERITANCE, declared=Environment(set={"MODE": "b"}))
    assert agent_environment(other_mode, PATHS).digest() != first
    without_key = replace(declared, credentials=())
    assert agent_environment(without_key, PATHS).digest() != first


def test_path_keeps_what_can_be_searched(tmp_path: Path) -> None:
    virtual, first, second, source = (tmp_path / name for name in ("venv", "first", "second", "source"))
    for directory in (virtual / "bin", first, second, source / "node_modules" / ".bin"):
        directory.mkdir(parents=True)
    (tmp_path / "link").symlink_to(virtual / "bin")
    entries = [
        virtual / "bin",
        first,
        "",
        ".",
        "relative",
        tmp_path / "missing",
        f"{second}/",
        first,
        tmp_path / "link",
        source / "node_modules" / ".bin",
    ]
    parent = {"PATH": ":".join(map(str, entries)), "VIRTUAL_ENV": str(virtual)}
    assert clean_path(parent, without=[str(source)]) == (str(first), str(second))


@pytest.mark.parametrize("parent", [{}, {"PATH": ""}, {"PATH": "relative:"}])
def test_without_a_path_the_usual_one_is_used(parent: dict[str, str]) -> None:
    assert clean_path(parent) == ("/usr/local/bin", "/usr/bin", "/bin")


def test_the_private_home_has_a_neutral_git_identity(tmp_path: Path) -> None:
    for name, content in home_files().items():
        (tmp_path / name).write_bytes(content)
    environment = dict(agent_environment(replace(INHERITANCE, path=clean_path({})), PATHS).values) | {
        "HOME": str(tmp_path)
    }
    environment.pop("XDG_CONFIG_HOME")
    answers = [
        subprocess.run(
            ["git", "config", "--get", key],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        ).stdout
        for key in ("user.name", "user.email", "init.defaultBranch", "commit.gpgSign")
    ]
    assert answers == ["Agent\n", "agent@example.invalid\n", "main\n", "false\n"]


def test_planted_byte_code_is_not_loaded_by_a_check(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("ANSWER = 'planted'\n")
    subprocess.run(
        [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(tmp_path)],
        check=True,
    )
    module.write_text("ANSWER = 'written'\n")
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    values = check_environment(replace(INHERITANCE, path=("/usr/bin",)), PATHS, pycache=str(fresh)).values
    command = [sys.executable, "-c", "import module; print(module.ANSWER)"]
    without = {name: value for name, value in values.items() if name != "PYTHONPYCACHEPREFIX"}
    ran = [
        subprocess.run(
            command, env=dict(each), cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout
        for each in (without, values)
    ]
    assert ran == ["planted\n", "written\n"]
    assert list(fresh.iterdir()) == []


def test_setup_keeps_its_files_in_caches_of_its_own() -> None:
    caches = setup_caches("/caches")
    setup = setup_environment(INHERITANCE, PATHS, caches=caches)
    assert setup.values["UV_CACHE_DIR"] == "/caches/uv"
    assert setup.values["UV_LINK_MODE"] == "copy"
    assert setup.sources["PIP_CACHE_DIR"] is Source.CACHE
    places = [value for value in caches.values() if value.startswith("/")]
    assert all(value.startswith("/caches/") for value in places)
    assert len(set(places)) == len(places)
    assert all(any(value.startswith(path) for value in places) for path in needed_from_caches("/caches"))
    for environment in (
        agent_environment(INHERITANCE, PATHS),
        check_environment(INHERITANCE, PATHS, pycache="/p"),
    ):
        assert not any("/caches" in value for value in environment.values.values())


def test_secrets_are_those_that_anything_could_write_down() -> None:
    declared = Environment(
        set={"SERVICE_TOKEN": "suite-value", "MODE": "plain-value"}, pass_through=("GH_TOKEN",)
    )
    found = secrets(replace(INHERITANCE, declared=declared, passed=("BUILD_FLAVOUR",)))
    assert found == {
        "ANTHROPIC_API_KEY": ("sk-ant-1234567890",),
        "GH_TOKEN": ("ghp_abcdefgh",),
        "SERVICE_TOKEN": ("suite-value",),
        "HTTP_PROXY": ("http://me:pr0xy-pass@proxy.example:3128", "pr0xy-pass"),
    }
    text = "sk-ant-1234567890 via http://me:pr0xy-pass@proxy.example:3128, password pr0xy-pass, debug"
    assert Redactor(found).redact_text(text) == (
        "[redacted:ANTHROPIC_API_KEY#1] via [redacted:HTTP_PROXY#1], password [redacted:HTTP_PROXY#2], debug"
    )


def test_a_credential_with_an_unusual_name_is_a_secret_when_it_looks_like_a_key() -> None:
    parent = {
        "VENDOR_THING": "abcdefghijklmnop1234",
        "VENDOR_REGION": "us-east-1-long-region-name",
        "VENDOR_MODE": "default",
    }
    names = tuple(parent)
    assert secrets(Inheritance(parent=parent, path=(), credentials=names)) == {
        "VENDOR_THING": ("abcdefghijklmnop1234",)
    }


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "GH_TOKEN",
        "GITHUB_PAT",
        "NPM_TOKEN",
        "DB_PASSWORD",
        "DB_PASS",
        "PGPASSWORD",
        "SSH_AUTH_SOCK",
        "ANTHROPIC_CUSTOM_HEADERS",
        "SENTRY_DSN",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "npm_config__auth",
        "api_key",
    ],
)
def test_names_of_secrets_are_recognised(name: str) -> None:
    assert is_secret(name, "value")


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "KEYBOARD",
        "TOKENIZERS_PARALLELISM",
        "MAX_THINKING_TOKENS",
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
        "OPENAI_BASE_URL",
        "CLAUDE_CODE_USE_BEDROCK",
        "DISABLE_AUTH_CHECK",
        "AUTHOR",
        "COMPASS",
        "MONKEYS",
        "PASSENGERS",
        "TOKEN_URL",
    ],
)
def test_other_names_are_not_taken_for_secrets(name: str) -> None:
    assert not is_secret(name, "value")
