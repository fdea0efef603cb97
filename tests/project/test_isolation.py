"""What a test sees of the machine it runs on."""

import datetime as dt
import os
import subprocess
from pathlib import Path

import pytest
from support.environment import isolated, make_home


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "SOME_VENDOR_API_KEY", "GH_TOKEN", "AWS_SECRET_ACCESS_KEY",
        "CLAUDE_CONFIG_DIR", "BAKEOFF_HOME", "GIT_DIR", "XDG_CONFIG_HOME", "https_proxy", "CI", "IS_SANDBOX",
    ],
)  # fmt: skip
def test_variables_that_could_change_a_result_are_removed(name, tmp_path):
    assert name not in isolated({name: "value", "PATH": "/bin"}, tmp_path)
    assert name not in os.environ


def test_the_rest_is_kept(tmp_path):
    assert (
        isolated({"PATH": "/bin", "PIP_CERT": "/x"}, tmp_path).items()
        >= {"PATH": "/bin", "PIP_CERT": "/x"}.items()
    )


def test_home_is_private_and_git_has_an_identity_from_it_alone(tmp_path, home):
    assert home == Path.home()
    assert home.stat().st_uid == os.getuid()
    assert os.listdir(home) == [".gitconfig"]
    assert git_identity(os.environ) == "Tester <tester@example.invalid>"
    assert (
        git_identity(isolated(os.environ, make_home(tmp_path / "other"))) == "Tester <tester@example.invalid>"
    )


def git_identity(environment):
    run = subprocess.run(
        ["git", "var", "GIT_AUTHOR_IDENT"], env=environment, capture_output=True, text=True, check=True
    )
    return run.stdout.rsplit(" ", 2)[0]


def test_local_time_is_far_from_utc():
    moment = dt.datetime.fromtimestamp(0, tz=dt.UTC)
    assert moment.astimezone().utcoffset() == dt.timedelta(hours=5, minutes=30)
