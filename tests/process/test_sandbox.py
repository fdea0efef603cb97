"""What a program in the sandbox can and cannot see and do."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.machine import python_environment
from support.supervised_driver import SYSTEM_PYTHON
from support.supervising import PATH, Rig

from bakeoff.process.supervise import Command, EndReason, InnerPaths, View

pytestmark = pytest.mark.sandbox


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """A directory outside of /tmp, where everybody may write."""
    directory = Path(tempfile.mkdtemp(prefix="bakeoff-test-", dir="/var/tmp"))
    directory.chmod(0o777)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def memory_directory() -> Iterator[Path]:
    """A directory at a path that means nothing special in the sandbox."""
    directory = Path(tempfile.mkdtemp(prefix="bakeoff-test-", dir="/dev/shm"))
    yield directory
    shutil.rmtree(directory)


def output_of(sandbox: Rig, script: str, view: View | None = None) -> str:
    """What a script writes that must succeed."""
    command = sandbox.command("/bin/sh", "-c", script)
    end = sandbox.run(command, view=view)
    text = command.stdout.read_text()
    assert (end.reason, end.exit_code) == (EndReason.EXITED, 0), (end, text)
    return text


def test_all_protections_are_in_force(sandbox: Rig) -> None:
    assert sandbox.supervisor.name == "bubblewrap"
    assert all(sandbox.supervisor.protections.values())
    assert len(sandbox.supervisor.protections) == 7


def test_the_three_directories_have_fixed_paths_and_are_written_for_real(sandbox: Rig) -> None:
    assert sandbox.supervisor.inner_paths(sandbox.view) == InnerPaths(
        workspace="/workspace", home="/home/agent", tmp="/tmp"
    )
    output_of(sandbox, "pwd > a; echo h > /home/agent/b; echo t > /tmp/c; echo v > /var/tmp/d")
    assert (sandbox.view.workspace / "a").read_text() == "/workspace\n"
    assert (sandbox.view.home / "b").read_text() == "h\n"
    assert (sandbox.view.tmp / "c").read_text() == "t\n"
    assert (sandbox.view.tmp / "d").read_text() == "v\n"


def test_nothing_else_can_be_written(sandbox: Rig) -> None:
    script = (
        "for place in / /etc /usr /usr/bin /home /run /var /bin /etc/ssl; do"
        ' if touch "$place/witness" 2>/dev/null; then echo "$place"; fi; done'
    )
    assert output_of(sandbox, script) == ""


def test_the_kernel_cannot_be_set_from_inside(sandbox: Rig) -> None:
    script = (
        "find /proc/sys /proc/sysrq-trigger -type f -writable 2>/dev/null;"
        "unshare -Urm sh -c 'umount /proc/sys; mount -o remount,rw,bind /proc/sys;"
        " find /proc/sys/kernel -type f -name core_pattern -writable' 2>/dev/null; true"
    )
    if os.geteuid() == 0:
        assert output_of(sandbox, script) == ""
    else:
        assert "core_pattern" not in output_of(sandbox, script)


def test_users_and_names_are_made_up(sandbox: Rig) -> None:
    assert output_of(sandbox, "id -u; id -un; id -gn; uname -n").split() == [
        "1000",
        "agent",
        "agent",
        "localhost",
    ]
    listed = output_of(sandbox, "cut -d: -f1 /etc/passwd").split()
    assert listed == ["root", "agent", "nobody"]
    assert (
        output_of(sandbox, "ls /etc/shadow /etc/gitconfig /etc/machine-id /etc/ssl/private 2>/dev/null; true")
        == ""
    )


def test_links_of_the_system_are_as_on_the_host(sandbox: Rig) -> None:
    for name in ("/bin", "/sbin", "/lib", "/lib64"):
        if os.path.islink(name):
            assert output_of(sandbox, f"readlink {name}").strip() == os.readlink(name)


def test_certificates_and_the_time_zone_are_there(sandbox: Rig) -> None:
    if os.path.exists("/etc/ssl/certs/ca-certificates.crt"):
        inside = output_of(sandbox, "wc -c < /etc/ssl/certs/ca-certificates.crt")
        assert int(inside) == os.path.getsize("/etc/ssl/certs/ca-certificates.crt")
    if os.path.islink("/etc/localtime"):
        assert output_of(sandbox, "readlink -f /etc/localtime").strip() == os.path.realpath("/etc/localtime")


def test_other_processes_and_their_memory_are_not_there(sandbox: Rig) -> None:
    pids = output_of(sandbox, "ls /proc | grep -E '^[0-9]+$'").split()
    assert len(pids) <= 5
    assert output_of(sandbox, f"kill -0 {os.getpid()} 2>/dev/null || echo unseen") == "unseen\n"
    for kind in ("pid", "ipc", "uts", "mnt", "user"):
        inside = output_of(sandbox, f"readlink /proc/self/ns/{kind}").strip()
        assert inside != os.readlink(f"/proc/self/ns/{kind}")


def test_there_are_no_capabilities_and_none_to_gain(sandbox: Rig) -> None:
    status = output_of(sandbox, "cat /proc/self/status")
    assert set(re.findall(r"Cap(?:Eff|Prm|Bnd):\s*(\w+)", status)) == {"0" * 16}
    assert re.search(r"NoNewPrivs:\s*1", status)


def test_the_network_is_the_hosts(sandbox: Rig) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        heard: list[bytes] = []

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                heard.append(connection.recv(100))

        thread = threading.Thread(target=answer)
        thread.start()
        script = f"import socket; socket.create_connection(('localhost', {port}), 10).sendall(b'hello')"
        end, text = sandbox.python(script)
        assert end.exit_code == 0, text
        thread.join(60)
    assert heard == [b"hello"]


def test_the_host_is_not_visible(sandbox: Rig, tmp_path: Path, home: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("token")
    for path in (secret, home, Path(__file__), Path("/var/lib"), Path("/srv")):
        assert output_of(sandbox, f"ls -d {path} 2>/dev/null; true") == ""


def test_what_is_named_is_visible_and_only_some_of_it_writable(sandbox: Rig, open_directory: Path) -> None:
    place = open_directory
    (place / "tools").mkdir()
    (place / "tools" / "tool").write_text("tool\n")
    (place / "shared").mkdir()
    (place / "elsewhere").mkdir()
    view = dataclasses.replace(
        sandbox.view,
        read_only=(place / "tools", place / "missing"),
        read_write=(place / "shared",),
        mounts={place / "elsewhere": ("/opt/given", False), place / "tools" / "tool": ("/opt/one", True)},
    )
    script = (
        f"cat {place}/tools/tool /opt/one; echo no > {place}/tools/tool || echo refused;"
        f"echo yes > {place}/shared/made; touch /opt/given/x || echo refused; ls {place}"
    )
    text = output_of(sandbox, f"({script}) 2>/dev/null", view)
    assert text.split() == ["tool", "tool", "refused", "refused", "shared", "tools"]
    assert (place / "shared" / "made").read_text() == "yes\n"


def test_hidden_things_are_covered_wherever_they_would_show(sandbox: Rig) -> None:
    workspace, home = sandbox.view.workspace, sandbox.view.home
    (workspace / "seen").mkdir()
    (workspace / "seen" / "answers").mkdir()
    (workspace / "seen" / "answers" / "right").write_text("42")
    (workspace / "seen" / "key").write_text("secret")
    (workspace / "seen" / "open").write_text("open\n")
    (home / "alias").symlink_to(workspace / "seen" / "key")
    hidden = (workspace / "seen" / "answers", home / "alias", workspace / "not-there")
    view = dataclasses.replace(sandbox.view, hidden=hidden, mounts={workspace / "seen": ("/mnt/again", True)})
    script = (
        "for top in /workspace/seen /mnt/again; do ls $top; ls -A $top/answers; cat $top/key $top/open; done"
    )
    assert output_of(sandbox, script, view).split() == ["answers", "key", "open", "open"] * 2
    assert (
        output_of(sandbox, "touch /workspace/seen/answers/x 2>/dev/null || echo refused", view) == "refused\n"
    )
    assert (workspace / "seen" / "answers" / "right").read_text() == "42"


def test_a_visible_place_below_a_hidden_one_is_visible(sandbox: Rig, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "venv" / "bin").mkdir(parents=True)
    (project / "venv" / "bin" / "tool").write_text("tool\n")
    (project / "suite").write_text("secret")
    view = dataclasses.replace(
        sandbox.view, read_only=(project.parent, project / "venv"), hidden=(project, tmp_path / "run-1")
    )
    text = output_of(sandbox, f"ls -A {project}; cat {project}/venv/bin/tool", view)
    assert text.split() == ["venv", "tool"]


def test_something_cannot_be_hidden_and_given_for_writing(sandbox: Rig) -> None:
    view = dataclasses.replace(sandbox.view, hidden=(sandbox.view.home,))
    with pytest.raises(ValueError, match="hidden"):
        sandbox.run(sandbox.command("/bin/true"), view=view)


def test_a_linked_program_runs_and_its_link_stays_one(sandbox: Rig, memory_directory: Path) -> None:
    place = memory_directory
    (place / "versions" / "1").mkdir(parents=True)
    tool = place / "versions" / "1" / "tool"
    tool.write_text('#!/bin/sh\nreadlink -f "$0"\n')
    tool.chmod(0o755)
    (place / "bin").mkdir()
    (place / "bin" / "tool").symlink_to("../versions/1/tool")
    view = dataclasses.replace(sandbox.view, read_only=(place / "bin" / "tool",))
    assert output_of(sandbox, f"{place}/bin/tool", view) == f"{tool}\n"


def test_a_source_that_is_not_there_is_told(sandbox: Rig, tmp_path: Path) -> None:
    view = dataclasses.replace(sandbox.view, read_write=(tmp_path / "nowhere",))
    end = sandbox.run(sandbox.command("/bin/true"), view=view)
    assert end.reason is EndReason.NOT_STARTED
    assert end.error is not None
    assert "nowhere" in end.error


def test_nested_sandboxes_work(sandbox: Rig) -> None:
    """Agents bring their own: Codex runs each of its commands in one."""
    script = "bwrap --unshare-user --unshare-pid --ro-bind / / --dev /dev sh -c 'echo nested; id -u'"
    assert output_of(sandbox, script).split()[0] == "nested"


def test_it_works_for_an_ordinary_user(open_directory: Path) -> None:
    if os.geteuid() != 0 or not os.access(SYSTEM_PYTHON, os.X_OK):
        pytest.skip("only root can become somebody else, and needs a Python that everybody can run")
    # The checkout may lie where only root can read it.
    package = Path(sys.modules["bakeoff"].__file__ or "").parent
    shutil.copytree(package, open_directory / "code" / "bakeoff")
    shutil.copytree(Path(__file__).parents[1] / "support", open_directory / "code" / "support")
    trial = open_directory / "trial"
    trial.mkdir()
    trial.chmod(0o777)
    script = "touch /workspace/made; setsid sleep 319 & test $(id -u) = 1000 && exit 3"
    end = subprocess.run(
        [
            sys.executable,
            "-m",
            "support.supervised_driver",
            "bubblewrap",
            str(trial),
            "mark",
            script,
            "65534",
        ],
        env=python_environment() | {"PYTHONPATH": str(open_directory / "code"), "TMPDIR": "/var/tmp"},
        capture_output=True,
        text=True,
        cwd="/",
        check=False,
    )
    assert end.stdout.split()[1:] == ["exited", "3", "1", "None"], end.stdout + end.stderr
    assert (trial / "workspace" / "made").stat().st_uid == 65534


def test_a_command_line_of_many_mounts_is_no_problem(sandbox: Rig, tmp_path: Path) -> None:
    many = tmp_path / "many"
    for number in range(60):
        (many / str(number)).mkdir(parents=True)
    view = dataclasses.replace(sandbox.view, read_only=tuple(many / str(number) for number in range(60)))
    command = Command(
        argv=("/bin/sh", "-c", f"ls {many} | wc -l"),
        env={"PATH": PATH},
        cwd="/workspace",
        stdout=tmp_path / "counted",
    )
    assert sandbox.run(command, view=view).exit_code == 0
    assert (tmp_path / "counted").read_text().strip() == "60"
