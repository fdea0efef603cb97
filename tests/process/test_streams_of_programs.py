"""What programs read, write and inherit."""

from __future__ import annotations

import os
import time

import pytest
from support.supervising import PYTHON, Rig

from bakeoff.errors import HostFailed
from bakeoff.process.supervise import EndReason


def test_error_goes_where_output_goes_in_the_order_written(rig: Rig) -> None:
    script = "".join(f"echo out{n}; echo err{n} >&2;" for n in range(50))
    _, output = rig.shell(script)
    assert output == b"".join(b"out%d\nerr%d\n" % (n, n) for n in range(50))


def test_error_can_have_a_file_of_its_own(rig: Rig) -> None:
    command = rig.command("/bin/sh", "-c", "echo out; echo err >&2", separate=True)
    assert rig.run(command).exit_code == 0
    assert command.stderr is not None
    assert (command.stdout.read_bytes(), command.stderr.read_bytes()) == (b"out\n", b"err\n")


def test_output_beyond_the_cap_is_counted_and_blocks_nobody(rig: Rig) -> None:
    script = "head -c 100000 /dev/zero; head -c 70000 /dev/zero >&2; echo end >&2"
    command = rig.command("/bin/sh", "-c", script, separate=True, output_cap=60_000)
    end = rig.run(command)
    assert (end.reason, end.exit_code) == (EndReason.EXITED, 0)
    assert command.stderr is not None
    assert (command.stdout.stat().st_size, command.stderr.stat().st_size) == (60_000, 60_000)
    assert end.dropped_bytes == 40_000 + 10_004


def test_an_exact_fit_drops_nothing(rig: Rig) -> None:
    command = rig.command("/bin/sh", "-c", "head -c 1000 /dev/zero", output_cap=1000)
    assert rig.run(command).dropped_bytes == 0
    assert command.stdout.stat().st_size == 1000


def test_a_hundred_megabytes_come_through(rig: Rig) -> None:
    command = rig.command("/bin/sh", "-c", "head -c 104857600 /dev/zero; echo .", output_cap=200_000_000)
    end = rig.run(command)
    assert (end.exit_code, end.dropped_bytes) == (0, 0)
    assert command.stdout.stat().st_size == 104857602
    command.stdout.unlink()


def test_endless_output_does_not_outlast_the_time_limit(rig: Rig) -> None:
    started = time.monotonic()
    command = rig.command("yes", timeout_s=2.0, output_cap=1000)
    end = rig.run(command)
    assert end.reason is EndReason.TIMEOUT
    assert end.dropped_bytes > 1000
    assert time.monotonic() - started < 40


def test_a_full_disk_is_the_fault_of_the_host(rig: Rig) -> None:
    command = rig.command("/bin/sh", "-c", "echo lost; sleep 307")
    command.stdout.symlink_to("/dev/full")
    end = rig.run(command)
    assert end.reason is EndReason.LOST
    assert end.error is not None
    assert "No space left" in end.error


def test_what_was_recorded_cannot_be_rewritten_by_the_program(rig: Rig) -> None:
    _, output = rig.shell("echo first; : > /proc/self/fd/1; truncate -s 0 /proc/self/fd/1; echo second")
    assert output.startswith(b"first\n")
    assert output.endswith(b"second\n")


def test_input_comes_from_a_file_however_large(rig: Rig) -> None:
    data = os.urandom(3_000_000)
    command = rig.command("cat", stdin=data)
    assert rig.run(command).exit_code == 0
    assert command.stdout.read_bytes() == data


def test_input_that_nobody_reads_does_no_harm(rig: Rig) -> None:
    command = rig.command("/bin/sh", "-c", "exec <&-; sleep 0.2; echo on", stdin=b"x" * 500_000)
    assert rig.run(command).exit_code == 0
    assert command.stdout.read_bytes() == b"on\n"


def test_input_is_empty_unless_given(rig: Rig) -> None:
    end, output = rig.shell("wc -c", timeout_s=10)
    assert (end.exit_code, output.strip()) == (0, b"0")
    empty = rig.command("wc", "-c", stdin=b"")
    assert rig.run(empty).exit_code == 0
    assert empty.stdout.read_bytes().strip() == b"0"


def test_files_that_cannot_be_opened_are_the_fault_of_the_host(rig: Rig) -> None:
    command = rig.command("/bin/true", stdin=b"")
    assert command.stdin is not None
    command.stdin.unlink()
    with pytest.raises(HostFailed, match="stdin"):
        rig.run(command)


def test_arguments_and_variables_are_bytes(rig: Rig) -> None:
    odd = os.fsdecode(b"caf\xe9 \n\xff'\"")
    show = "import os, sys; print(os.fsencode(sys.argv[1]), os.environb[b'ODD'], os.environb[b'N\\xe4me'])"
    command = rig.command(
        PYTHON, "-I", "-S", "-c", show, odd, env={"ODD": odd, os.fsdecode(b"N\xe4me"): "value"}
    )
    assert rig.run(command).exit_code == 0
    assert command.stdout.read_text().strip() == f"{os.fsencode(odd)!r} {os.fsencode(odd)!r} b'value'"


def test_the_environment_is_the_one_given_and_may_be_large(rig: Rig) -> None:
    env = {f"LARGE_{number}": str(number % 10) * 3000 for number in range(100)}
    command = rig.command("/usr/bin/env", "-0", env=env)
    assert rig.run(command).exit_code == 0
    got = dict(item.split("=", 1) for item in command.stdout.read_text().split("\0") if item)
    # bwrap tells the working directory; nothing else comes in, least of all from Bakeoff's own.
    got.pop("PWD", None)
    assert got == dict(command.env)


def test_variables_for_the_loader_reach_the_program(rig: Rig) -> None:
    command = rig.command("/usr/bin/env", env={"LD_BIND_NOW": "1", "GLIBC_TUNABLES": ""})
    assert rig.run(command).exit_code == 0
    assert b"LD_BIND_NOW=1\n" in command.stdout.read_bytes()
    assert b"GLIBC_TUNABLES=\n" in command.stdout.read_bytes()


def test_nothing_is_inherited_but_three_streams(rig: Rig) -> None:
    show = "import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))"
    _, output = rig.python(show)
    # The fourth is the listing itself.
    assert output == b"[0, 1, 2, 3]\n"


_ORDINARY_SIGNALS = (1 << 31) - 1
"""The bits of the signals 1 to 31: what the C library keeps to itself lies above and cannot be reset."""


def test_no_signal_is_ignored_or_blocked_and_no_core_is_written(rig: Rig) -> None:
    _, output = rig.shell("grep -E '^Sig(Ign|Blk)' /proc/self/status; ulimit -c; umask")
    blocked_name, blocked, ignored_name, ignored, core, mask = output.split()
    assert (blocked_name, ignored_name) == (b"SigBlk:", b"SigIgn:")
    assert int(blocked, 16) & _ORDINARY_SIGNALS == 0
    assert int(ignored, 16) & _ORDINARY_SIGNALS == 0
    assert (core, mask) == (b"0", b"0022")
