"""Watchers see output while it grows, and can call for the end; so can an interrupt."""

from __future__ import annotations

import threading
import time

import pytest
from support.supervising import Rig, marked, wait_for_marked

from bakeoff.errors import HostFailed
from bakeoff.process.supervise import EndReason, ProcessEnd, Watch


class Recorder:
    """Collects what it is shown and answers by the text that it has seen."""

    def __init__(self, answers: dict[bytes, Watch] | None = None) -> None:
        self.seen = b""
        self._answers = answers or {}

    def __call__(self, piece: bytes) -> Watch:
        assert piece
        self.seen += piece
        answers = [answer for text, answer in self._answers.items() if text in self.seen]
        return answers[-1] if answers else Watch.GO_ON


def test_output_is_seen_while_the_program_runs_and_nothing_is_missed(rig: Rig) -> None:
    recorder = Recorder()
    wait = "while ! test -e $1; do sleep 0.05; done"
    script = f"one() {{ {wait}; }}; echo one; one seen-one; echo two; one seen-two; printf three"

    def watch(piece: bytes) -> Watch:
        # The program goes on only when what it wrote has been seen.
        answer = recorder(piece)
        for word in ("one", "two"):
            if word.encode() in recorder.seen:
                (rig.view.workspace / f"seen-{word}").touch()
        return answer

    command = rig.command("/bin/sh", "-c", script)
    end = rig.run(command, watcher=watch)
    assert (end.reason, end.exit_code) == (EndReason.EXITED, 0)
    assert recorder.seen == b"one\ntwo\nthree" == command.stdout.read_bytes()


def test_a_watcher_sees_all_of_a_large_output_of_a_quick_program(rig: Rig) -> None:
    recorder = Recorder()
    rig.run(rig.command("head", "-c", "5000000", "/dev/zero"), watcher=recorder)
    assert len(recorder.seen) == 5_000_000


def test_a_program_that_hangs_after_it_has_finished_is_stopped_after_a_grace(rig: Rig) -> None:
    recorder = Recorder({b"result": Watch.FINISHED})
    command = rig.command("/bin/sh", "-c", "trap 'echo bye; exit 0' TERM; echo result; sleep 308 & wait")
    end = rig.run(command, watcher=recorder, grace_s=0.6)
    assert (end.reason, end.exit_code) == (EndReason.STOPPED, 0)
    assert 0.5 < end.duration_s < 40
    assert recorder.seen == b"result\nbye\n"


def test_a_program_that_ends_within_the_grace_has_exited(rig: Rig) -> None:
    recorder = Recorder({b"result": Watch.FINISHED})
    end = rig.run(rig.command("/bin/sh", "-c", "echo result; sleep 0.3; exit 6"), watcher=recorder)
    assert (end.reason, end.exit_code) == (EndReason.EXITED, 6)


def test_a_finished_program_does_not_time_out(rig: Rig) -> None:
    recorder = Recorder({b"result": Watch.FINISHED})
    command = rig.command("/bin/sh", "-c", "echo result; sleep 309", timeout_s=1.0)
    end = rig.run(command, watcher=recorder, grace_s=30)
    assert end.reason is EndReason.STOPPED
    assert end.duration_s < 25


def test_stop_ends_at_once_even_during_a_grace(rig: Rig) -> None:
    recorder = Recorder({b"result": Watch.FINISHED, b"enough": Watch.STOP})
    command = rig.command("/bin/sh", "-c", "trap '' TERM; echo result; sleep 0.3; echo enough; sleep 310")
    started = time.monotonic()
    end = rig.run(command, watcher=recorder, grace_s=60)
    assert end.reason is EndReason.STOPPED
    assert time.monotonic() - started < 40


def test_what_a_watcher_raises_comes_out_when_the_tree_is_gone(rig: Rig) -> None:
    def watcher(piece: bytes) -> Watch:
        raise ArithmeticError(piece.decode())

    command = rig.command("/bin/sh", "-c", "trap '' TERM; (setsid sleep 311 &); echo bad; sleep 311")
    with pytest.raises(ArithmeticError, match="bad"):
        rig.supervisor.run(command, rig.view, interrupt=rig.interrupt, watcher=watcher)
    assert not marked(rig.mark)


def test_an_interrupt_ends_a_deaf_tree(rig: Rig) -> None:
    script = "trap '' TERM; (setsid sh -c \"trap '' TERM; sleep 312\" &); echo on; sleep 312; sleep 312"
    command = rig.command("/bin/sh", "-c", script)
    end = rig.run(command, watcher=rig.interrupting(b"on\n"))
    assert (end.reason, command.stdout.read_bytes()) == (EndReason.INTERRUPTED, b"on\n")
    assert time.monotonic() - rig.interrupted_at < 20


def test_an_interrupt_lets_a_program_say_its_last_words(rig: Rig) -> None:
    command = rig.command("/bin/sh", "-c", "trap 'echo flushed; exit 9' TERM; echo on; sleep 313 & wait")
    end = rig.run(command, watcher=rig.interrupting(b"on\n"))
    assert (end.reason, end.exit_code) == (EndReason.INTERRUPTED, 9)
    assert command.stdout.read_bytes() == b"on\nflushed\n"


def test_nothing_is_started_after_an_interrupt(rig: Rig) -> None:
    rig.interrupt.set()
    command = rig.command("/bin/sh", "-c", "echo started > witness")
    assert rig.run(command).reason is EndReason.INTERRUPTED
    assert not (rig.view.workspace / "witness").exists()


def test_closing_ends_what_runs_and_lets_nothing_more_in(rig: Rig) -> None:
    ends: list[ProcessEnd] = []
    threads = [
        threading.Thread(target=lambda: ends.append(rig.run(rig.command("/bin/sh", "-c", "sleep 314"))))
    ]
    for thread in threads:
        thread.start()
    assert wait_for_marked(rig.mark)
    rig.supervisor.close()
    for thread in threads:
        thread.join(60)
    assert [end.reason for end in ends] == [EndReason.INTERRUPTED]
    with pytest.raises(HostFailed, match="closed"):
        rig.run(rig.command("/bin/true"))


@pytest.mark.slow
def test_many_at_once_with_mixed_ends_leave_nothing(rig: Rig) -> None:
    scripts = {
        "exit 3": (EndReason.EXITED, 3),
        "setsid sleep 315 & exit 4": (EndReason.EXITED, 4),
        "trap '' TERM; sleep 315; sleep 315": (EndReason.TIMEOUT, None),
        "echo enough; sleep 315": (EndReason.STOPPED, None),
        "nosuch-command; exit 5": (EndReason.EXITED, 5),
        "kill -9 $$": (EndReason.EXITED, None),
        "head -c 3000000 /dev/zero": (EndReason.EXITED, 0),
        "(setsid sh -c \"trap '' TERM; sleep 315\" &); exec sleep 315": (EndReason.TIMEOUT, None),
    }
    jobs = list(scripts.items()) * 2
    results: list[tuple[EndReason, int | None]] = [(EndReason.LOST, None)] * len(jobs)

    def work(number: int) -> None:
        recorder = Recorder({b"enough": Watch.STOP})
        command = rig.command("/bin/sh", "-c", jobs[number][0], timeout_s=6)
        end = rig.supervisor.run(command, rig.view, interrupt=rig.interrupt, watcher=recorder)
        results[number] = (end.reason, end.exit_code)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected for _, expected in jobs]
    assert not marked(rig.mark)
