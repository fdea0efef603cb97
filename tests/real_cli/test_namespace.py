"""The namespace runner tells truly how a program ended and what it left."""

import os
import subprocess
import sys
import time

import pytest
from support import leftovers, machine
from support.model_script import Turn, one_route
from support.namespace import MODEL_URL, run_offline

pytestmark = pytest.mark.real_cli

SCRIPT = one_route([Turn(text="hello")])
# With a locale of its own Python adds none to its environment.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}


def run_python(code, tmp_path, **options):
    argv = [sys.executable, "-c", code]
    return run_offline(argv, script=SCRIPT, env=ENVIRONMENT, cwd=tmp_path, **options)


def test_the_program_gets_its_environment_directory_and_input_and_nothing_else(tmp_path):
    code = "import os, sys; print(dict(os.environ), os.getcwd(), sys.stdin.read()); print('x', file=sys.stderr); sys.exit(3)"
    run = run_python(code, tmp_path, stdin=b"typed")
    assert run.exit_code == 3
    assert run.stdout.decode().split() == [
        *str(ENVIRONMENT).split(),
        str(tmp_path),
        "typed",
    ]
    assert run.stderr == b"x\n"


def test_the_model_is_reached_and_the_rest_of_the_world_is_not(tmp_path):
    code = f"""
import socket, urllib.request
print(urllib.request.urlopen("{MODEL_URL}/v1/messages", data=b'{{"tools": [{{"name": "x"}}]}}').status)
try:
    socket.create_connection(("192.0.2.1", 80), 1)
except OSError as error:
    print(error.strerror)
"""
    run = run_python(code, tmp_path)
    assert run.stdout.decode().splitlines() == ["200", "Network is unreachable"], run.story
    assert [(request.place, request.tools) for request in run.model_requests] == [("0.0", ("x",))]
    assert MODEL_URL not in run.story
    assert "POST /v1/messages -> 200 0.0" in run.story


def test_a_program_that_takes_too_long_is_ended_even_if_it_does_not_want_to(tmp_path):
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
    run = run_python(code, tmp_path, timeout_s=2)
    assert (run.timed_out, run.exit_code, run.stdout) == (True, -9, b"up\n")


def test_detached_children_are_named_and_ended(tmp_path):
    child = f"import time; open({str(tmp_path / 'up')!r}, 'w'); time.sleep(60)"
    code = f"""
import os, subprocess, sys, time
subprocess.Popen([sys.executable, "-c", {child!r}], start_new_session=True)
while not os.path.exists("up"):
    time.sleep(0.01)
"""
    run = run_python(code, tmp_path)
    assert run.exit_code == 0, run.story
    assert ["sleep(60)" in command for command in run.left_behind] == [True]
    assert leftovers.still_running("no such mark", tmp_path) == []


def test_everything_ends_when_the_test_run_dies(tmp_path):
    starter = f"""
from pathlib import Path
from support.model_script import Turn, one_route
from support.namespace import run_offline
code = "import time; open('up', 'w'); time.sleep(60)"
run_offline([{sys.executable!r}, "-c", code], script=one_route([Turn()]), env={{}}, cwd=Path({str(tmp_path)!r}))
"""
    environment = os.environ | machine.python_environment() | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", starter], env=environment) as process:
        while not (tmp_path / "up").exists():
            assert process.poll() is None
            time.sleep(0.02)
        process.kill()
    assert leftovers.wait_until_gone("no such mark", tmp_path, patience_s=5) == []
