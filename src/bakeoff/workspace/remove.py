"""Taking leave of the workspace of one trial: it is removed, kept for the user, or left to a sweep."""

from __future__ import annotations

from bakeoff.errors import HostFailed
from bakeoff.workspace.create import Workspace
from bakeoff.workspace.ownership import KEPT_SUFFIX, lock_file
from bakeoff.workspace.sweep import remove_whatever


def remove(workspace: Workspace) -> None:
    """Remove everything of a trial from disk, whatever the agent did to it; HostFailed if that fails.

    Removing one that is gone already does nothing.
    """
    try:
        remove_whatever(workspace.root)
        lock_file(workspace.root).unlink(missing_ok=True)
    except OSError as error:
        raise HostFailed(
            f"a workspace cannot be removed: {error.strerror or error}", str(workspace.root)
        ) from error
    finally:
        _release(workspace)


def keep(workspace: Workspace) -> None:
    """Leave a workspace on disk for the user: no sweep removes it."""
    workspace.root.with_name(workspace.root.name + KEPT_SUFFIX).touch()
    lock_file(workspace.root).unlink(missing_ok=True)
    _release(workspace)


def leave(workspace: Workspace) -> None:
    """Leave a workspace to the next sweep: to remove a large one takes longer than somebody may wait."""
    _release(workspace)


def _release(workspace: Workspace) -> None:
    if workspace.lock is not None:
        workspace.lock.release()
