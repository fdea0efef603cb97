"""Options from the command line, and logins that are lent to agents."""

import json
from pathlib import Path

import yaml
from support.bakeoff_run import Project, make_project

SECRET = "refresh-token-0123456789abcdef"


def test_an_option_is_laid_over_what_the_file_says(tmp_path):
    script = [{"write": "made.txt", "content": "by option\n"}]
    project = make_project(tmp_path)
    assert project.run("-o", f"script={json.dumps(script)}").code == 0
    assert project.final_files(project.record())[b"made.txt"] == b"by option\n"
    (tmp_path / "script.yaml").write_text(yaml.safe_dump([{"write": "made.txt", "content": "by file\n"}]))
    assert project.run("--option", "script=@script.yaml").code == 0
    assert project.final_files(project.record())[b"made.txt"] == b"by file\n"


def test_a_bad_option_is_refused_and_nothing_is_written(tmp_path):
    project = make_project(tmp_path)
    for setting, told in (
        ("scirpt=[]", "did you mean 'script'?"),
        ("script", "is not NAME=VALUE"),
        ("script=@nowhere.yaml", "nowhere.yaml"),
        ("behavior=slove", "solve"),
        ("script=[", "script"),
    ):
        answer = project.run("-o", setting)
        assert answer.code == 2, answer.story
        assert told in answer.err, answer.story
    assert not (tmp_path / ".bakeoff").exists()


def claude_like(root: Path) -> Project:
    """A project whose arm starts a stand-in for Claude Code that shows what it was lent."""
    program = root / "bin" / "claude"
    program.parent.mkdir(parents=True)
    result = {"type": "result", "subtype": "success", "is_error": False, "result": "done"}
    start = {"type": "system", "subtype": "init", "session_id": "s", "tools": []}
    program.write_text(
        "#!/bin/sh\n"
        'if [ "$1" = --version ]; then echo "2.1.332 (Claude Code)"; exit; fi\n'
        "cat >/dev/null\n"
        f"echo '{json.dumps(start)}'\n"
        'cp "$CLAUDE_CONFIG_DIR/.credentials.json" lent.json\n'
        'echo "${ANTHROPIC_API_KEY-no key} ${ANTHROPIC_BASE_URL-no address}" > seen.txt\n'
        "cat lent.json\n"
        f"echo '{json.dumps(result)}'\n"
    )
    program.chmod(0o755)
    arm = {"id": "agent", "runner": "claude", "executable": str(program), "flag_check": False}
    return make_project(root / "project", variants=[arm])


def test_a_login_is_lent_and_redacted_and_takes_the_place_of_the_key(tmp_path, home):
    project = claude_like(tmp_path)
    login = home / ".claude" / ".credentials.json"
    login.parent.mkdir()
    login.write_text(json.dumps({"oauth": {"refreshToken": SECRET}}))
    answer = project.run(
        "--auth",
        "login",
        "--sandbox",
        "process",
        ANTHROPIC_API_KEY="sk-ant-a-key-0123456789",
        ANTHROPIC_BASE_URL="http://127.0.0.1:9",
    )
    assert answer.code == 0, answer.story
    assert "can end your session" in answer.err
    files = project.final_files(project.record())
    assert json.loads(files[b"lent.json"]) == {"oauth": {"refreshToken": SECRET}}
    assert files[b"seen.txt"] == b"no key http://127.0.0.1:9\n"
    for path in project.layout.home.rglob("*"):
        if path.is_file() and "archive.git" not in path.parts:
            assert SECRET.encode() not in path.read_bytes(), path
    assert json.loads(login.read_text()) == {"oauth": {"refreshToken": SECRET}}


def test_without_a_login_nothing_is_started(tmp_path):
    project = claude_like(tmp_path)
    answer = project.run("--auth", "login")
    assert answer.code == 2, answer.story
    assert ".credentials.json" in answer.err
    assert not project.layout.home.exists()
