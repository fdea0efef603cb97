"""Artifacts: whole or not at all, redacted, never through a link, for the owner alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

import pytest
from support.homes import a_layout

from bakeoff.store.artifacts import STREAM, Artifact, Artifacts, open_artifact, remove_orphans
from bakeoff.store.layout import Layout

SECRET = b"sk-very-secret"


def hide(data: bytes) -> bytes:
    return data.replace(SECRET, b"[redacted:KEY#1]")


def hide_file(source: BinaryIO, target: BinaryIO) -> None:
    target.write(hide(source.read()))


def refuse(_data: bytes) -> bytes:
    raise RuntimeError("the redactor failed")


def refuse_file(source: BinaryIO, target: BinaryIO) -> None:
    target.write(source.read(4))
    raise RuntimeError("the redactor failed")


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = a_layout(tmp_path)
    made.create()
    return made


@pytest.fixture
def artifacts(layout: Layout) -> Artifacts:
    return Artifacts(layout=layout, experiment="exp_1", trial="trial_1")


def test_what_is_written_is_read_back_redacted(artifacts: Artifacts, layout: Layout) -> None:
    path = artifacts.write(STREAM, b"key=" + SECRET + b"\n\xff\x00", redact=hide)
    assert artifacts.read(STREAM) == b"key=[redacted:KEY#1]\n\xff\x00"
    assert path == "exp_1/trial_1/stream"
    with open_artifact(layout, path) as file:
        assert file.read() == b"key=[redacted:KEY#1]\n\xff\x00"


def test_a_file_is_copied_through_the_redactor(artifacts: Artifacts, tmp_path: Path) -> None:
    source = tmp_path / "raw"
    source.write_bytes(b"a" + SECRET + b"b")
    artifacts.copy("session-1.jsonl", source, redact=hide_file)
    assert artifacts.read("session-1.jsonl") == b"a[redacted:KEY#1]b"
    assert source.read_bytes() == b"a" + SECRET + b"b"


def test_a_failing_redactor_leaves_what_was_there_and_nothing_else(
    artifacts: Artifacts, tmp_path: Path
) -> None:
    artifacts.write("stderr", b"first", redact=hide)
    source = tmp_path / "raw"
    source.write_bytes(SECRET)
    with pytest.raises(RuntimeError):
        artifacts.write("stderr", SECRET, redact=refuse)
    with pytest.raises(RuntimeError):
        artifacts.copy("stderr", source, redact=refuse_file)
    assert artifacts.read("stderr") == b"first"
    assert os.listdir(artifacts.folder) == ["stderr"]


def test_links_and_pipes_of_an_agent_are_not_opened(artifacts: Artifacts, tmp_path: Path) -> None:
    private = tmp_path / "id_rsa"
    private.write_bytes(b"private")
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(private)
    os.mkfifo(pipe)
    for source in (link, pipe, tmp_path):
        with pytest.raises(OSError):
            artifacts.copy("session", source, redact=hide_file)
    assert artifacts.list() == ()


def test_the_list_tells_names_and_sizes(artifacts: Artifacts) -> None:
    assert artifacts.list() == ()
    artifacts.write("b", b"12345", redact=hide)
    artifacts.write("a", b"", redact=hide)
    assert artifacts.list() == (Artifact(name="a", size=0), Artifact(name="b", size=5))


def test_files_and_folders_are_for_the_owner_alone(artifacts: Artifacts, layout: Layout) -> None:
    before = os.umask(0)
    try:
        artifacts.write("a", b"x", redact=hide)
    finally:
        os.umask(before)
    assert stat.S_IMODE((artifacts.folder / "a").stat().st_mode) == 0o600
    for folder in (artifacts.folder, artifacts.folder.parent, layout.artifacts):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("path", ["", "a", "a/b", "../../etc/passwd", "a/../b", "/etc/passwd/x", "a/b/c/d"])
def test_a_record_cannot_name_anything_outside_the_artifacts(path: str, layout: Layout) -> None:
    with pytest.raises(ValueError, match="not "):
        open_artifact(layout, path)


def test_a_missing_artifact_is_told_apart(artifacts: Artifacts) -> None:
    with pytest.raises(FileNotFoundError):
        artifacts.read("nothing")


def test_orphans_are_artifacts_without_a_record(layout: Layout) -> None:
    for trial in ("trial_1", "trial_2", "trial_3"):
        Artifacts(layout=layout, experiment="exp_1", trial=trial).write("a", b"x", redact=hide)
    Artifacts(layout=layout, experiment="exp_2", trial="trial_4").write("a", b"x", redact=hide)
    assert remove_orphans(layout, "exp_1", {"trial_2"}) == ("trial_1", "trial_3")
    assert os.listdir(layout.artifacts / "exp_1") == ["trial_2"]
    assert os.listdir(layout.artifacts / "exp_2") == ["trial_4"]
    assert remove_orphans(layout, "exp_3", ()) == ()
