"""What a command may look like, and that no value of a placeholder ever becomes shell code."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from bakeoff.errors import HostFailed, UserError
from bakeoff.harness.generic.adapter import Generic
from bakeoff.harness.generic.options import GenericOptions
from bakeoff.harness.protocol import Launch, LaunchRequest, Probe, Purpose

HOSTILE = "$(touch pwned) `touch pwned`; touch pwned & 'x' \"y\" \\ {model} <<E\n* ~ #"


def launched(options: dict[str, Any], folder: Path | None = None, **more: Any) -> Launch:
    context = {"folder": folder} if folder else None
    read = GenericOptions.model_validate(options, context=context)
    request: dict[str, Any] = {"prompt": "p", "workspace": "/w", "home": "/h", "tmp": "/t", "model": "m"}
    return Generic().launch(LaunchRequest(options=read, **{**request, **more}))


def refused(options: dict[str, Any], folder: Path | None = None) -> tuple[str, str]:
    with pytest.raises(ValidationError) as caught:
        GenericOptions.model_validate(options, context={"folder": folder} if folder else None)
    (error,) = caught.value.errors()
    return error["msg"], getattr(error.get("ctx", {}).get("error"), "hint", "")


def test_a_list_is_filled_word_by_word() -> None:
    launch = launched(
        {
            "command": ["run", "--{opt_mode}={model}", "{{literal}}", "{worktree}:{prompt}"],
            "opts": {"mode": "a b"},
            "prompt_via": "arg",
        },
        prompt=HOSTILE,
    )
    assert launch.argv == ("run", "--a b=m", "{literal}", f"/w:{HOSTILE}")
    assert launch.stdin is None
    assert launch.env == {}


def test_a_prompt_file_lies_in_the_private_home() -> None:
    launch = launched({"command": "agent < {prompt_file}", "prompt_via": "file"}, prompt="caf\udce9")
    assert launch.home_files == {".agent-prompt.txt": b"caf\xe9"}
    assert launch.env == {"BAKEOFF_PROMPT_FILE": "/h/.agent-prompt.txt"}
    assert launch.argv == ("/bin/sh", "-c", 'agent < "${BAKEOFF_PROMPT_FILE}"')


def printed(command: str, values: dict[str, str], folder: Path) -> list[str]:
    launch = launched(
        {"command": command, "prompt_via": "arg", "opts": {"v": values["v"]}}, prompt=values["prompt"]
    )
    env = {"PATH": "/usr/bin:/bin", **launch.env}
    done = subprocess.run(launch.argv, env=env, cwd=folder, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]


def test_hostile_values_are_words_of_the_shell(tmp_path: Path) -> None:
    command = "f() {{ printf '%s\\0' \"$@\"; }}; f a{prompt}b {opt_v} $(f {opt_v} | tr -d '\\0' | wc -l)"
    words = printed(command, {"prompt": HOSTILE, "v": HOSTILE}, tmp_path)
    assert words == [f"a{HOSTILE}b", HOSTILE, "1"]
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=25, deadline=None)
@given(value=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30))
def test_any_value_arrives_as_it_is(value: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("empty")
    assert printed("printf '%s\\0' {prompt} {opt_v}", {"prompt": value, "v": value}, folder) == [value] * 2
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ({"command": ""}, "empty", ""),
        ({"command": []}, "empty", ""),
        ({"command": ["a", 1]}, "a command line, or a list", ""),
        ({"command": "a {modle}"}, "no placeholder {modle}", "did you mean model?"),
        ({"command": "a {opt_x}"}, "no placeholder {opt_x}", "opts: {x: ...}"),
        ({"command": "a ${HOME}"}, "no placeholder {HOME}", "{{HOME}}"),
        ({"command": "awk '{print $1}'"}, "'{print $1}' is no placeholder", "double"),
        ({"command": "a }"}, "'}' is no placeholder", "double"),
        ({"command": "a {prompt}"}, "needs `prompt_via: arg`", "prompt_file"),
        ({"command": "a", "prompt_via": "file"}, "must hold {prompt_file}", ""),
        ({"command": "a", "prompt_via": "arg"}, "must hold {prompt}", ""),
        ({"command": "a", "prompt_via": "pipe"}, "stdin, file, arg", ""),
        ({"command": "a '{model}'"}, "{model} stands inside quotes", "leave the quotes away"),
        ({"command": 'a "-{model}"'}, "{model} stands inside quotes", "leave the quotes away"),
        ({"command": "a `b {model}`"}, "{model} stands inside quotes", ""),
        ({"command": "a \\{model}"}, "{model} stands after a backslash", ""),
        ({"command": "a # {model}"}, "{model} stands in a comment", ""),
        ({"command": "cat <<E\n{model}\nE"}, "{model} stands after `<<`", "script"),
        ({"command": ["./agent.py"]}, "looked for in the workspace", "{agent_dir}/agent.py"),
        ({"command": ["{agent_dir}/a"]}, "empty without `agent_files`", ""),
        ({"command": "a", "opts": {"x": 1}}, "'x' is used nowhere", "{opt_x}"),
        ({"command": "a {opt_x}", "opts": {"x": [1]}}, "x: it must be a text", ""),
        ({"command": "a", "env_passthrough": ["KEY=value"]}, "names only, never values", ""),
        ({"command": "a", "improve_rounds": 2}, "not supported yet", ""),
    ],
)
def test_what_cannot_work_is_refused(options: dict[str, Any], message: str, hint: str) -> None:
    told, way_out = refused(options)
    assert message in told
    assert hint in way_out


def test_quotes_and_comments_that_hold_no_placeholder_are_fine() -> None:
    launch = launched({"command": "a 'x # y' \"it's\" {model} # don't\nb --m={model}"})
    assert launch.argv[2] == 'a \'x # y\' "it\'s" "${BAKEOFF_MODEL}" # don\'t\nb --m="${BAKEOFF_MODEL}"'


def test_agent_files_are_read_once_and_travel_to_the_private_home(tmp_path: Path) -> None:
    (tmp_path / "lib" / "__pycache__").mkdir(parents=True)
    (tmp_path / "lib" / "__pycache__" / "x.pyc").write_bytes(b"x")
    (tmp_path / "lib" / "part.py").write_text("1")
    (tmp_path / "lib" / "away").symlink_to("/etc/passwd")
    (tmp_path / "agent.sh").write_text("#!/bin/sh\n")
    (tmp_path / "agent.sh").chmod(0o755)
    said = {"command": ["{agent_dir}/agent.sh"], "agent_files": ["agent.sh", "lib"]}
    options = GenericOptions.model_validate(said, context={"folder": tmp_path})
    again = GenericOptions.model_validate(said, context={"folder": tmp_path})
    (tmp_path / "lib" / "part.py").write_text("2")
    request = LaunchRequest(prompt="p", workspace="/w", home="/h", tmp="/t", options=options)
    launch = Generic().launch(request)
    assert launch.argv == ("/h/.agent/agent.sh",)
    assert launch.home_files == {".agent/agent.sh": b"#!/bin/sh\n", ".agent/lib/part.py": b"1"}
    assert launch.executable_files == {".agent/agent.sh"}
    changed = GenericOptions.model_validate(said, context={"folder": tmp_path})
    assert options == again
    assert options != changed
    versions = {probe(each).version for each in (options, again, changed)}
    assert len(versions) == 2


@pytest.mark.parametrize(
    ("names", "message"),
    [(["nowhere.py"], "'nowhere.py' does not exist"), (["a/x", "b/x"], "'x' comes twice")],
)
def test_agent_files_that_cannot_be_are_refused(tmp_path: Path, names: list[str], message: str) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x").write_text(folder)
    assert message in refused({"command": "a", "agent_files": names}, tmp_path)[0]


def probe(options: GenericOptions, path: str = "/usr/bin:/bin", answers: str | None = "agent 1.2\n") -> Probe:
    return Generic().probe(lambda _argv: answers, path, options)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"command": ["sh", "-c", "true"]}, ""),
        ({"command": "sh -c true"}, ""),
        ({"command": "for x in 1; do nowhere; done"}, ""),
        ({"command": "X=1 nowhere"}, ""),
        ({"command": "./in-the-workspace"}, ""),
        ({"command": ["nowhere-at-all"]}, "nowhere-at-all is not on the PATH"),
        ({"command": "nowhere-at-all --x"}, "nowhere-at-all is not on the PATH"),
        ({"command": ["/nowhere/at/all"]}, "/nowhere/at/all is not an executable file"),
        ({"command": "nowhere-at-all", "executable_check": False}, ""),
        ({"command": "sh", "executable_check": "nowhere-at-all"}, "nowhere-at-all is not on the PATH"),
    ],
)
def test_the_program_is_looked_for(options: dict[str, Any], problem: str) -> None:
    found = probe(GenericOptions.model_validate(options))
    assert found.available == (not problem)
    assert found.problem.startswith(problem)


def test_a_program_that_is_only_checked_is_not_started() -> None:
    options = {"command": ["sh"], "executable_check": "cat"}
    assert launched(options, executable=Path("/usr/bin/cat")).argv == ("sh",)


def test_the_version_is_asked_for() -> None:
    options = GenericOptions.model_validate({"command": "sh", "version_command": "agent --version"})
    assert probe(options).version == "agent 1.2"
    assert probe(options, answers=None).problem == "version_command failed"
    assert probe(options, answers=" \n").problem == "version_command told nothing"
    assert probe(GenericOptions.model_validate({"command": "sh"})).version is None


def test_prompts_that_no_argument_holds_and_other_purposes_are_refused() -> None:
    by_argument = {"command": ["a", "{prompt}"], "prompt_via": "arg"}
    with pytest.raises(HostFailed, match="prompt_via: file"):
        launched(by_argument, prompt="x" * 200_000)
    with pytest.raises(HostFailed, match="NUL"):
        launched(by_argument, prompt="\0")
    with pytest.raises(UserError, match="judge"):
        launched({"command": "a"}, purpose=Purpose.JUDGE)
    with pytest.raises(UserError, match="session"):
        launched({"command": "a"}, resume="s")
