"""The command line of bwrap, without running it."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from bakeoff.process.bubblewrap import bubblewrap_arguments
from bakeoff.process.supervise import View
from bakeoff.process.system_layout import SystemLayout

LAYOUT = SystemLayout(
    links=(("/bin", "usr/bin"),),
    read_only=(("/usr", "/usr"), ("/some/certs", "/etc/ssl/certs")),
    etc="/private/etc",
    empty_file="/private/empty",
    covered=("/proc/sys",),
)


@pytest.fixture
def view(tmp_path: Path) -> View:
    for name in ("w", "h", "t"):
        (tmp_path / name).mkdir()
    return View(workspace=tmp_path / "w", home=tmp_path / "h", tmp=tmp_path / "t")


def operations(view: View, layout: SystemLayout = LAYOUT) -> list[tuple[str, ...]]:
    """The arguments, in order, each option together with its values."""
    arguments = [os.fsdecode(argument) for argument in bubblewrap_arguments(view, cwd="/w", layout=layout)]
    found: list[tuple[str, ...]] = []
    for argument in arguments:
        if argument.startswith("--"):
            found.append((argument,))
        else:
            found[-1] = (*found[-1], argument)
    return found


def test_the_sandbox_is_closed_and_dies_with_its_parent(view: View) -> None:
    given = operations(view)
    for option in (
        ("--unshare-user",),
        ("--uid", "1000"),
        ("--gid", "1000"),
        ("--unshare-pid",),
        ("--unshare-ipc",),
        ("--unshare-uts",),
        ("--unshare-cgroup-try",),
        ("--die-with-parent",),
        ("--new-session",),
        ("--cap-drop", "ALL"),
    ):
        assert option in given
    assert ("--unshare-net",) not in given
    assert given[-1] == ("--chdir", "/w")
    assert given[-2] == ("--remount-ro", "/")


def test_fixed_places_system_and_covers(view: View) -> None:
    given = operations(view)
    for option in (
        ("--bind", str(view.workspace), "/workspace"),
        ("--bind", str(view.home), "/home/agent"),
        ("--bind", str(view.tmp), "/tmp"),
        ("--bind", str(view.tmp), "/var/tmp"),
        ("--ro-bind", "/usr", "/usr"),
        ("--symlink", "usr/bin", "/bin"),
        ("--bind", "/private/etc", "/etc"),
        ("--ro-bind", "/some/certs", "/etc/ssl/certs"),
        ("--remount-ro", "/etc"),
    ):
        assert option in given
    assert given.index(("--proc", "/proc")) < given.index(("--ro-bind", "/proc/sys", "/proc/sys"))
    assert given.index(("--bind", "/private/etc", "/etc")) < given.index(
        ("--ro-bind", "/some/certs", "/etc/ssl/certs")
    )


def test_parents_come_before_what_lies_in_them(view: View, tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    given = operations(
        dataclasses.replace(
            view, read_write=(deep,), read_only=(tmp_path / "a",), hidden=(tmp_path / "a" / "b",)
        )
    )
    places = [option[-1] for option in given if option[0] in ("--bind", "--ro-bind", "--tmpfs")]
    order = [places.index(str(path)) for path in (tmp_path / "a", tmp_path / "a" / "b", deep)]
    assert order == sorted(order)
    assert ("--tmpfs", str(tmp_path / "a" / "b")) in given
    assert ("--remount-ro", str(tmp_path / "a" / "b")) in given


def test_what_the_system_shows_already_is_not_mounted_again(view: View) -> None:
    given = operations(dataclasses.replace(view, read_only=(Path("/usr/bin"), Path("/nowhere/at/all"))))
    assert not [option for option in given if "/usr/bin" in option or "/nowhere/at/all" in option]


@pytest.mark.skipif(not os.path.islink("/bin"), reason="this system keeps /bin apart from /usr")
def test_what_lies_behind_a_link_of_the_system_is_mounted_at_its_real_place(view: View) -> None:
    given = operations(dataclasses.replace(view, read_write=(Path("/bin/sh"),)))
    mounted = [option[-1] for option in given if option[0] == "--bind"]
    assert os.path.realpath("/bin/sh") in mounted
    assert "/bin/sh" not in mounted


def test_a_hidden_file_becomes_empty_and_a_missing_one_is_nothing(view: View) -> None:
    (view.workspace / "key").write_text("secret")
    hidden = (view.workspace / "key", view.workspace / "missing")
    given = operations(dataclasses.replace(view, hidden=hidden))
    assert ("--ro-bind", "/private/empty", "/workspace/key") in given
    assert not [option for option in given if "/workspace/missing" in option]


def test_hiding_the_read_only_wins(view: View, tmp_path: Path) -> None:
    (tmp_path / "venv").mkdir()
    given = operations(dataclasses.replace(view, read_only=(tmp_path / "venv",), hidden=(tmp_path / "venv",)))
    shown = given.index(("--ro-bind", str(tmp_path / "venv"), str(tmp_path / "venv")))
    assert given.index(("--tmpfs", str(tmp_path / "venv"))) > shown


def test_paths_that_are_no_text_pass(view: View, tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    odd.mkdir()
    arguments = bubblewrap_arguments(dataclasses.replace(view, read_write=(odd,)), cwd="/w", layout=LAYOUT)
    assert os.fsencode(odd) in arguments
