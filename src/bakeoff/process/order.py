"""What Bakeoff asks of its zygote and its supervisor processes, as it travels between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bakeoff.process.wire import pack, unpack

RUN = b"run"
"""Asks the zygote for a supervisor; comes with its connection to Bakeoff and the files of the run."""

SWEEP = b"sweep"
"""Asks the zygote to end what lost supervisors left, and then to close what comes with this."""


class Order:
    """The program to run, its surroundings and its limits.

    Attributes:
        argv: program and arguments.
        env: the program's whole environment.
        cwd: its working directory.
        bubblewrap: the command line that makes the sandbox; empty for none. It sets `cwd` itself.
        bubblewrap_env: the environment that bwrap is started with and hands on to the program.
        timeout_s: wall-clock seconds.
        output_cap: bytes kept of each stream.
        streams: which files come with the order, in order: stdout, perhaps stderr, perhaps stdin.
    """

    def __init__(
        self,
        *,
        argv: Sequence[bytes],
        env: Mapping[bytes, bytes],
        cwd: bytes,
        bubblewrap: Sequence[bytes],
        bubblewrap_env: Mapping[bytes, bytes],
        timeout_s: float,
        output_cap: int,
        streams: Sequence[str],
    ) -> None:
        self.argv = list(argv)
        self.env = dict(env)
        self.cwd = cwd
        self.bubblewrap = list(bubblewrap)
        self.bubblewrap_env = dict(bubblewrap_env)
        self.timeout_s = timeout_s
        self.output_cap = output_cap
        self.streams = list(streams)

    def message(self) -> dict[str, object]:
        """The order in a form that a Channel carries."""
        return {
            "argv": [pack(item) for item in self.argv],
            "env": _packed_pairs(self.env),
            "cwd": pack(self.cwd),
            "bubblewrap": [pack(item) for item in self.bubblewrap],
            "bubblewrap_env": _packed_pairs(self.bubblewrap_env),
            "timeout_s": self.timeout_s,
            "output_cap": self.output_cap,
            "streams": self.streams,
        }


def read_order(message: Mapping[str, object]) -> Order:
    """The order that was made into this message."""
    return Order(
        argv=_list(message["argv"]),
        env=_pairs(message["env"]),
        cwd=unpack(str(message["cwd"])),
        bubblewrap=_list(message["bubblewrap"]),
        bubblewrap_env=_pairs(message["bubblewrap_env"]),
        timeout_s=float(str(message["timeout_s"])),
        output_cap=int(str(message["output_cap"])),
        streams=[item.decode() for item in _list(message["streams"])],
    )


def _packed_pairs(pairs: Mapping[bytes, bytes]) -> list[list[str]]:
    return [[pack(name), pack(text)] for name, text in pairs.items()]


def _list(value: object) -> list[bytes]:
    assert isinstance(value, list)
    return [unpack(item) for item in value]


def _pairs(value: object) -> dict[bytes, bytes]:
    assert isinstance(value, list)
    return {unpack(name): unpack(text) for name, text in value}
