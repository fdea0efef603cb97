"""Which parts of a system a sandbox shows, on made-up systems."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bakeoff.process.private_etc import make_private_etc
from bakeoff.process.system_layout import read_system_layout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small system of the kind that has merged /bin into /usr."""
    made = tmp_path / "system"
    for name in ("usr/bin", "usr/lib", "etc/ssl/certs", "etc/ssl/private", "etc/alternatives", "lib32"):
        (made / name).mkdir(parents=True)
    (made / "bin").symlink_to("usr/bin")
    (made / "lib").symlink_to("usr/lib")
    etc = made / "etc"
    (etc / "hosts").write_text("127.0.0.1 localhost\n")
    (etc / "passwd").write_text("operator:x:1:1::/:\n")
    (etc / "shadow").write_text("secret")
    (etc / "ssl" / "private" / "key.pem").write_text("secret")
    (etc / "ssl" / "certs" / "ca.pem").write_text("certificate")
    (etc / "localtime").symlink_to("/usr/share/zoneinfo/UTC")
    for number in range(100):
        (etc / "alternatives" / f"tool{number}").symlink_to(f"/usr/bin/tool{number}")
    return made


def test_links_of_the_system_are_told_apart_from_directories(root: Path, tmp_path: Path) -> None:
    layout = read_system_layout(tmp_path / "scratch", root)
    assert layout.links == (("/bin", "usr/bin"), ("/lib", "usr/lib"))
    assert (str(root / "usr"), "/usr") in layout.read_only
    assert (str(root / "lib32"), "/lib32") in layout.read_only
    assert (str(root / "etc" / "alternatives"), "/etc/alternatives") in layout.read_only
    assert Path(layout.empty_file).read_bytes() == b""
    assert all(path.startswith("/proc/") for path in layout.covered)
    assert bool(layout.covered) == (os.geteuid() == 0)


def test_only_the_public_part_of_etc_is_copied(root: Path, tmp_path: Path) -> None:
    etc = tmp_path / "private"
    large = make_private_etc(etc, root / "etc")
    assert large == (root / "etc" / "alternatives",)
    assert list((etc / "alternatives").iterdir()) == []
    assert (etc / "hosts").read_text() == "127.0.0.1 localhost\n"
    assert (etc / "ssl" / "certs" / "ca.pem").read_text() == "certificate"
    assert "operator" not in (etc / "passwd").read_text()
    assert not (etc / "shadow").exists()
    assert not (etc / "ssl" / "private").exists()


def test_links_into_the_system_stay_and_others_become_what_they_point_to(root: Path, tmp_path: Path) -> None:
    etc = root / "etc"
    (root / "run").mkdir()
    (root / "run" / "resolv.conf").write_text("nameserver 192.0.2.1\n")
    (etc / "resolv.conf").symlink_to("../run/resolv.conf")
    (etc / "ssl" / "certs" / "0123.0").symlink_to("ca.pem")
    (etc / "mime.types").symlink_to("nowhere")
    private = tmp_path / "private"
    make_private_etc(private, etc)
    if Path("/usr/share/zoneinfo/UTC").exists():
        assert os.readlink(private / "localtime") == "/usr/share/zoneinfo/UTC"
    assert not (private / "resolv.conf").is_symlink()
    assert (private / "resolv.conf").read_text() == "nameserver 192.0.2.1\n"
    assert os.readlink(private / "ssl" / "certs" / "0123.0") == "ca.pem"
    assert not (private / "mime.types").is_symlink()


def test_what_not_everybody_may_read_is_left_out(root: Path, tmp_path: Path) -> None:
    php = root / "etc" / "php"
    php.mkdir()
    (php / "open.ini").write_text("open")
    (php / "closed.ini").write_text("password")
    (php / "closed.ini").chmod(0o600)
    make_private_etc(tmp_path / "private", root / "etc")
    assert [path.name for path in (tmp_path / "private" / "php").iterdir()] == ["open.ini"]
