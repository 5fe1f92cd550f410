"""Isolation of the process that holds keys: rights that Linux lets an ordinary process give up.

Each step is tried, and its result is logged: containers often forbid the first one.
"""

import ctypes
import os
import resource
from contextlib import suppress
from pathlib import Path

import msgspec

_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38
_SELF = Path("/proc/self")


class Isolation(msgspec.Struct, frozen=True, kw_only=True):
    """Rights that the process has given up."""

    has_no_network: bool
    has_closed_memory: bool

    def __str__(self) -> str:
        network = "no network" if self.has_no_network else "network not given up"
        memory = "closed memory" if self.has_closed_memory else "open memory"
        return f"{network}, {memory}"


def isolate() -> Isolation:
    """Give up the network, debugging by the same user, and core files.

    For a process with one thread: the kernel refuses the first step to others. Unix sockets are
    files, so they work without a network.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        has_no_network = _leave_network(libc)
        # Otherwise other processes of the same user may read the memory through /proc.
        has_closed_memory = libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    except (OSError, AttributeError):
        return Isolation(has_no_network=False, has_closed_memory=False)
    return Isolation(has_no_network=has_no_network, has_closed_memory=has_closed_memory)


def _leave_network(libc: ctypes.CDLL) -> bool:
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return False
    # Map the same user and group in the new namespace; files are accessible without this too.
    with suppress(OSError):
        _SELF.joinpath("uid_map").write_text(f"{user} {user} 1")
        _SELF.joinpath("setgroups").write_text("deny")
        _SELF.joinpath("gid_map").write_text(f"{group} {group} 1")
    return True
