"""Paths of Unix sockets, which are short: the kernel accepts about a hundred bytes."""

import os
import socket
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from landbridge.platform.core.errors import LandbridgeError

SOCKET_FILE = "signer.sock"
# The kernel accepts 108 bytes on Linux and 104 on macOS, with the closing zero byte.
_PATH_BYTES_MAX = 103
_DESCRIPTORS = Path("/proc/self/fd")
_BACKLOG = 64
# Mask that leaves access to the owner only.
_MASK = 0o177


class SocketPathInvalid(LandbridgeError):
    """The socket can't be created at this path."""


def listen(path: Path) -> socket.socket:
    """Return a listening socket to which only the owner may connect; replaces an older socket.

    The caller ensures that no other process listens there. Raises `SocketPathInvalid`.
    """
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _remove_old(path)
        with short_path(path) as short:
            mask = os.umask(_MASK)
            try:
                sock.bind(short)
            finally:
                os.umask(mask)
        sock.listen(_BACKLOG)
    except OSError as error:
        sock.close()
        raise SocketPathInvalid(f"{path} can't be listened on: {error.strerror}") from error
    except SocketPathInvalid:
        sock.close()
        raise
    sock.setblocking(False)  # noqa: FBT003  the name of the call says which
    return sock


def _remove_old(path: Path) -> None:
    with suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise SocketPathInvalid(f"{path} is not a socket: remove it")
        path.unlink()


@contextmanager
def short_path(path: Path) -> Generator[str]:
    """Yield a path to the same socket that is short enough; raises `SocketPathInvalid`."""
    if len(os.fsencode(path)) <= _PATH_BYTES_MAX:
        yield str(path)
        return
    if not _DESCRIPTORS.exists() or len(os.fsencode(path.name)) > _PATH_BYTES_MAX // 2:
        raise SocketPathInvalid(
            f"{path} is too long for a socket: set LANDBRIDGE_SIGNER_SOCKET to a shorter path"
        )
    # On Linux, the path leads through a descriptor of the folder.
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield str(_DESCRIPTORS.joinpath(str(descriptor), path.name))
    finally:
        os.close(descriptor)
