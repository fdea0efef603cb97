"""A Bakeoff in small, to be killed: runs one shell script under a supervisor and says who is who.

Arguments: kind of supervisor, directory, mark, script, and perhaps the number of the user to
become, whose helpers then run in the system's own Python. Prints the zygote's process id, and
then, when the run is over, the reason of its end.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

from support.supervising import Rig, open_kind

from bakeoff.process.forked_supervisor import ForkedSupervisor

SYSTEM_PYTHON = "/usr/bin/python3"


def main() -> None:
    # What a shell starts in the background ignores this signal, and so does all that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    kind, directory, mark, script, *user = sys.argv[1:]
    if user:
        os.setgroups([])
        os.setgid(int(user[0]))
        os.setuid(int(user[0]))
        sys.executable = SYSTEM_PYTHON
    supervisor = open_kind(kind)
    assert isinstance(supervisor, ForkedSupervisor)
    rig = Rig(supervisor, Path(directory))
    rig.mark = mark
    print(supervisor.zygote_pid, flush=True)
    end = supervisor.run(
        rig.command("/bin/sh", "-c", script, timeout_s=40), rig.view, interrupt=threading.Event()
    )
    print(end.reason, end.exit_code, len(end.left_behind), end.error, flush=True)
    supervisor.close()


if __name__ == "__main__":
    main()
