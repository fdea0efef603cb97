"""How a program ended is told exactly, whatever it leaves behind."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from support.supervising import PYTHON, Rig

from bakeoff.process.supervise import EndReason


@pytest.mark.parametrize("code", [0, 1, 42, 126, 127, 128, 255])
def test_exit_codes_are_told_as_they_are(rig: Rig, code: int) -> None:
    end, _ = rig.shell(f"exit {code}")
    assert (end.reason, end.exit_code, end.signal, end.error) == (EndReason.EXITED, code, None, None)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGHUP])
def test_a_deadly_signal_is_told_and_there_is_no_exit_code(rig: Rig, number: signal.Signals) -> None:
    end, _ = rig.shell(f"kill -{int(number)} $$; sleep 5")
    assert (end.reason, end.exit_code, end.signal) == (EndReason.EXITED, None, number)


def test_a_code_that_no_signal_has_is_a_code(rig: Rig) -> None:
    end, _ = rig.shell(f"exit {128 + signal.SIGCHLD}")
    assert (end.exit_code, end.signal) == (128 + signal.SIGCHLD, None)


_BURN = """
import os, sys, time
reading, writing = os.pipe()
if os.fork() == 0:
    while time.process_time() < 0.3:
        pass
    os.write(writing, b"burnt")
    time.sleep(float(sys.argv[2]))
    os._exit(0)
os.read(reading, 10)
time.sleep(0.2)
"""


@pytest.mark.parametrize("child_stays_s", [0, 60])
def test_duration_and_processor_time_of_the_whole_tree_are_measured(rig: Rig, child_stays_s: int) -> None:
    """Nobody waits for the child that takes the time: it is left an orphan, or is killed."""
    end, _ = rig.python(_BURN, str(child_stays_s))
    assert end.exit_code == 0
    assert end.cpu_s is not None
    assert 0.28 < end.cpu_s < 5.0
    assert 0.5 < end.duration_s < 30
    assert len(end.left_behind) == (1 if child_stays_s else 0)


def test_a_daemon_is_named_and_ended(rig: Rig) -> None:
    end, output = rig.shell(f"(setsid sh -c 'exec sleep 301 # {rig.mark}' &) ; echo said")
    assert (end.reason, end.exit_code, output) == (EndReason.EXITED, 0, b"said\n")
    assert any("sleep 301" in line for line in end.left_behind), end.left_behind


def test_quick_programs_with_daemons_are_always_followed_rightly(rig: Rig) -> None:
    for number in range(20):
        end, _ = rig.shell(f"setsid sleep 302 & exit {number}", timeout_s=20)
        assert (end.reason, end.exit_code, len(end.left_behind)) == (EndReason.EXITED, number, 1), end


def test_what_ends_by_itself_in_a_moment_is_not_left_behind_and_its_output_counts(rig: Rig) -> None:
    for _ in range(40):  # a busy machine may not get to the child within that moment
        end, output = rig.shell("(sleep 0.03; echo late) & echo early")
        assert end.exit_code == 0
        if not end.left_behind:
            break
    assert end.left_behind == ()
    assert output == b"early\nlate\n"


def test_a_child_that_holds_the_output_does_not_turn_success_into_a_timeout(rig: Rig) -> None:
    end, output = rig.shell("(trap '' TERM; sleep 303) & echo done; exit 0", timeout_s=30)
    assert (end.reason, end.exit_code, output) == (EndReason.EXITED, 0, b"done\n")
    assert end.duration_s < 25
    assert end.left_behind


def test_a_time_limit_ends_a_tree_that_ignores_the_polite_signal(rig: Rig) -> None:
    script = "trap '' TERM; (setsid sh -c \"trap '' TERM; sleep 304\" &); while :; do sleep 1; done"
    started = time.monotonic()
    end, _ = rig.shell(script, timeout_s=0.5)
    assert (end.reason, end.exit_code, end.signal) == (EndReason.TIMEOUT, None, signal.SIGKILL)
    assert time.monotonic() - started < 40


def test_a_program_that_exits_when_told_has_timed_out_all_the_same_and_its_last_words_are_kept(
    rig: Rig,
) -> None:
    end, output = rig.shell("trap 'echo flushed; exit 0' TERM; sleep 305 & wait", timeout_s=2.0)
    assert (end.reason, end.exit_code, output) == (EndReason.TIMEOUT, 0, b"flushed\n")
    assert end.duration_s < 20


def test_stopped_processes_are_ended_too(rig: Rig) -> None:
    end, _ = rig.shell("(kill -STOP $(exec sh -c 'echo $PPID'); sleep 306) & sleep 0.2; exit 4")
    assert (end.reason, end.exit_code) == (EndReason.EXITED, 4)
    end, _ = rig.shell("kill -STOP $$", timeout_s=0.4)
    assert (end.reason, end.signal) == (EndReason.TIMEOUT, signal.SIGTERM)


# Each process starts the next in a session of its own and goes; an end is built in for safety.
_CHAIN = """
import os, sys, time
until = time.monotonic() + 100
os.write(1, b"on\\n")
while time.monotonic() < until:
    if os.fork():
        os._exit(0)
    os.setsid()
"""


def test_an_endless_chain_of_processes_is_caught(rig: Rig) -> None:
    started = time.monotonic()
    end, output = rig.python(_CHAIN, timeout_s=90)
    assert (end.reason, end.exit_code, output[:3]) == (EndReason.EXITED, 0, b"on\n")
    assert time.monotonic() - started < 60


_BOMB = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(300):
    if os.fork() == 0:
        os.setsid()
        time.sleep(25)
        os._exit(0)
print("armed", flush=True)
time.sleep(float(sys.argv[2]))
"""


def test_hundreds_of_processes_are_counted_and_ended(rig: Rig) -> None:
    end, output = rig.python(_BOMB, "0", timeout_s=40)
    assert (end.reason, end.exit_code, output) == (EndReason.EXITED, 0, b"armed\n")
    assert len(end.left_behind) == 51
    assert end.left_behind[-1] == "(and 250 more)"


@pytest.mark.slow
def test_hundreds_of_deaf_processes_end_at_a_time_limit(rig: Rig) -> None:
    end, _ = rig.python(_BOMB, "30", timeout_s=3)
    assert end.reason is EndReason.TIMEOUT


def test_a_missing_program_is_not_started_and_named(rig: Rig) -> None:
    end = rig.run(rig.command("no-such-program", "x"))
    assert (end.reason, end.exit_code, end.signal, end.duration_s > 1) == (
        EndReason.NOT_STARTED,
        None,
        None,
        False,
    )
    assert end.error is not None
    assert "no-such-program" in end.error


def test_a_program_is_found_on_the_path_of_its_own_environment(rig: Rig) -> None:
    tool = Path(rig.view.workspace) / "bin" / "tool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho own\n")
    tool.chmod(0o755)
    command = rig.command("tool", env={"PATH": f"{rig.workspace}/bin:/usr/bin:/bin"})
    assert rig.run(command).exit_code == 0
    assert command.stdout.read_bytes() == b"own\n"


@pytest.mark.parametrize(
    ("mode", "text"),
    [(0o644, "#!/bin/sh\n"), (0o755, "#!/no/such/interpreter\n")],
)
def test_a_file_that_cannot_be_run_is_not_started(rig: Rig, mode: int, text: str) -> None:
    tool = Path(rig.view.workspace) / "tool"
    tool.write_text(text)
    tool.chmod(mode)
    end = rig.run(rig.command(f"{rig.workspace}/tool"))
    assert end.reason is EndReason.NOT_STARTED
    assert end.error is not None
    assert "tool" in end.error


@pytest.mark.parametrize("name", ["tool", "./bin/tool"])
def test_a_script_that_names_no_interpreter_is_run_by_the_shell(rig: Rig, name: str) -> None:
    tool = Path(rig.view.workspace) / "bin" / "tool"
    tool.parent.mkdir()
    tool.write_text('echo "got $1"\n')
    tool.chmod(0o755)
    command = rig.command(name, "it", env={"PATH": f"{rig.workspace}/bin:/usr/bin:/bin"})
    assert rig.run(command).exit_code == 0
    assert command.stdout.read_bytes() == b"got it\n"


def test_a_missing_working_directory_is_not_started_and_named(rig: Rig) -> None:
    end = rig.run(rig.command("/bin/true", cwd=f"{rig.workspace}/nowhere"))
    assert end.reason is EndReason.NOT_STARTED
    assert end.error is not None
    assert "nowhere" in end.error


@pytest.mark.parametrize(
    ("argv", "env", "word"),
    [
        ((), {}, "no program"),
        (("",), {}, "no program"),
        (("/bin/echo", "a\0b"), {}, "NUL"),
        (("/bin/echo", "\ud800"), {}, "character"),
        (("/bin/true",), {"A=B": "c"}, "A=B"),
        (("/bin/true",), {"": "c"}, "variable"),
        (("/bin/true",), {"A": "b\0"}, "NUL"),
    ],
)
def test_impossible_arguments_and_variables_are_refused(
    rig: Rig, argv: tuple[str, ...], env: dict[str, str], word: str
) -> None:
    end = rig.run(rig.command(*argv, env=env))
    assert end.reason is EndReason.NOT_STARTED
    assert end.error is not None
    assert word in end.error


def test_arguments_that_are_too_long_for_the_system_are_refused(rig: Rig) -> None:
    end = rig.run(rig.command("/bin/true", "x" * (130 * 1024)))
    assert end.reason is EndReason.NOT_STARTED
    assert end.error is not None


def test_the_exit_of_a_program_that_looks_like_a_failed_start_is_its_own(rig: Rig) -> None:
    end, _ = rig.shell("echo 'bwrap: execvp x: No such file or directory' >&2; exit 1")
    assert (end.reason, end.exit_code) == (EndReason.EXITED, 1)


def test_python_is_there(rig: Rig) -> None:
    end, output = rig.python("import sys; print(sys.executable)")
    assert (end.exit_code, output.decode().strip()) == (0, PYTHON)
