"""What a sandbox must show for the programs on PATH to work, on made-up HOME directories."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from bakeoff.workspace.environment import clean_path
from bakeoff.workspace.toolchains import Toolchains, find_toolchains, needs_of


class UserHome:
    """A HOME directory that a test fills with installations."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.path.mkdir()
        self.bins: list[str] = []

    def program(self, relative: str, text: str = "#!/bin/sh\necho ran\n") -> Path:
        """An executable file; text unless told otherwise."""
        file = self.path / relative
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
        return file

    def link(self, relative: str, target: str | Path) -> Path:
        file = self.path / relative
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(target)
        return file

    def find(
        self, *bins: str, never: tuple[Path, ...] = (), parent: Mapping[str, str] | None = None
    ) -> Toolchains:
        path = [each if each.startswith("/") else str(self.path / each) for each in bins]
        return find_toolchains(parent or {}, path, home=self.path, never=never)

    def shown(
        self, *bins: str, never: tuple[Path, ...] = (), parent: Mapping[str, str] | None = None
    ) -> list[str]:
        """Visible paths, relative to HOME where they lie in it."""
        return [
            str(path).replace(f"{self.path}/", "~/")
            for path in self.find(*bins, never=never, parent=parent).visible
        ]


@pytest.fixture
def user(tmp_path: Path) -> UserHome:
    return UserHome(tmp_path / "someone")


def test_the_system_needs_nothing(user: UserHome) -> None:
    assert user.shown("/usr/bin", "/bin") == []


def test_a_plain_bin_directory_is_shown_alone(user: UserHome) -> None:
    user.program("bin/tool")
    user.program("go/bin/gopls")
    user.program(".local/bin/tool")
    (user.path / ".local/lib/python3.12").mkdir(parents=True)
    assert user.shown("bin", ".local/bin", "go/bin") == ["~/.local/bin", "~/bin", "~/go/bin"]


def test_a_bin_directory_in_somebody_s_project_does_not_show_the_project(user: UserHome) -> None:
    user.program("dotfiles/bin/tool")
    (user.path / "dotfiles/secrets").write_text("x")
    assert user.shown("dotfiles/bin") == ["~/dotfiles/bin"]


def test_a_link_into_a_project_shows_the_file_alone(user: UserHome) -> None:
    tool = user.program("projects/tool/run.sh")
    user.link(".local/bin/tool", tool)
    assert user.shown(".local/bin") == ["~/.local/bin", "~/projects/tool/run.sh"]


def test_pyenv_is_shown_whole_and_told_where_it_is(user: UserHome) -> None:
    user.program(".pyenv/shims/python3")
    user.program(".pyenv/versions/3.12.1/bin/python3")
    assert user.shown(".pyenv/shims") == ["~/.pyenv"]
    assert user.find(".pyenv/shims").environment == {"PYENV_ROOT": str(user.path / ".pyenv")}


def test_a_version_manager_may_have_been_moved(user: UserHome, tmp_path: Path) -> None:
    moved = tmp_path / "data" / "pyenv"
    (moved / "shims").mkdir(parents=True)
    parent = {"PYENV_ROOT": str(moved)}
    assert user.shown(f"{moved}/shims", parent=parent) == [str(moved)]
    assert user.find(f"{moved}/shims", parent=parent).environment == {"PYENV_ROOT": str(moved)}


def test_of_nvm_only_the_version_on_path_is_shown(user: UserHome) -> None:
    user.program(".nvm/versions/node/v22.1.0/bin/node")
    user.link(".nvm/versions/node/v22.1.0/bin/npm", "../lib/node_modules/npm/bin/npm-cli.js")
    user.program(".nvm/versions/node/v22.1.0/lib/node_modules/npm/bin/npm-cli.js", "#!/usr/bin/env node\n")
    user.program(".nvm/versions/node/v20.0.0/bin/node")
    assert user.shown(".nvm/versions/node/v22.1.0/bin") == ["~/.nvm/versions/node/v22.1.0"]


def test_of_rust_only_what_holds_no_login_is_shown(user: UserHome) -> None:
    user.program(".cargo/bin/rustup")
    user.link(".cargo/bin/cargo", "rustup")
    for name in (
        ".cargo/registry/cache",
        ".cargo/git/db",
        ".rustup/toolchains/stable/bin",
        ".rustup/downloads",
    ):
        (user.path / name).mkdir(parents=True)
    (user.path / ".cargo/credentials.toml").write_text("token")
    (user.path / ".rustup/settings.toml").write_text("default_toolchain")
    assert user.shown(".cargo/bin") == [
        "~/.cargo/bin",
        "~/.cargo/git",
        "~/.cargo/registry",
        "~/.rustup/settings.toml",
        "~/.rustup/toolchains",
    ]
    assert user.find(".cargo/bin").environment == {"RUSTUP_HOME": str(user.path / ".rustup")}


def test_tools_of_uv_show_their_environment_and_its_python(user: UserHome) -> None:
    python = user.program(".local/share/uv/python/cpython-3.12.1-linux/bin/python3.12")
    user.link(".local/share/uv/python/cpython-3.12-linux", "cpython-3.12.1-linux")
    user.link(
        ".local/share/uv/tools/ruff/bin/python",
        user.path / ".local/share/uv/python/cpython-3.12-linux/bin/python3.12",
    )
    (user.path / ".local/share/uv/tools/ruff/pyvenv.cfg").write_text("home = ...")
    user.program(
        ".local/share/uv/tools/ruff/bin/ruff", f"#!{user.path}/.local/share/uv/tools/ruff/bin/python\n"
    )
    user.program(".local/share/uv/tools/other/bin/other")
    user.link(".local/bin/ruff", user.path / ".local/share/uv/tools/ruff/bin/ruff")
    user.link(".local/bin/python3.12", python)
    assert user.shown(".local/bin") == [
        "~/.local/bin",
        "~/.local/share/uv/python",
        "~/.local/share/uv/tools/ruff",
    ]


def test_a_script_with_a_long_first_line_shows_its_interpreter(user: UserHome) -> None:
    python = user.program("tools/venv/bin/python3")
    (user.path / "tools/venv/pyvenv.cfg").write_text("")
    user.program(".local/bin/app", f"#!/bin/sh\n'''exec' \"{python}\" \"$0\" \"$@\"\n' '''\n")
    assert user.shown(".local/bin") == ["~/.local/bin", "~/tools/venv"]


def test_a_virtual_environment_shows_the_python_it_is_built_on(user: UserHome) -> None:
    user.program("tools/python/bin/python3.12")
    (user.path / "tools/python/lib/python3.12").mkdir(parents=True)
    user.link("venvs/a/bin/python", user.path / "tools/python/bin/python3.12")
    user.program("venvs/a/bin/app")
    (user.path / "venvs/a/pyvenv.cfg").write_text("")
    assert user.shown("venvs/a/bin") == ["~/tools/python", "~/venvs/a"]


def test_an_installation_is_known_by_what_lies_in_it(user: UserHome) -> None:
    for name, mark in (("node", "lib/node_modules"), ("conda", "conda-meta"), ("go", "pkg/tool")):
        user.program(f"apps/{name}/bin/{name}")
        (user.path / "apps" / name / mark).mkdir(parents=True)
    assert user.shown("apps/node/bin", "apps/conda/bin", "apps/go/bin") == [
        "~/apps/conda",
        "~/apps/go",
        "~/apps/node",
    ]


def test_a_program_from_npm_shows_all_packages_it_may_load(user: UserHome) -> None:
    user.program(".npm-global/lib/node_modules/@vendor/agent/cli.js", "#!/usr/bin/env node\n")
    program = user.link(".npm-global/bin/agent", "../lib/node_modules/@vendor/agent/cli.js")
    assert needs_of(program, {}, home=user.path) == (user.path / ".npm-global",)
    other = user.link("x/agent", user.path / ".npm-global/lib/node_modules/@vendor/agent/cli.js")
    assert needs_of(other, {}, home=user.path) == (user.path / ".npm-global/lib/node_modules", other)


def test_a_native_program_shows_its_link_and_its_versions(user: UserHome) -> None:
    user.program(".local/share/claude/versions/2.1.0")
    program = user.link(".local/bin/claude", user.path / ".local/share/claude/versions/2.1.0")
    assert needs_of(program, {}, home=user.path) == (program, user.path / ".local/share/claude/versions")


def test_links_to_directories_on_the_way_are_shown_where_they_are(user: UserHome, tmp_path: Path) -> None:
    user.program(".local/share/fnm/node-versions/v22/installation/bin/node")
    shells = tmp_path / "run" / "fnm"
    shells.mkdir(parents=True)
    (shells / "123").symlink_to(user.path / ".local/share/fnm/node-versions/v22/installation")
    assert user.shown(f"{shells}/123/bin") == [
        str(shells / "123"),
        "~/.local/share/fnm/node-versions/v22/installation",
    ]


@pytest.mark.parametrize("wide", [".", "..", ".local", ".config", ".cache", ".local/share"])
def test_home_and_its_wide_directories_are_never_shown(user: UserHome, wide: str) -> None:
    (user.path / wide).mkdir(parents=True, exist_ok=True)
    user.link("bin/everything", user.path / wide)
    assert user.shown(str(user.path / wide)) == []
    assert user.shown("/") == []
    assert "~/bin/everything" not in user.shown("bin")


def test_a_home_that_is_a_link_is_not_shown_as_one(user: UserHome, tmp_path: Path) -> None:
    user.program(".pyenv/shims/python3")
    alias = tmp_path / "alias"
    alias.symlink_to(user.path)
    found = find_toolchains({}, [f"{alias}/.pyenv/shims"], home=alias)
    assert found.visible == (alias / ".pyenv", user.path / ".pyenv")
    assert found.environment == {"PYENV_ROOT": str(alias / ".pyenv")}


def test_what_must_stay_hidden_stays_hidden(user: UserHome) -> None:
    user.program("projects/source/node_modules/.bin/eslint")
    user.program("projects/source/bin/tool")
    source = user.path / "projects/source"
    bins = ("projects/source/node_modules/.bin", "projects/source/bin")
    assert user.shown(*bins, never=(source,)) == []
    user.link(".local/bin/tool", source / "bin/tool")
    assert user.shown(".local/bin", never=(source,)) == ["~/.local/bin"]


def test_a_directory_that_holds_something_hidden_is_not_shown_whole(user: UserHome) -> None:
    user.program("apps/node/bin/node")
    (user.path / "apps/node/lib/node_modules").mkdir(parents=True)
    suite = user.path / "apps/node/suite"
    suite.mkdir()
    assert user.shown("apps/node/bin", never=(suite,)) == ["~/apps/node/bin"]


def test_a_hidden_directory_cannot_be_reached_through_a_link(user: UserHome, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    user.link(".pyenv/shims/x", store)
    user.link("tools/bin", store)
    assert user.shown("tools/bin", never=(store,)) == []


def test_certificates_and_chosen_toolchains_are_shown(user: UserHome, tmp_path: Path) -> None:
    bundle = tmp_path / "certs" / "bundle.pem"
    bundle.parent.mkdir()
    bundle.write_text("x")
    java = tmp_path / "jdk"
    java.mkdir()
    parent = {
        "SSL_CERT_FILE": str(bundle),
        "PIP_CERT": str(tmp_path / "missing"),
        "JAVA_HOME": str(java),
        "GOROOT": "go",
    }
    found = user.find(parent=parent)
    assert found.visible == (bundle, java)
    assert found.environment == {"JAVA_HOME": str(java)}


def test_missing_directories_and_broken_links_are_passed_over(user: UserHome) -> None:
    user.link("bin/gone", user.path / "nowhere")
    user.link("bin/loop", user.path / "bin/loop")
    user.program("bin/binary").write_bytes(b"\x7fELF\xff\xfe")
    assert user.shown("bin", "missing") == ["~/bin"]


def test_the_same_machine_gives_the_same_answer(user: UserHome) -> None:
    for number in range(20):
        user.link(f"bin/t{number}", user.program(f"apps/a{number}/run"))
    first = user.find("bin")
    assert first == user.find("bin")
    assert list(first.visible) == sorted(first.visible)


def run_in_sandbox(found: Toolchains, path: str, *command: str) -> subprocess.CompletedProcess[str]:
    arguments = ["bwrap", "--unshare-user", "--unshare-pid", "--die-with-parent", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "lib", "lib64"):
        if os.path.islink(f"/{name}"):
            arguments += ["--symlink", f"usr/{name}", f"/{name}"]
    arguments += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/home/agent"]
    for each in found.visible:
        arguments += ["--ro-bind", str(each), str(each)]
    environment = {"PATH": path, "HOME": "/home/agent", **found.environment}
    return subprocess.run(
        [*arguments, "--", *command], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.sandbox
def test_in_a_sandbox_the_programs_run_and_the_rest_of_home_is_gone(user: UserHome) -> None:
    user.program(".local/share/uv/python/cpython-3.12.1/bin/python3.12", '#!/bin/sh\necho "python of $1"\n')
    user.link(".local/share/uv/python/cpython-3.12", "cpython-3.12.1")
    user.link(".local/share/uv/tools/app/bin/python", "../../../python/cpython-3.12/bin/python3.12")
    (user.path / ".local/share/uv/tools/app/pyvenv.cfg").write_text("")
    user.program(".local/share/uv/tools/app/bin/app", f"#!{user.path}/.local/share/uv/tools/app/bin/python\n")
    user.link(".local/bin/app", "../share/uv/tools/app/bin/app")
    user.program(".nvm/versions/node/v1/lib/node_modules/npm/cli.js", "#!/bin/sh\necho npm\n")
    user.link(".nvm/versions/node/v1/bin/npm", "../lib/node_modules/npm/cli.js")
    (user.path / ".secret").write_text("x")
    found = user.find(".local/bin", ".nvm/versions/node/v1/bin")
    path = f"{user.path}/.local/bin:{user.path}/.nvm/versions/node/v1/bin:/usr/bin:/bin"
    ran = run_in_sandbox(
        found, path, "/bin/sh", "-c", f"app; npm; ls -A {user.path}; touch {user.path}/.local/bin/x"
    )
    assert ran.stdout == f"python of {user.path}/.local/bin/app\nnpm\n.local\n.nvm\n"
    assert "Read-only file system" in ran.stderr


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("name", "option"),
    [("python3", "--version"), ("cargo", "--version"), ("node", "--version"), ("git", "--version")],
)
def test_in_a_sandbox_the_programs_of_this_machine_run(name: str, option: str) -> None:
    home = Path(os.path.expanduser(f"~{os.environ.get('SUDO_USER', '')}") if os.getuid() else "/root")
    path = clean_path({"PATH": os.environ["PATH"]})
    if shutil.which(name, path=os.pathsep.join(path)) is None:
        pytest.skip(f"{name} is not installed")
    found = find_toolchains({}, path, home=home)
    ran = run_in_sandbox(found, ":".join(path), name, option)
    assert ran.returncode == 0, ran.stderr
