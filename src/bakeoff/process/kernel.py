"""The few Linux calls that Python does not offer, all of them prctl(2)."""

from __future__ import annotations

import ctypes
import functools
import os

_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38


def become_subreaper() -> None:
    """Be the parent of every process below that loses its own parent."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def forbid_new_privileges() -> None:
    """Let nothing that is started from now on gain rights by a set-user-id program.

    Such a process could not be signalled any more by an ordinary user.
    """
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def set_name(name: bytes) -> None:
    """The name that `ps` shows, at most 15 bytes."""
    _prctl(_PR_SET_NAME, ctypes.c_char_p(name))


@functools.cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, argument: int | ctypes.c_char_p) -> None:
    value = ctypes.c_ulong(argument) if isinstance(argument, int) else argument
    unused = ctypes.c_ulong(0)
    if _library().prctl(ctypes.c_int(option), value, unused, unused, unused) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
