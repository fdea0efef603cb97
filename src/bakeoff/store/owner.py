"""Whether the process that runs an experiment is still there."""

from __future__ import annotations

import os
import socket

from bakeoff.model.experiment import ExperimentRecord, ExperimentStatus


def this_host() -> str:
    """The name that owners of experiments on this machine are recorded with."""
    return socket.gethostname()


def is_abandoned(record: ExperimentRecord) -> bool:
    """The experiment says that it is running, but its process on this machine is gone.

    False for an owner on another machine, of whom nothing can be known from here.
    """
    if record.status is not ExperimentStatus.RUNNING or record.owner_pid is None:
        return False
    return record.owner_host == this_host() and not _exists(record.owner_pid)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
